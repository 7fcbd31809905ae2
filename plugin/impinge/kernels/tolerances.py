"""What counts as touching, for all kernels. No code, only numbers; docs/shapes.md says it in words."""

# Two shapes touch when they are no further apart than the slop: this part of the smaller one's extent ...
SLOP = 1e-9
# ... and this part of the largest coordinate. A place is rounded about four times on its way to an event, by half a
# unit in the last place each time; eight whole units leave room for coordinates that grow during the frame.
ROUNDING = 8 * 2.220446049250313e-16
