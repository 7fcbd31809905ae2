"""Worlds of many bodies that advance by one frame per step.

- `world`: `World` and its step. `bodies`: `Body`, `Event` and `Frame`, the objects that a game holds.
- `state`: the arrays of a world, which its step, snapshots, hooks and queries share.
- `queries`: world queries at a point, near it, in a box, in a sector, or along a path; `standing_tree`: their tree.
- `pool`: storage for the rows of solids. `movers`: the moving bodies of the highest rank.
- `counters`: counts of what a world holds, and of the work of its last step.
- `fleet`: many copies of a world that step in one call.
- `snapshot`: the state of a world as bytes, for rollback and saves.
"""
