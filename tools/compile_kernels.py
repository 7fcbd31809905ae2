"""Compile the kernels ahead of time into a native module that needs no compiler: `impinge.kernels._native`.

`python tools/compile_kernels.py FOLDER` compiles them with Numba, from the sources that Numba's JIT compiles too. The
build of the package runs it. At run time the module needs NumPy, but not Numba.

All uses of Numba's internals are in this file. Numba's `pycc` compiles each helper again for every function that uses
it. Here each helper is lowered once, and all code is linked and optimised together. The kernels are distributed over
as many processes as there are processors, and each process makes one object file.
"""

from __future__ import annotations

import argparse
import ast
import gc
import inspect
import os
import pickle
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NAME = "_native"

# Architecture: the target processor, by its name and its features. This one is x86-64-v2, which Intel's and AMD's
# processors have had since 2011. On all other architectures it is what every processor has.
PORTABLE = {"x86_64": ("x86-64", "+cx16,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3")}
PORTABLE["AMD64"] = PORTABLE["x86_64"]
PORTABLE_ELSEWHERE = ("generic", "")

# Relative compile times of the slowest entry points; all others count 1. They share little code with each other.
WEIGHTS = {"step": 60, "impact_pair": 15, "measure_pair": 9, "sweep_sector": 6, "hit_solid": 5}
WEIGHTS["visible_sector_cells"] = 4
# An entry point that shares almost all of its code with another one, which the same process compiles.
SHARES_CODE_WITH = {"step_copies": "step"}

# An array as Numba's C code writes it: words before the lengths and strides, and NumPy's limit of dimensions. And the
# offset of the number of dimensions in an array object, as in NumPy's `PyArrayObject_fields`.
ARRAY_WORDS, MOST_DIMENSIONS, PLACE_OF_DIMENSIONS = 5, 64, 24


@dataclass(frozen=True)
class Part:
    """An object file: the names of its kernels, and what Numba needs when the module is imported.

    `environments` are names of global variables with the constants of the function that each belongs to: first one for
    each kernel, then those of helpers.
    """

    kernels: list[str]
    environments: list[tuple[str, list[Any]]]


def context_ahead(entry_names: Container[str]) -> Any:
    """Return a target context for Numba that makes code for a file, and Python wrappers only for the named kernels."""
    from numba.core import codegen, cpu
    from numba.core.registry import cpu_target

    class Library(codegen.AOTCodeLibrary):
        """The code of one function, not optimised or linked: both are done once, for all functions together."""

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout

        def finalize(self) -> None:
            self._finalized = True

        def all_linked(self) -> Iterator[Any]:
            """Yield the linked libraries, callers first: the linker takes only functions that are already called."""
            seen: set[int] = set()
            waiting = list(reversed(self._linking_libraries))
            while waiting:
                library = waiting.pop()
                if id(library) not in seen:
                    seen.add(id(library))
                    yield library
                    waiting += reversed(library._linking_libraries)

    class Codegen(codegen.AOTCPUCodegen):
        _library_class = Library

        def _customize_tm_options(self, options: dict[str, Any]) -> None:
            options["cpu"], options["features"] = processor()
            options["reloc"], options["codemodel"] = "pic", "default"

        def _customize_tm_features(self) -> str:
            return processor()[1]

    class Context(cpu.CPUContext):
        """A context that makes no Python wrappers for helpers."""

        def create_cpython_wrapper(self, library: Any, described: Any, *more: Any, **options: Any) -> None:
            if described.qualname in entry_names and self.enable_nrt:  # a helper may have the name of an entry point
                super().create_cpython_wrapper(library, described, *more, **options)

        def create_cfunc_wrapper(self, *_: Any) -> None:
            pass

        def get_c_value(self, builder: Any, typ: Any, name: str, dllimport: bool = False) -> Any:
            """Return an object of Python: its symbol is the pointer to it, whose address Numba would take instead."""
            if not name.startswith("PyExc_"):
                return super().get_c_value(builder, typ, name, dllimport)
            return builder.load(super().get_c_value(builder, typ.as_pointer(), name, dllimport))

        def get_executable(self, *_: Any) -> Any:
            return [].append  # nothing is called here, but each dispatcher needs a function of its own

    context = Context(cpu_target.typing_context).subtarget(aot_mode=True, _internal_codegen=Codegen(NAME))
    cpu_target.__dict__["_toplevel_target_context"] = context
    return context


