"""CUDA kernels as numba-cuda compiles them, run by this processor: a plugin for pytest (`-p cuda_on_host`).

The simulator of numba-cuda interprets Python. So it shows nothing that comes from compiling: types, memory that is read
before it is written, indices out of range. Here numba-cuda translates each kernel to LLVM's language, as for a GPU, and
LLVM compiles that for this processor. Threads run one after the other. Products are fused with sums, as on a GPU.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
from functools import cache
from typing import Any

# LLVM of this processor has no other pointers. It is read when llvmlite is imported.
os.environ["LLVMLITE_ENABLE_IR_LAYER_TYPED_POINTERS"] = "0"

import llvmlite.binding as llvm
import numba.cuda.dispatcher as cuda_dispatcher
import numpy as np
from numba import boolean, cuda, float64, int64, types
from numba.cuda.cudadrv import nvvm
from numba.np.numpy_support import from_dtype

from impinge.gpu import device

# Each byte of unset memory: it makes large numbers.
FILLING = 0x7F
# Bytes on each side of an array, and what they contain: in each array something else.
MARGIN, MARGINS = 4096, itertools.cycle(range(1, FILLING))
FREE_MEMORY = 1 << 25

# Functions of CUDA that the kernels call, and a loop over all threads.
RUNTIME = """
@tid = global i32 0
@ctaid = global i32 0
@ntid = global i32 0
@nctaid = global i32 0
define i32 @read_tid() {{ %n = load i32, ptr @tid ret i32 %n }}
define i32 @read_ctaid() {{ %n = load i32, ptr @ctaid ret i32 %n }}
define i32 @read_ntid() {{ %n = load i32, ptr @ntid ret i32 %n }}
define i32 @read_nctaid() {{ %n = load i32, ptr @nctaid ret i32 %n }}
define i32 @isnand(double %x) {{ %is = fcmp uno double %x, %x %n = zext i1 %is to i32 ret i32 %n }}
define double @___numba_atomic_double_max(ptr %at, double %x) {{
  %old = load double, ptr %at
  %is = fcmp ogt double %x, %old
  %new = select i1 %is, double %x, double %old
  store double %new, ptr %at
  ret double %old
}}
declare void @"{entry}"({types})
define void @run_threads(ptr %arguments, i32 %blocks, i32 %threads) {{
begin:
  store i32 %blocks, ptr @nctaid
  store i32 %threads, ptr @ntid
  {loads}
  br label %block
block:
  %ctaid = phi i32 [0, %begin], [%next_ctaid, %end]
  store i32 %ctaid, ptr @ctaid
  br label %thread
thread:
  %tid = phi i32 [0, %block], [%next_tid, %thread]
  store i32 %tid, ptr @tid
  call void @"{entry}"({values})
  %next_tid = add i32 %tid, 1
  %has_thread = icmp slt i32 %next_tid, %threads
  br i1 %has_thread, label %thread, label %end
end:
  %next_ctaid = add i32 %ctaid, 1
  %has_block = icmp slt i32 %next_ctaid, %blocks
  br i1 %has_block, label %block, label %done
done:
  ret void
}}
"""


class HostArray:
    """What numba-cuda's arrays on a device can do, in memory of the host with a margin on both sides."""

    __cuda_ndarray__ = True

    def __init__(self, array: Any, memory: Any) -> None:
        self.array, self.memory = array, memory
        self.dtype, self.shape, self.size, self.ndim = array.dtype, array.shape, array.size, array.ndim
        self.strides, self.nbytes = array.strides, array.nbytes

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: slice) -> HostArray:
        return HostArray(self.array[index], self.memory)

    def copy_to_host(self) -> Any:
        return self.array.copy()

    def copy_to_device(self, values: Any) -> None:
        self.array[...] = values

    def reshape(self, *shape: Any) -> HostArray:
        return HostArray(self.array.reshape(*shape), self.memory)

    def is_c_contiguous(self) -> bool:
        return bool(self.array.flags.c_contiguous)


def device_array(shape: Any, dtype: Any = np.float64, order: Any = "C") -> HostArray:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.full(MARGIN + size + MARGIN, next(MARGINS), np.uint8)
    memory[MARGIN : MARGIN + size] = FILLING
    array = np.frombuffer(memory, dtype, int(np.prod(shape)), MARGIN).reshape(shape, order=order)
    return HostArray(array, memory)


def to_device(values: Any) -> HostArray:
    order = "C" if values.flags.c_contiguous else "F"
    target = device_array(values.shape, values.dtype, order)
    target.array[...] = values
    return target


def type_of(value: Any) -> Any:
    """Return the type of an argument, as numba-cuda sees it."""
    if isinstance(value, HostArray):
        return types.Array(from_dtype(value.dtype), value.ndim, "C")
    if isinstance(value, tuple):
        kinds = [type_of(each) for each in value]
        is_named = hasattr(value, "_fields")
        return types.NamedTuple(kinds, type(value)) if is_named else types.UniTuple(kinds[0], len(kinds))
    return {bool: boolean, float: float64}.get(type(value), int64)


