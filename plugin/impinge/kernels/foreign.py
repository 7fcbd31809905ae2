"""C functions of another engine, called by their addresses for many of its objects at once.

A call through an extension module of Python takes 100 to 250 ns, most of it for the objects that it makes; here it
takes 4. An object is the address of a C structure, which the caller keeps alive.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from impinge.kernels import columns as col
from impinge.kernels import examples
from impinge.kernels.arrays import Floats, Ints
from impinge.kernels.compiler import MODE, kernel

# Types of C, in programs of 64 bits. A vector is a structure of two doubles, and words are one of two such numbers.
Kind: TypeAlias = Literal["nothing", "double", "int", "char", "address", "vector", "words"]

HALF_WORD = 32
LOW_HALF = (1 << HALF_WORD) - 1


class Vector(ctypes.Structure):
    """Two doubles."""

    _fields_ = (("first", ctypes.c_double), ("second", ctypes.c_double))


class Words(ctypes.Structure):
    """Two words."""

    _fields_ = (("first", ctypes.c_int64), ("second", ctypes.c_int64))


def python_call(result: Kind, *more: Kind) -> Callable[..., Any]:
    """Return a function for Python that calls an address with an object, and with more arguments."""
    types: dict[Kind, Any] = {"double": ctypes.c_double, "int": ctypes.c_int32, "char": ctypes.c_uint8}
    types |= {"nothing": None, "address": ctypes.c_void_p, "vector": Vector, "words": Words}
    prototype = ctypes.CFUNCTYPE(types[result], ctypes.c_void_p, *(types[kind] for kind in more))

    def call(function: int, subject: int, *given: Any) -> Any:
        made: dict[Kind, Callable[[Any], Any]] = {"vector": lambda each: Vector(*each), "address": int}
        told = [made.get(kind, float)(each) for kind, each in zip(more, given, strict=True)]
        answer = prototype(int(function))(int(subject), *told)
        return (answer.first, answer.second) if result in ("vector", "words") else answer

    return call


def compiled_call(result: Kind, *more: Kind) -> Any:
    """Return the same for Numba.

    LLVM passes and returns pairs of numbers as C compilers do with structures of two doubles or words, on x86-64
    (System V) and on AArch64: in two registers. Windows on x86-64 passes and returns these structures by address.
    """
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    builders, kinds = cast(Any, cgutils), cast(Any, types)
    is_by_address = sys.platform == "win32" and platform.machine() == "AMD64"
    word, double = ir.IntType(64), ir.DoubleType()
    pairs = {"vector": kinds.UniTuple(types.float64, 2), "words": kinds.UniTuple(types.int64, 2)}
    numbers = {"nothing": types.none, "double": types.float64} | pairs
    of_c = {"nothing": ir.VoidType(), "double": double, "int": ir.IntType(32), "char": ir.IntType(8)}
    of_c |= {"vector": ir.LiteralStructType([double] * 2), "words": ir.LiteralStructType([word] * 2)}
    parameters = [numbers.get(kind, types.int64) for kind in more]
    signature = numbers.get(result, types.int64)(types.int64, types.int64, *parameters)

    def code(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        address, subject, *given = arguments
        passed = [subject]
        for kind, value in zip(more, given, strict=True):
            if kind != "vector":
                passed.append(value)
            elif is_by_address:
                passed.append(builders.alloca_once_value(builder, value))
            else:
                passed += builders.unpack_tuple(builder, value)
        told = of_c[result]
        place = builders.alloca_once(builder, told) if is_by_address and result in pairs else None
        if place is not None:
            passed, told = [place, *passed], ir.VoidType()
        function = ir.FunctionType(told, [each.type for each in passed]).as_pointer()
        answer = builder.call(builder.inttoptr(address, function), passed)
        if place is not None:
            answer = builder.load(place)
        if result in pairs:
            return context.make_tuple(builder, pairs[result], builders.unpack_tuple(builder, answer, 2))
        if result == "nothing":
            return context.get_dummy_value()
        return {"int": builder.sext, "char": builder.zext}[result](answer, word) if result != "double" else answer

    def typed(typing: Any, function: Any, subject: Any) -> Any:
        return signature, code

    def typed_with_one(typing: Any, function: Any, subject: Any, second: Any) -> Any:
        return signature, code

    def typed_with_two(typing: Any, function: Any, subject: Any, second: Any, third: Any) -> Any:
        return signature, code

    return intrinsic((typed, typed_with_one, typed_with_two)[len(more)])


call = compiled_call if MODE == "jit" else python_call
double_of, int_of, char_of = call("double"), call("int"), call("char")
vector_of, words_of = call("vector"), call("words")
set_double, set_vector, vector_to = call("nothing", "double"), call("nothing", "vector"), call("vector", "vector")
tell, tell_two = call("nothing", "address"), call("nothing", "address", "address")


def _read_example() -> tuple[Ints, Ints, Ints, Floats]:
    return examples.ints(col.GETTER_COLUMNS), np.zeros(1, np.int64), examples.ints(0), examples.floats(0)


@kernel(_read_example)
def read_objects(functions: Ints, objects: Ints, ints: Ints, floats: Floats) -> None:
    """Write what functions return for objects.

    Parameters
    ----------
    functions : (k, GETTER_COLUMNS)
        Address and result of each.
    objects : (n,)
        Addresses.
    ints, floats : (n, i), (n, f)
        Written, in the order of the functions: doubles and vectors as one and two floats, chars and ints as an int,
        and of words the first one, and both halves of the second one.
    """
    for row in range(objects.shape[0]):
        subject, whole, broken, i, f = objects[row], ints[row], floats[row], 0, 0
        for number in range(functions.shape[0]):
            function, result = functions[number, col.GETTER_ADDRESS], functions[number, col.GETTER_RESULT]
            if result == col.IS_DOUBLE:
                broken[f] = double_of(function, subject)
                f += 1
            elif result == col.IS_VECTOR:
                broken[f], broken[f + 1] = vector_of(function, subject)
                f += 2
            elif result == col.IS_INT:
                whole[i] = int_of(function, subject)
                i += 1
            elif result == col.IS_CHAR:
                whole[i] = char_of(function, subject)
                i += 1
            else:
                whole[i], halves = words_of(function, subject)
                whole[i + 1], whole[i + 2] = halves & LOW_HALF, (halves >> HALF_WORD) & LOW_HALF
                i += 3


def _tell_example() -> tuple[int, Ints, int, int]:
    return 0, np.zeros(1, np.int64), 0, 0


@kernel(_tell_example)
def tell_each(function: int, objects: Ints, second: int, third: int) -> None:
    """Call a function for each object with two more addresses."""
    for row in range(objects.shape[0]):
        tell_two(function, objects[row], second, third)
