"""One step of a world: the push rule. Numbers in brackets in these modules are the points of docs/push-rule.md.

- `frame`: the step itself, body by body. It resolves plain boxes by the box path: `box_path`, `box_start`,
  `box_contacts`, `box_speeds`, `box_events`. `resolve_solid` resolves all other shapes.
- `copies`: the same step for many copies of a world, one after the other.
- Before a body moves: `broadphase`, `candidates`, `candidate_window`, `outline_chains`, `depenetration`, `sensors`.
- From contact to contact: `next_contact`, `contacts`, `internal_edges`, `contact_planes` (the velocity), `walking`,
  `rounded_corners`, `contact_lifetime`, `position_correction`.
- Results: `events`, `hook_answers`, `rows`.
"""
