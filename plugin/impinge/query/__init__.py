"""Queries of two shapes, without a world.

- `pairs`: overlap, distance and contact of posed shapes.
- `impacts`: time of impact of moving shapes, and the features that touch.
- `intervals`: contact interval and closest approach. `instants` has the candidates for straight and polynomial
  motion, `turning` the conservative advancement for rotation.
- `push`: the push rule for one pair of boxes. `room`: free room around a box.
"""
