"""Times at which a relation between motions holds: roots of polynomials, and bounds for any other function of time.

- `relations`: the queries, and polynomial paths.
- `curves`: paths that are any function of time, with bounds on pieces of time.
"""

from impinge.predict.relations import (
    BoundedRelation,
    Curve,
    Interval,
    Minimum,
    Path,
    Relation,
    circle_and_segment,
    common,
    distance_to_line,
    dot_through_box,
    first_time,
    horizontal_distance,
    intervals_below,
    intervals_within,
    minimum,
    moving_circles,
    squared_distance,
    times,
    vertical_distance,
)

__all__ = [
    "BoundedRelation",
    "Curve",
    "Interval",
    "Minimum",
    "Path",
    "Relation",
    "circle_and_segment",
    "common",
    "distance_to_line",
    "dot_through_box",
    "first_time",
    "horizontal_distance",
    "intervals_below",
    "intervals_within",
    "minimum",
    "moving_circles",
    "squared_distance",
    "times",
    "vertical_distance",
]
