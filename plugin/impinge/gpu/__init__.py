"""Questions of `impinge.batch`, and fleets, on a CUDA device.

- `questions`: arguments to the device, and results from it; `launches`: the CUDA kernels, a thread for each pair.
- `fleets`: the copies of a fleet on the device; `fleet_launches`: the CUDA kernels, a thread for some copies.
- `translate`: the functions of `impinge.kernels` for CUDA.
- `device`: whether a device can be used, and arrays on it.

Only `device="cuda"` imports these modules, and with them numba-cuda.
"""
