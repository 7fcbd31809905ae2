"""Queries about two solids.

- `solids`: the row of floats that holds a solid.
- `separation`: distance of convex pieces. `depth`: depth of solids of many pieces. `manifold`: contact points.
  `queries`: the entry points for posed solids.
- `cast`: straight motion in closed form. `advancement`: rotation and acceleration, by conservative advancement.
- `impacts`: the entry points for moving solids. `impact_features`: points, normal and features of an impact.
- `deep_impacts`: moving solids of another engine, which resolves shallow overlaps.
"""
