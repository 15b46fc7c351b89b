"""Instructions: those of a code object, and how the simple ones change the stack.

Python's instructions change from version to version. Those that no table here knows are taken to
do anything to the stack: with a new version, a reading knows less, but nothing false.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Final

from attrs import frozen

_EFFECTS: Final[dict[tuple[int, int], str]] = {
    (0, 0): "NOP RESUME PRECALL KW_NAMES MAKE_CELL COPY_FREE_VARS NOT_TAKEN DELETE_GLOBAL",
    (0, 1): "GET_LEN LOAD_ASSERTION_ERROR LOAD_COMMON_CONSTANT IMPORT_FROM LOAD_CLOSURE",
    (1, 0): (
        "POP_TOP POP_ITER POP_EXCEPT STORE_GLOBAL DELETE_ATTR LIST_APPEND LIST_EXTEND SET_ADD "
        "SET_UPDATE DICT_UPDATE DICT_MERGE"
    ),
    (1, 1): (
        "UNARY_NEGATIVE UNARY_POSITIVE UNARY_INVERT UNARY_NOT LIST_TO_TUPLE FORMAT_SIMPLE "
        "CONVERT_VALUE CALL_INTRINSIC_1 YIELD_VALUE"
    ),
    (1, 2): "BEFORE_WITH LOAD_SPECIAL",
    (2, 0): "DELETE_SUBSCR STORE_ATTR MAP_ADD",
    (2, 1): "COMPARE_OP IS_OP CONTAINS_OP FORMAT_WITH_SPEC IMPORT_NAME CALL_INTRINSIC_2",
    (3, 0): "STORE_SUBSCR",
    (3, 1): "BINARY_SLICE",
    (4, 0): "STORE_SLICE",
}
"""How many values they take from the stack, and how many unknown ones they put on it -> names."""

_FIXED: Final = {name: effect for effect, names in _EFFECTS.items() for name in names.split()}

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
