"""Compiled code: arrays in, arrays out. The callers check input; kernels trust it.

- `compiler`: what runs the kernels, and their decorator. `entry`: the kernels that Python calls.
- `columns`: what stands in every array. `arrays`: types. `tolerances`: what counts as touching.
- `pair`: two solids. `space`: many bodies in space. `step`: one step of a world. `sector`: sectors. `roots`: roots of
  polynomials.
"""