def lower(names: Sequence[str], target: Path) -> Part:
    """Compile kernels into an object file."""
    from llvmlite.binding import Linkage
    from numba.core import compiler
    from numba.core.environment import lookup_environment
    from numba.core.registry import cpu_target
    from numba.core.runtime import nrtdynmod

    from impinge.kernels import compiler as kernels

    functions = {function.__qualname__: (function, *more) for function, *more in entries(kernels)}
    hasten()
    check_indices()
    check_arguments()
    context = context_ahead(functions)
    library = context.codegen().create_library(NAME)
    library.add_ir_module(nrtdynmod.create_nrt_module(context)[0])
    flags = compiler.Flags()
    flags.no_compile, flags.nrt, flags.error_model = True, True, "numpy"
    flags.boundscheck = kernels.OPTIONS["boundscheck"]
    environments = []
    for name in names:
        function, arguments, flags.release_gil = functions[name]
        types = tuple(map(kernels.type_of, arguments))
        made = compiler.compile_extra(
            cpu_target.typing_context, context, function, types, None, flags, locals={}, library=library
        )
        for each in library._final_module.functions:
            if each.name.startswith("__excinfo_unwrap_args"):
                each.linkage = "linkonce_odr"
        library.get_function(made.fndesc.llvm_func_name).linkage = "internal"
        wrapper = library.get_function(made.fndesc.llvm_cpython_wrapper_name)
        wrapper.name, wrapper.linkage, wrapper.visibility = wrapper_of(name), "external", "hidden"
        environments.append((made.fndesc.env_name, made.environment.consts))
    wrappers = {wrapper_of(name) for name in names}
    module = library._final_module
    for each in library.all_linked():
        for variable in each._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None and environment.can_cache():
                environments.append((variable.name, environment.consts))
        module.link_in(each._get_module_for_linking(), preserve=True)
    for each in module.functions:
        if not each.is_declaration and each.name not in wrappers:
            each.linkage = Linkage.internal
            # LLVM would inline every function with one caller, however long: fast boxes took a twentieth longer.
            if each.name.startswith("_ZN7impinge") and not any(b"alwaysinline" in words for words in each.attributes):
                each.add_function_attribute("noinline")
    # Numba's own pipeline starts with a second, cheaper one, for code that counts references.
    manager, builder = library._codegen._module_pass_manager()
    manager.run(library._final_module, builder)
    target.write_bytes(library._codegen._tm.emit_object(library._final_module))
    return Part(list(names), environments)


def check_indices() -> None:
    """Let an index out of its range raise an IndexError, by one comparison.

    Numba's own check takes two, after another for an index that counts from the end: 5 to 20 % of a step. Kernels have
    no negative indices. A column that is a constant is not compared here: `checked` does so for all at once.
    """
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.np import arrayobj

    pointer_to_item = cgutils.get_item_pointer2

    def index_of(context: Any, builder: Any, index_type: Any, index: Any, _size: Any) -> Any:
        return context.cast(builder, index, index_type, types.intp if index_type.signed else types.uintp)

    def pointer_to(*arguments: Any, wraparound: bool = False, **options: Any) -> Any:
        return pointer_to_item(*arguments, **options)

    def check(context: Any, builder: Any, index: Any, size: Any, axis: int = 0) -> None:
        is_out = builder.icmp_unsigned(">=", index, size)
        if axis > 0:
            is_constant = builder.module.declare_intrinsic(
                "llvm.is.constant", [index.type], ir.FunctionType(ir.IntType(1), [index.type])
            )
            is_out = builder.and_(is_out, builder.not_(builder.call(is_constant, [index])))
        with cgutils.if_unlikely(builder, is_out):
            context.call_conv.return_user_exc(builder, IndexError, ("index is out of bounds",))

    arrayobj.fix_integer_index, cgutils.get_item_pointer2, cgutils.do_boundscheck = index_of, pointer_to, check


