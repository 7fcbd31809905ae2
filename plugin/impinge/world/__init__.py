"""Many bodies, one frame at a time.

- `world`: `World`, its rows and its step. `bodies`: `Body`, `Event` and `Frame`, the objects over these rows.
- `queries`: what is at a point, near, in a box, in a sector, or on a way.
- `pool`: storage of the solids' rows. `movers`: which bodies of the highest rank move.
- `snapshot`: the state as bytes, for rollback and saves.
"""
