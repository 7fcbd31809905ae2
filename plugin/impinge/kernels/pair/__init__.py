"""Two solids.

- `solids`: the row of floats that holds a solid.
- `separation`, `depth`, `manifold`: distance of convex pieces, depth of many pieces, contact points. `queries`: the
  entry points for posed solids.
- `cast`: straight motion in closed form. `advancement`: rotation, by conservative advancement.
- `impacts`: the entry points for moving solids. `impact_features`: points, normal and features of an impact.
"""
