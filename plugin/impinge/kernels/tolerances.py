"""What counts as touching, for all kernels. No code, only numbers; docs/shapes.md says it in words."""

# Two shapes touch when they are no further apart than the slop: this part of the smaller one's extent ...
SLOP = 1e-9
# ... and this part of the largest coordinate. A place is rounded about four times on its way to an event, by half a
# unit in the last place each time; eight whole units leave room for coordinates that grow during the frame.
ROUNDING = 8 * 2.220446049250313e-16
# In a world two pieces that both have no inside, segments, are kept this part of the length of the shorter one apart:
# some hundred slops, so that there is no doubt on which side of the other each is. Less is lost in the rounding of long
# ways: those of 1,000 rooms a frame let a segment of 0.75 out through a corner at 1.5e-10.
HAIR = 1e-7
# Sine of an angle. Normals within it have one direction.
SAME_SINE = 1e-9
# A normal counts as vertical if |ny| >= UPRIGHT * |nx|: a slope of 45 degrees is a floor in spite of rounding.
UPRIGHT = 1.0 - 1e-9
# Relative error of one floating-point operation: half the distance from 1 to the next float.
UNIT = 1.1102230246251565e-16
