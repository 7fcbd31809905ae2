"""The only place with compiled code: arrays in, arrays out. Input is trusted here; the rim has checked it.

`layout` says what the arrays hold, `tolerances` what counts as touching. There are some things to read, each in order:

- the push rule: `neighbours` and `legs` are the two sides of a push, `start`, `contacts`, `speeds` and `events` its
  turns, `tree` the broadphase, and `frame` puts all of it together. Numbers in brackets are the points of
  docs/push-rule.md;
- questions about two solids: `solids` writes them down, `separation` is for two convex pieces, `penetration` for the
  depth of many, `manifold` for the points of contact, and `questions` is what Python calls;
- `roots` of polynomials, for what happens in time; and `boxes`, for what is near without a world.
"""
