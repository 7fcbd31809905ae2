"""Solids and their outlines.

- `solids`: the shapes that games make (`Box`, `Circle`, `Capsule`, `Polygon`, `Compound`), and the base `Solid`.
- `outlines`, `predicates`: vertices to a clean outline, by exact predicates.
- `splitting`: a concave outline to few convex pieces.
- `measures`: area, centroid and second moment of a union of pieces.
"""
