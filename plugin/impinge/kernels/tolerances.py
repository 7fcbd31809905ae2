"""Tolerances of all kernels. No code, only numbers; docs/shapes.md explains when two shapes touch."""

# Two shapes touch if their distance is at most the slop: this part of the smaller one's extent ...
SLOP = 1e-9
# ... plus this part of the largest coordinate. A position is rounded about four times on its way to an event, by half a
# unit in the last place each time. Eight whole units leave room for coordinates that grow during the frame.
ROUNDING = 8 * 2.220446049250313e-16
# In a world, two pieces without an inside, segments, keep a distance of this part of the shorter one's length. That is
# some hundred slops, so it is certain on which side of the other each segment is. A smaller distance is lost in the
# rounding of long paths: at 1.5e-10, paths of 1,000 rooms a frame let a segment of 0.75 out through a corner.
HAIR = 1e-7
# Sine of an angle. Normals within it have one direction.
SAME_SINE = 1e-9
# A normal counts as vertical if |ny| >= UPRIGHT * |nx|, so that a slope of 45 degrees is a floor in spite of rounding.
UPRIGHT = 1.0 - 1e-9
# Relative error of one floating-point operation: half the distance from 1 to the next float.
UNIT = 1.1102230246251565e-16
# Limit of sizes and coordinates: no product of three of them leaves the range of floats.
LARGEST = 1e100