def words(value: Any) -> list[int]:
    """Return the eight-byte words of an argument, as numba-cuda passes it."""
    if isinstance(value, HostArray):
        return [0, 0, value.size, value.dtype.itemsize, value.array.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, tuple):
        return [word for each in value for word in words(each)]
    return [int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value)]


def arrays(value: Any) -> list[HostArray]:
    if isinstance(value, tuple):
        return [array for each in value for array in arrays(each)]
    return [value] if isinstance(value, HostArray) else []


def modules_of(function: Any, signature: Any) -> list[str]:
    """Return what numba-cuda gives to NVIDIA's compiler."""
    given: list[str] = []

    def take(modules: Any, **_: Any) -> bytes:
        given.extend([modules] if isinstance(modules, str) else modules)
        return b""

    kept = nvvm.compile_ir, cuda_dispatcher.get_current_device
    nvvm.compile_ir, cuda_dispatcher.get_current_device = take, H100
    try:
        cuda.compile(function, signature, device=False, abi="numba", cc=H100.compute_capability)
    finally:
        nvvm.compile_ir, cuda_dispatcher.get_current_device = kept
    return given


class H100:
    """What numba-cuda asks of a device while it compiles."""

    compute_capability = 9, 0


LOCAL_ARRAY = r"^ *(\S+) = alloca \[(\d+) x (?:double|i64)\]$"
FILL = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"


def filled(found: re.Match[str]) -> str:
    """Return the declaration of an array of a thread, and a call that fills it."""
    name, length = found.groups()
    return f"{found[0]}\n  call void @llvm.memset.p0.i64(ptr {name}, i8 {FILLING}, i64 {8 * int(length)}, i1 false)"


def for_this_processor(module: str, triple: str, layout: str) -> str:
    """Return a module of CUDA as one of this processor, where kernels are functions like others."""
    module = re.sub(r"^!nvvm.annotations = .*", "", module, flags=re.MULTILINE)
    module = re.sub(r"^target triple = .*", f'target triple = "{triple}"', module, flags=re.MULTILINE)
    module = re.sub(r"^target datalayout = .*", f'target datalayout = "{layout}"', module, flags=re.MULTILINE)
    module = re.sub(LOCAL_ARRAY, filled, module, flags=re.MULTILINE)
    module = re.sub(r"\bllvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x\b", r"read_\1", module)
    module = re.sub(r"= (fmul|fadd|fsub) double", r"= \1 contract double", module.replace("__nv_", ""))
    return f"{module}\n{FILL}"


@cache
def compiled(function: Any, signature: Any) -> tuple[Any, Any]:
    """Return the loop over all threads of a kernel, and what keeps its code."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.load_library_permanently("libm.so.6")
    triple = llvm.get_default_triple()
    target = llvm.Target.from_triple(triple).create_target_machine(
        llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), opt=2
    )
    modules = [for_this_processor(each, triple, str(target.target_data)) for each in modules_of(function, signature)]
    (entry, parameters), *others = re.findall(r'^define void @"([^"]+)"\((.*)\)', "\n".join(modules), re.MULTILINE)
    assert not others
    kinds = [each.split()[0] for each in parameters.split(", ")]
    loads = (
        f"%at{at} = getelementptr i64, ptr %arguments, i64 {at}\n  %value{at} = load {kind}, ptr %at{at}"
        for at, kind in enumerate(kinds)
    )
    values = ", ".join(f"{kind} %value{at}" for at, kind in enumerate(kinds))
    runtime = RUNTIME.format(entry=entry, types=", ".join(kinds), loads="\n  ".join(loads), values=values)
    whole = llvm.parse_assembly(runtime)
    for module in modules:
        whole.link_in(llvm.parse_assembly(module))
    for each in whole.functions:
        if not each.is_declaration and each.name != "run_threads":
            each.linkage = "internal"
    whole.verify()
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(whole, builder)
    engine = llvm.create_mcjit_compiler(whole, target)
    engine.finalize_object()
    loop = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)
    return loop(engine.get_function_address("run_threads")), engine


def run_threads(kernel: Any, threads: int, *arguments: Any) -> None:
    """Stand in for `impinge.gpu.device.run_threads`."""
    if not threads:
        return
    run, _ = compiled(kernel.py_func, tuple(map(type_of, arguments)))
    passed = words(arguments)
    run((ctypes.c_int64 * len(passed))(*passed), device.blocks(threads), device.THREADS_OF_A_BLOCK)
    for array in arrays(arguments):
        margins = np.concatenate((array.memory[:MARGIN], array.memory[-MARGIN:]))
        assert (margins == margins[0]).all(), f"{kernel.py_func.__name__} writes out of range"


class Context:
    """What impinge asks of the context of a device."""

    free = FREE_MEMORY

    def get_memory_info(self) -> Context:
        return self


cuda.to_device, cuda.device_array = to_device, device_array
cuda.device_array_like = lambda other: device_array(other.shape, other.dtype)
cuda.current_context = Context
device.missing, device.run_threads = lambda: ("", ""), run_threads
