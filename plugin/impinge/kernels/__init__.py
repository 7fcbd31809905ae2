"""Compiled code: arrays in, arrays out. An index outside its array raises an IndexError; callers check all other input.

- `compiler`: the runtime of the kernels, and their decorator. `entry`: the kernels that Python calls.
- `columns`: the columns of every array. `arrays`: types. `examples`: arguments. `tolerances`: when shapes touch.
- `pair`: two solids. `space`: many bodies in space. `step`: one step of a world. `sector`: sectors. `roots`: roots of
  polynomials.
"""
