"""The algorithms that Impinge started from, as published, in plain Python: oracles for tests of the kernels."""