def check_arguments() -> None:
    """Let an argument that is no array of its kernel's dimensions and item size, or no such tuple, raise an error.

    Numba's own code writes the lengths of all dimensions into a structure that has room for the expected ones, and goes
    on to items that a shorter tuple lacks.
    """
    from llvmlite import ir
    from numba.core import (
        boxing,  # noqa: F401  registers what is replaced here
        cgutils,
        types,
    )
    from numba.core.pythonapi import NativeValue, PythonAPI, _unboxers
    from numba.np import numpy_support

    def unbox(array_type: Any, given: Any, c: Any) -> Any:
        builder, word = c.builder, ir.IntType(64)
        array = c.context.make_array(array_type)(c.context, builder)
        pointer = array._getpointer()
        with builder.goto_entry_block():  # `alloca_once` would fill it with zeros, a twentieth of the smallest step
            room = builder.alloca(ir.ArrayType(word, ARRAY_WORDS + 2 * MOST_DIMENSIONS))
        error = c.pyapi.nrt_adapt_ndarray_from_python(given, builder.bitcast(room, c.pyapi.voidptr))
        failed = cgutils.alloca_once_value(builder, cgutils.is_not_null(builder, error))
        with builder.if_then(builder.not_(builder.load(failed))):
            place = builder.gep(builder.bitcast(given, c.pyapi.voidptr), [word(PLACE_OF_DIMENSIONS)])
            dimensions = builder.load(builder.bitcast(place, ir.IntType(32).as_pointer()))
            builder.store(builder.load(builder.bitcast(room, pointer.type)), pointer)
            size = numpy_support.as_dtype(array_type.dtype).itemsize
            has_other_dimensions = builder.icmp_unsigned("!=", dimensions, dimensions.type(array_type.ndim))
            has_other_size = builder.icmp_unsigned("!=", array.itemsize, array.itemsize.type(size))
            builder.store(builder.or_(has_other_dimensions, has_other_size), failed)
        with builder.if_then(builder.load(failed), likely=False):
            c.pyapi.err_set_string("PyExc_TypeError", f"a kernel must get an array of type {array_type}, got another")
        return NativeValue(builder.load(pointer), is_error=builder.load(failed))

    item_of = PythonAPI.tuple_getitem

    def item_or_none(api: Any, given: Any, index: int) -> Any:
        item = item_of(api, given, index)
        return api.builder.select(cgutils.is_null(api.builder, item), api.borrow_none(), item)

    _unboxers.functions[types.Array] = unbox
    PythonAPI.tuple_getitem = item_or_none


