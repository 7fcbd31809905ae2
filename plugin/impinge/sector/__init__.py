"""Sectors: exact cone attacks and vision.

- `sectors`: `Sector`, hits, sweeps, occluders and the visible outline.
- `attack`: an attack over several frames, with owner, motion and targets already hit.
"""
