"""The algorithms that Impinge grew out of, as published, in plain Python: oracles for the kernels."""
