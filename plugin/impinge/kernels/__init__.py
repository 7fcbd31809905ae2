"""The only place with compiled code: arrays in, arrays out. Input is trusted here; the rim has checked it.

To read them in order: `layout` says what the arrays hold, `neighbours` and `legs` are the two sides of a push, `start`,
`contacts`, `speeds` and `events` its turns, `tree` the broadphase, and `frame` puts all of it together. Numbers in
brackets are the points of the rule in docs/push-rule.md.
"""