def hasten() -> None:
    """Save two fifths of the time in Numba: ask once, compute what is needed, and seldom collect garbage."""
    from numba.core import ir, postproc, transforms, types

    resolve = types.BaseFunction.get_call_type
    answers: dict[Any, Any] = {}

    def resolve_once(function: Any, context: Any, arguments: Any, named: Any) -> Any:
        asked = function, tuple(arguments), tuple(named.items())
        if asked not in answers:
            answers[asked] = resolve(function, context, arguments, named)
        return answers[asked]

    def variables(instruction: Any, value: Any) -> list[Any]:
        if isinstance(value, ir.Var):
            return [value]
        if isinstance(value, ir.Inst):
            return value.list_vars()  # type: ignore[no-any-return]
        found: list[Any] = []
        for each in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
            if isinstance(each, ir.Var):
                found.append(each)
            elif isinstance(each, (ir.Inst, dict, list, tuple)):
                found += variables(instruction, each)
        return found

    def process(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        """Leave out the variables alive at each block: only generators need them, and kernels are none."""
        function = processor.func_ir
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime, function.generator_info = postproc.VariableLifetime(function.blocks), None
        if emit_dels:
            processor._insert_var_dels(extend_lifetimes=extend_lifetimes)

    types.BaseFunction.get_call_type = resolve_once  # type: ignore[method-assign]
    ir.Inst._rec_list_vars = variables
    postproc.PostProcessor.run = process
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def processor() -> tuple[str, str]:
    """Return the name of the target processor and its features."""
    return PORTABLE.get(platform.machine(), PORTABLE_ELSEWHERE)


def wrapper_of(kernel: str) -> str:
    """Return the name of the C function by which Python calls a kernel."""
    return f"impinge_{kernel}"


def entries(kernels: Any) -> list[tuple[Any, tuple[Any, ...], bool]]:
    """Return the functions that Python calls, each with arguments of the types that it takes, and its `nogil`."""
    import impinge  # noqa: F401  # registers all kernels

    stamp = kernels.source_stamp()
    namespace: dict[str, Any] = {}
    exec(f"def stamp():\n    return {stamp}", namespace)
    found = [
        (checked(dispatcher, arguments, kernels.kernel()), arguments, dispatcher.targetoptions["nogil"])
        for dispatcher, arguments in kernels.entry_points().values()
    ]
    return [*found, (namespace["stamp"], (), False)]


def checked(kernel: Any, example: tuple[Any, ...], helper: Any) -> Any:
    """Return the function of an entry point that first raises an IndexError for an array unlike its example.

    It must have as many columns at least, as constant indices are not compared elsewhere, and no gaps between its rows
    or numbers. The check is a helper without reference counts: with them, it took a twentieth of the smallest step.
    """
    function = kernel.py_func
    parameters = list(inspect.signature(function).parameters)
    lines = [f"def check({', '.join(parameters)}):"]
    for array, value in arrays_in(parameters, example):
        columns, size = value.shape[1] if value.ndim == 2 else 1, value.itemsize
        wrong = f"{array}.strides[0] != {size} and {array}.shape[0] > 1"
        if value.ndim == 2:
            rows = f"{array}.strides[0] != {size} * {array}.shape[1] and {array}.shape[0] > 1"
            numbers = f"{array}.strides[1] != {size} and {array}.shape[0] > 0 and {array}.shape[1] > 1"
            wrong = f"{array}.shape[1] < {columns} or ({rows}) or ({numbers})"
        message = f"{array} must be contiguous, with at least {columns} columns"
        lines += [f"    if {wrong}:", f"        raise IndexError({message!r})"]
    if len(lines) == 1:
        return function
    namespace: dict[str, Any] = dict(function.__globals__)
    exec("\n".join(lines), namespace)
    namespace["check"] = helper(namespace["check"])
    source = ast.parse(textwrap.dedent(inspect.getsource(function)))
    (definition,) = source.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list, definition.returns = [], None
    definition.body[:0] = ast.parse(f"check({', '.join(parameters)})").body
    for argument in definition.args.args:
        argument.annotation = None
    exec(compile(ast.fix_missing_locations(source), inspect.getfile(function), "exec"), namespace)
    return namespace[function.__name__]


def arrays_in(names: Sequence[str], values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arrays among arguments, those of bundles included, each after its expression."""
    for name, value in zip(names, values, strict=True):
        if hasattr(value, "_fields"):
            yield from arrays_in([f"{name}.{field}" for field in value._fields], value)
        elif hasattr(value, "strides"):
            yield name, value


def begin(parts: Sequence[Part], target: Path) -> list[str]:
    """Write the object file with the module's initialisation, and return the names that it exports."""
    from llvmlite import ir
    from numba.core.compiler_lock import global_compiler_lock
    from numba.pycc import llvm_types
    from numba.pycc.compiler import ExportEntry, ModuleCompiler

    class Beginning(ModuleCompiler):
        """Numba's module compiler, for kernels that are compiled already."""

        def _mangle_method_symbol(self, func_name: str) -> str:
            return wrapper_of(func_name)

    exports = [ExportEntry(name, None, None) for part in parts for name in part.kernels]
    own = [each for part in parts for each in part.environments[: len(part.kernels)]]
    of_helpers = dict(each for part in parts for each in part.environments[len(part.kernels) :])
    python = llvm_types._pyobject_head_p
    compiler = Beginning(exports, NAME, use_nrt=True)
    compiler.external_init_function = f"pycc_init_{NAME}"
    compiler.exported_function_types = dict.fromkeys(exports, ir.FunctionType(python, (python, python, python)))
    compiler.function_environments = {
        export: SimpleNamespace(consts=consts) for export, (_, consts) in zip(exports, own, strict=True)
    }
    compiler.environment_gvs = {export: name for export, (name, _) in zip(exports, own, strict=True)}
    compiler.extra_environments = {name: SimpleNamespace(consts=consts) for name, consts in of_helpers.items()}
    library = compiler.context.codegen().create_library(NAME)
    module = library.create_ir_module("beginning")
    compiler._emit_python_wrapper(module)
    library.add_ir_module(module)
    with global_compiler_lock:
        target.write_bytes(library.emit_native_object())
    return compiler.dll_exports


def link(objects: Sequence[Path], exports: Sequence[str], folder: Path) -> Path:
    """Link the object files and Numba's C code to a module in a folder."""
    from numba.pycc import CC

    class Linker(CC):
        """Numba's linker, for existing object files."""

        def _compile_object_files(self, build_dir: str) -> tuple[list[str], Sequence[str]]:
            return [str(each) for each in objects], exports

    linker = Linker(NAME, source_module=sys.modules[__name__])
    folder.mkdir(parents=True, exist_ok=True)
    linker.output_dir, linker.output_file = str(folder), module_name()
    linker.compile()
    return folder / module_name()


def module_name() -> str:
    """Return the name of the module's file for this Python and this kind of machine."""
    return NAME + str(sysconfig.get_config_var("EXT_SUFFIX"))


def is_current(module: Path) -> bool:
    """Return whether the module exists, matches the current sources, and is newer than this file."""
    if not module.exists() or module.stat().st_mtime < Path(__file__).stat().st_mtime:
        return False
    asked = [sys.executable, "-c", f"import {NAME}; print({NAME}.stamp())"]
    answer = subprocess.run(asked, cwd=module.parent, capture_output=True, text=True, check=False)
    wanted = subprocess.run([sys.executable, __file__, "--stamp"], capture_output=True, text=True, check=True)
    return answer.returncode == 0 and answer.stdout == wanted.stdout


def dealt_out(names: Sequence[str], count: int) -> list[list[str]]:
    """Distribute kernels over processes of about equal duration: the longest first, to the least busy process."""
    dealt: list[list[str]] = [[] for _ in range(count)]
    for name in sorted(names, key=lambda name: (name in SHARES_CODE_WITH, -WEIGHTS.get(name, 1))):
        shared = SHARES_CODE_WITH.get(name)
        homes = [part for part in dealt if shared in part] or dealt
        min(homes, key=lambda part: sum(WEIGHTS.get(each, 1) for each in part)).append(name)
    return [part for part in dealt if part]


def check_linker() -> None:
    """Check for the C compiler now: linking needs it only after minutes of compilation."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC")  # none on Windows
    if command and not shutil.which(shlex.split(command)[0]):
        remedy = "install gcc or clang (on Debian: apt-get install gcc libc6-dev python3-dev), or a wheel of impinge"
        raise SystemExit(f"compile_kernels: the build needs a C compiler, and {command!r} is not there: {remedy}")


def compile_all(folder: Path, jobs: int) -> Path:
    """Compile all kernels in `jobs` processes at once, link them, and return the module."""
    check_linker()
    begun = time.perf_counter()
    settings = os.environ | {"IMPINGE_KERNELS": "jit", "IMPINGE_CACHE": "0"}
    listed = subprocess.run([sys.executable, __file__, "--list"], env=settings, stdout=subprocess.PIPE, check=True)
    names = listed.stdout.decode().split()
    print(
        f"Compiling {len(names)} kernels of Impinge, in {jobs} processes: it takes about a minute on two cores.",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as scratch:
        parts = dealt_out(names, jobs)
        objects = [Path(scratch, f"part{number}.o") for number in range(len(parts))]
        started = [
            subprocess.Popen([sys.executable, __file__, "--part", target, *part], env=settings, stdout=subprocess.PIPE)
            for part, target in zip(parts, objects, strict=True)
        ]
        outputs = [process.communicate()[0] for process in started]
        if any(process.returncode for process in started):
            raise SystemExit("compile_kernels: a kernel could not be compiled")
        beginning = Path(scratch, "beginning.o")
        exports = begin([Part(*pickle.loads(output)) for output in outputs], beginning)
        module = link([*objects, beginning], exports, folder)
    size = module.stat().st_size / 1e6
    print(f"{module.name}: {size:.1f} MB, in {time.perf_counter() - begun:.0f} s", flush=True)
    return module


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Compile the kernels ahead, into a native module.")
    parser.add_argument("folder", type=Path, nargs="?", help="where it goes")
    parser.add_argument("--keep", action="store_true", help="do nothing if it is there, of these sources")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--list", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--stamp", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    # Not in PYTHONPATH: pip removes packages installed in place from it.
    sys.path.insert(0, str(ROOT / "plugin"))
    if chosen.stamp:
        os.environ["IMPINGE_KERNELS"] = "python"
        from impinge.kernels import compiler as kernels

        print(kernels.source_stamp())
    elif chosen.list or chosen.part:
        from impinge.kernels import compiler as kernels

        found = entries(kernels)
        if chosen.list:
            print(*(function.__name__ for function, *_ in found))
        else:
            part = lower(chosen.part[1:], Path(chosen.part[0]))
            sys.stdout.buffer.write(pickle.dumps((part.kernels, part.environments)))
    else:
        folder = chosen.folder or ROOT / "plugin" / "impinge" / "kernels"
        if not (chosen.keep and is_current(folder / module_name())):
            compile_all(folder, chosen.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
