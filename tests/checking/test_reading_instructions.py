"""What the reader knows of Python's instructions is what Python says of them."""

import argparse
import contextlib
import dataclasses
import dis
import enum
import inspect
import json.decoder
import typing
from collections.abc import Iterator, Mapping
from types import CodeType, ModuleType

import pytest

from fsmkit.checking.reading.code_state import CodeState, Outcome
from fsmkit.checking.reading.frame import SPECIAL, CodeWalk
from fsmkit.checking.reading.instructions import Instruction, code_inside, instructions_of
from fsmkit.checking.reading.known_values import UNKNOWN, CodeValue, known, objects_of

MODULES = (argparse, contextlib, dataclasses, enum, inspect, json.decoder, typing)


class Nobody:
    """Whoever a walk asks, without an answer."""

    def visits(self) -> bool:
        return True

    def assume(self, code: CodeType) -> None:
        pass

    def call(
        self,
        target: CodeValue,
        arguments: list[CodeValue],
        keywords: Mapping[str, CodeValue],
        state: CodeState,
    ) -> Outcome:
        return Outcome(UNKNOWN, frozenset(), frozenset())

    def hand_on(self, value: CodeValue) -> None:
        pass

    def read_attribute(self, owner: CodeValue, name: str, state: CodeState) -> CodeValue:
        return UNKNOWN


def code_of(module: ModuleType) -> Iterator[CodeType]:
    """The code of a module and all that is inside, compiled by the Python that runs."""
    waiting = [compile(inspect.getsource(module), module.__name__, "exec")]
    while waiting:
        code = waiting.pop()
        yield code
        waiting.extend(code_inside(code))


def change(walk: CodeWalk, instruction: Instruction) -> int | None:
    """By how much an instruction changes the height of the stack, as the reader has it."""
    if (special := SPECIAL.get(instruction.name)) is not None:
        state = CodeState([UNKNOWN] * 300)
        special(walk, instruction, state)
        return len(state.stack) - 300
    return None if instruction.effect is None else instruction.effect[1] - instruction.effect[0]


def expected(raw: dis.Instruction) -> int:
    """The same, as Python has it. In 3.11 a call is two instructions, which share the work."""
    effect = dis.stack_effect(raw.opcode, raw.arg)
    if raw.opname == "CALL" and "PRECALL" in dis.opmap:
        return effect + dis.stack_effect(dis.opmap["PRECALL"], raw.arg)
    return 0 if raw.opname == "PRECALL" else effect


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_stack_is_as_high_as_python_says(module: ModuleType) -> None:
    wrong = set()
    for code in code_of(module):
        walk = CodeWalk(Nobody(), code, {}, {}, {})
        raw = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
        for one, instruction in zip(raw, instructions_of(code), strict=True):
            found = change(walk, instruction)
            if found is not None and found != expected(one):
                wrong.add((one.opname, found, expected(one)))
    assert wrong == set()


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_branches_are_those_that_python_has(module: ModuleType) -> None:
    for code in code_of(module):
        raw = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
        for one, instruction in zip(raw, instructions_of(code), strict=True):
            is_jump = one.opcode in (*dis.hasjrel, *dis.hasjabs)
            assert (instruction.target is not None) is is_jump
            if instruction.target is not None:
                there = raw[instruction.target]
                prefixes = {
                    e.offset for e in dis.get_instructions(code) if e.opname == "EXTENDED_ARG"
                }
                assert there.offset == one.argval or one.argval in prefixes


@pytest.mark.slow
def test_most_instructions_are_known() -> None:
    unknown = {
        instruction.name
        for module in MODULES
        for code in code_of(module)
        for instruction in instructions_of(code)
        if instruction.effect is None
        and instruction.target is None
        and instruction.name not in SPECIAL
        and instruction.following is not None
    }
    assert unknown <= {
        # what only generators, class bodies, patterns and handlers of errors are made of
        "CHECK_EG_MATCH", "CHECK_EXC_MATCH", "CLEANUP_THROW", "END_SEND", "GET_YIELD_FROM_ITER",
        "LOAD_BUILD_CLASS", "MATCH_CLASS", "MATCH_KEYS", "MATCH_MAPPING", "MATCH_SEQUENCE",
        "PUSH_EXC_INFO", "RETURN_GENERATOR", "SEND", "SETUP_ANNOTATIONS", "STORE_NAME",
        "UNPACK_EX", "WITH_EXCEPT_START", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS",
        "LOAD_LOCALS", "EXIT_INIT_CHECK", "DELETE_NAME", "GET_AWAITABLE", "GET_AITER", "GET_ANEXT",
        "ASYNC_GEN_WRAP", "BEFORE_ASYNC_WITH", "END_ASYNC_FOR", "PREP_RERAISE_STAR",
    }  # fmt: skip


def test_a_subscript_is_any_member() -> None:
    code = compile("a[b]", "", "eval")
    walk = CodeWalk(Nobody(), code, {}, {}, {})
    [subscript] = [each for each in instructions_of(code) if each.name.startswith("BINARY_")]
    state = CodeState([known([change, expected]), UNKNOWN])
    SPECIAL[subscript.name](walk, subscript, state)
    assert [set(objects_of(value)) for value in state.stack] == [{change, expected}]
