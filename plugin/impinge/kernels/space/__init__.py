"""Many bodies, without contacts between them.

- `tree`: the broadphase's bounding-volume tree. `world_queries`: the entry points that search it.
- `posed_solids`: rows of solids turned to their body's angle.
- `box_grid`: a grid of moving boxes without a world.
- `fast_bodies`: bodies of another engine that are fast for their size, and the shapes near their motions.
- `meetings`: which of these bodies stop each other in a step, and when. `shape_pairs`: the pairs of shapes for it, and
  which hits are over after the step.
"""
