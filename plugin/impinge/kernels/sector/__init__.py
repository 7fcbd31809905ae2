"""Sectors and solids.

- `nearest`: the nearest point of a solid within a sector. `sweep`: the time at which a moving sector reaches a solid.
- `visibility`: the cells of a sector that walls leave visible. `candidates`: bodies of a world near a sector.
"""
