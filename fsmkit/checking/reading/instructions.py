"""Instructions: those of a code object, and how the simple ones change the stack.

Python's instructions change from version to version. Those that no table here knows are taken to
do anything to the stack, so a new version makes a reading know less, and never wrong.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Final

from attrs import frozen

_FIXED: Final = {
    "NOP": (0, 0),
    "RESUME": (0, 0),
    "PRECALL": (0, 0),
    "KW_NAMES": (0, 0),
    "MAKE_CELL": (0, 0),
    "COPY_FREE_VARS": (0, 0),
    "NOT_TAKEN": (0, 0),
    "POP_TOP": (1, 0),
    "POP_ITER": (1, 0),
    "POP_EXCEPT": (1, 0),
    "UNARY_NEGATIVE": (1, 1),
    "UNARY_POSITIVE": (1, 1),
    "UNARY_INVERT": (1, 1),
    "UNARY_NOT": (1, 1),
    "BINARY_SLICE": (3, 1),
    "COMPARE_OP": (2, 1),
    "IS_OP": (2, 1),
    "CONTAINS_OP": (2, 1),
    "STORE_SUBSCR": (3, 0),
    "STORE_SLICE": (4, 0),
    "DELETE_SUBSCR": (2, 0),
    "STORE_GLOBAL": (1, 0),
    "STORE_ATTR": (2, 0),
    "DELETE_ATTR": (1, 0),
    "DELETE_GLOBAL": (0, 0),
    "LIST_APPEND": (1, 0),
    "LIST_EXTEND": (1, 0),
    "SET_ADD": (1, 0),
    "SET_UPDATE": (1, 0),
    "DICT_UPDATE": (1, 0),
    "DICT_MERGE": (1, 0),
    "MAP_ADD": (2, 0),
    "LIST_TO_TUPLE": (1, 1),
    "FORMAT_SIMPLE": (1, 1),
    "FORMAT_WITH_SPEC": (2, 1),
    "CONVERT_VALUE": (1, 1),
    "GET_LEN": (0, 1),
    "LOAD_ASSERTION_ERROR": (0, 1),
    "LOAD_COMMON_CONSTANT": (0, 1),
    "IMPORT_NAME": (2, 1),
    "IMPORT_FROM": (0, 1),
    "BEFORE_WITH": (1, 2),
    "LOAD_SPECIAL": (1, 2),
    "LOAD_CLOSURE": (0, 1),
    "CALL_INTRINSIC_1": (1, 1),
    "CALL_INTRINSIC_2": (2, 1),
    "YIELD_VALUE": (1, 1),
}
"""Instruction -> how many values it takes from the stack, and how many unknown ones it puts on."""

_BY_ARGUMENT: Final = {
    "BUILD_LIST": (1, 1),
    "BUILD_SET": (1, 1),
    "BUILD_STRING": (1, 1),
    "BUILD_SLICE": (1, 1),
    "BUILD_MAP": (2, 1),
}
"""Instruction -> how many values it takes for each unit of its argument; how many it puts on."""

_ENDS: Final = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"}
_ALWAYS_JUMPS: Final = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}
_JUMPS: Final = frozenset((*dis.hasjrel, *dis.hasjabs))


@frozen
class Instruction:
    """One instruction of a code object."""

    name: str
    argument: int
    value: object
    """What the argument stands for: a constant, or the names of variables and attributes."""
    following: int | None
    """The index of the instruction after it; None if nothing ever goes there from here."""
    target: int | None
    """The index of the instruction that it may jump to."""
    effect: tuple[int, int] | None
    """How many values it takes from the stack and puts on it; None if that is not known."""


@lru_cache(maxsize=1024)
def instructions_of(code: CodeType) -> tuple[Instruction, ...]:
    """Return the instructions of a code object, in order."""
    raw = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    places = dict(_places(code))
    return tuple(
        Instruction(
            each.opname,
            each.arg or 0,
            code.co_consts[each.arg or 0] if each.opname == "KW_NAMES" else each.argval,
            None if each.opname in _ENDS | _ALWAYS_JUMPS else index + 1,
            places.get(each.argval) if each.opcode in _JUMPS else None,
            _effect(each),
        )
        for index, each in enumerate(raw)
    )


@lru_cache(maxsize=1024)
def stored_names(code: CodeType) -> dict[str, int]:
    """Return how many instructions of a code object, or of code inside it, set each variable."""
    counts: dict[str, int] = {}
    for each in dis.get_instructions(code):
        if each.opname.startswith(("STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF")):
            names = each.argval if isinstance(each.argval, tuple) else (each.argval,)
            for name in names:
                counts[name] = counts.get(name, 0) + 1
    for inner in code_inside(code):
        for name, count in stored_names(inner).items():
            if name in inner.co_freevars:
                counts[name] = counts.get(name, 0) + count + 1
    return counts


def code_inside(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions that are defined directly in a code object."""
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _places(code: CodeType) -> Iterator[tuple[int, int]]:
    """Yield offset -> index, also for the offsets of prefixes, which a jump may lead to."""
    index = 0
    for each in dis.get_instructions(code):
        yield each.offset, index
        if each.opname != "EXTENDED_ARG":
            index += 1


def _effect(instruction: dis.Instruction) -> tuple[int, int] | None:
    name, argument = instruction.opname, instruction.arg or 0
    if name in _FIXED:
        return _FIXED[name]
    if name in _BY_ARGUMENT:
        taken, put = _BY_ARGUMENT[name]
        return taken * argument, put
    match name:
        case "BUILD_CONST_KEY_MAP":
            return argument + 1, 1
        case "UNPACK_SEQUENCE":
            return 1, argument
        case "FORMAT_VALUE":
            return 2 if argument & 4 else 1, 1
        case "END_FOR":
            return -dis.stack_effect(instruction.opcode, instruction.arg), 0
    return None
