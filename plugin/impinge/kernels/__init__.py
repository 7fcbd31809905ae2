"""The only place with compiled code: arrays in, arrays out. Input is trusted here; the rim has checked it."""
