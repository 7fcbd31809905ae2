"""Worlds of many bodies that advance by one frame per step.

- `world`: `World`, its arrays and its step. `bodies`: `Body`, `Event` and `Frame`, the objects that read these arrays.
- `queries`: world queries at a point, near it, in a box, in a sector, or along a path.
- `pool`: storage for the rows of solids. `movers`: the moving bodies of the highest rank.
- `snapshot`: the state of a world as bytes, for rollback and saves.
"""
