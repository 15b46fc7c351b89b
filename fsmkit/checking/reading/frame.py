"""CodeWalk: a walk through one code object, instruction by instruction, along all branches."""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any, Final, Protocol

from attrs import define, evolve, field

from fsmkit.checking.reading.code_state import ANYTHING, CodeState, Keywords, Outcome
from fsmkit.checking.reading.instructions import Instruction, instructions_of, stored_names
from fsmkit.checking.reading.known_answers import chances, compared, items_of, negated
from fsmkit.checking.reading.known_values import (
    NULL,
    REST,
    UNKNOWN,
    CodeValue,
    Made,
    known,
    merged,
    objects_of,
    only,
)
from fsmkit.checking.reading.objects import constant, members_of

METHODS_ARE_MARKED: Final = sys.version_info >= (3, 12)
"""Whether `LOAD_ATTR` stands for `LOAD_METHOD`, too."""

HAS_KEYWORDS: Final = sys.version_info >= (3, 14)
"""Whether `CALL_FUNCTION_EX` always finds keywords on the stack, if only `NULL`."""

SUBSCRIPT: Final = 26
"""The argument by which `BINARY_OP` stands for `BINARY_SUBSCR`, from Python 3.14 on."""

LEAVES_ITERATOR: Final = sys.version_info >= (3, 12)
"""Whether `FOR_ITER` leaves the iterator, and something more, when it is over."""

RUNS_LATER: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""A call of such a function returns an object that runs the code later."""


class CallReader(Protocol):
    def visits(self) -> bool:
        """Count one instruction; False if there were too many."""
        ...

    def assume(self, code: CodeType) -> None:
        """Assume that a value is still the same, where a branch is chosen by it."""
        ...

    def call(
        self, target: CodeValue, arguments: list[CodeValue], keywords: Keywords, state: CodeState
    ) -> Outcome: ...

    def hand_on(self, value: CodeValue) -> None:
        """Read a function that is passed on to unknown code."""
        ...

    def read_attribute(self, owner: CodeValue, name: str, state: CodeState) -> CodeValue: ...


@define(eq=False)
class CodeWalk:
    caller: CallReader
    code: CodeType
    names: dict[str, CodeValue]
    """The parameters, as far as they are known."""
    _shared: Mapping[str, CodeValue]
    """The variables that it shares with the code around it."""
    _globals: Mapping[str, Any]
    made: list[Made] = field(factory=list, init=False)
    """The functions that the code makes and does not call itself."""
    _keywords: tuple[str, ...] = field(default=(), init=False)
    _states: dict[int, CodeState] = field(factory=dict, init=False)
    _waiting: list[int] = field(factory=list, init=False)
    _ends: list[tuple[CodeValue, CodeState]] = field(factory=list, init=False)
    _instructions: Sequence[Instruction] = field(init=False)
    _meetings: set[int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._instructions = instructions_of(self.code)
        self._meetings = {each.target for each in self._instructions if each.target is not None}

    def follow(self, begin: CodeState) -> Outcome:
        if self.code.co_flags & RUNS_LATER:
            begin = evolve(begin, is_later=True)
        self._go_to(0, evolve(begin, stack=[], names=dict(self.names)))
        self._go_on()
        for index, instruction in enumerate(self._instructions):
            if instruction.name == "PUSH_EXC_INFO":  # after an error, from wherever it came
                self._go_to(index, self._after_error(begin))
                self._go_on()
        for made in self.made:
            self.caller.hand_on(made)
        return self._outcome(begin)

    def _outcome(self, begin: CodeState) -> Outcome:
        if not self._ends:  # it always raises
            return Outcome(UNKNOWN, begin.done, begin.maybe)
        (value, end), *others = self._ends
        self.caller.hand_on(value)
        for other, state in others:
            value = merged(value, other)
            end.meet(state)
        return Outcome(value, end.done, end.maybe)

    def _after_error(self, begin: CodeState) -> CodeState:
        stored = stored_names(self.code)
        names = {name: value for name, value in self.names.items() if name not in stored}
        return evolve(begin, stack=[], names=names, maybe=begin.maybe | {ANYTHING})

    def _go_to(self, index: int, state: CodeState) -> None:
        there = self._states.get(index)
        if there is None:
            self._states[index] = state
        elif not there.meet(state):
            return
        self._waiting.append(index)

    def _go_on(self) -> None:
        while self._waiting:
            begin = self._waiting.pop()
            state = self._states[begin].copy()
            index: int | None = begin
            while index is not None and self.caller.visits():
                index = self._step(self._instructions[index], state)
                if index is not None and index in self._meetings:
                    self._go_to(index, state)
                    break

    def _step(self, instruction: Instruction, state: CodeState) -> int | None:
        """Carry out an instruction; return the index of the next one, None if it ends here."""
        if instruction.target is not None:
            return self._jump(instruction, state)
        if instruction.name in ("RETURN_VALUE", "RETURN_CONST"):
            is_constant = instruction.name == "RETURN_CONST"
            value = known(instruction.value) if is_constant else state.pop()
            self._ends.append((value, state))
        else:
            self.carry_out(instruction, state)
        return instruction.following

    # Branches

    def _jump(self, instruction: Instruction, state: CodeState) -> int | None:
        """Go to where an instruction may jump; return where it leads if it does not."""
        name, target = instruction.name, instruction.target
        assert target is not None
        if instruction.following is None:
            self._go_to(target, state)
            return None
        beside = state.copy()
        may_jump, may_stay = True, True
        if name.startswith("POP_JUMP"):
            value = state.pop()
            may_jump, may_stay = chances(name, value)
            if may_jump is not may_stay and any(one is not None for one in objects_of(value)):
                self.caller.assume(self.code)
            beside.pop()
        elif name == "FOR_ITER":
            iterated = state.stack[-1] if state.stack else UNKNOWN
            state.push(items_of(iterated))
            if LEAVES_ITERATOR:
                beside.push(UNKNOWN)
            else:
                beside.pop()
        elif name.startswith("JUMP_IF") and name.endswith("_OR_POP"):
            state.pop()
        else:
            state.forget(name)
            beside.forget(name)
        if may_jump:
            self._go_to(target, beside)
        return instruction.following if may_stay else None

    # Instructions that lead straight on

    def carry_out(self, instruction: Instruction, state: CodeState) -> None:
        if (special := SPECIAL.get(instruction.name)) is not None:
            special(self, instruction, state)
        elif instruction.effect is not None:
            taken, put = instruction.effect
            for value in state.take(taken):
                self.caller.hand_on(value)
            state.push(*[UNKNOWN] * put)
        else:
            state.forget(instruction.name)

    def _load_constant(self, instruction: Instruction, state: CodeState) -> None:
        state.push(known(instruction.value))

    def _load_variable(self, instruction: Instruction, state: CodeState) -> None:
        state.push(*(self._variable(name, state) for name in _names(instruction)))

    def _load_and_clear(self, instruction: Instruction, state: CodeState) -> None:
        name = str(instruction.value)
        state.push(state.names.pop(name, UNKNOWN))

    def _store_variable(self, instruction: Instruction, state: CodeState) -> None:
        for name in _names(instruction):
            self._store(name, state)

    def _store_and_load(self, instruction: Instruction, state: CodeState) -> None:
        stored, loaded = _names(instruction)
        self._store(stored, state)
        state.push(self._variable(loaded, state))

    def _store(self, name: str, state: CodeState) -> None:
        value = state.pop()
        if value is UNKNOWN or value is NULL:
            state.names.pop(name, None)
        else:
            state.names[name] = value

    def _delete_variable(self, instruction: Instruction, state: CodeState) -> None:
        state.names.pop(str(instruction.value), None)

    def _variable(self, name: str, state: CodeState) -> CodeValue:
        if name in self.code.co_freevars:
            is_changed = name in stored_names(self.code)
            return UNKNOWN if is_changed else self._shared.get(name, UNKNOWN)
        if name in self.code.co_cellvars and self._is_changed_inside(name):
            return UNKNOWN
        return state.name(name)

    def _is_changed_inside(self, name: str) -> bool:
        """Return True if a variable is set by a function inside, or more than once."""
        is_parameter = name in self.names
        return stored_names(self.code).get(name, 0) > (0 if is_parameter else 1)

    def _load_global(self, instruction: Instruction, state: CodeState) -> None:
        if instruction.name == "LOAD_GLOBAL" and instruction.argument & 1:
            state.push(NULL)
        name = str(instruction.value)
        value = self._globals.get(name, vars(builtins).get(name, UNKNOWN))
        state.push(constant(name, value))

    def _load_attribute(self, instruction: Instruction, state: CodeState) -> None:
        owner, name = state.pop(), str(instruction.value)
        if instruction.name == "LOAD_METHOD" or (METHODS_ARE_MARKED and instruction.argument & 1):
            state.push(NULL)
        state.push(self.caller.read_attribute(owner, name, state))

    def _load_attribute_of_super(self, instruction: Instruction, state: CodeState) -> None:
        kind, owner = state.take(3)[1:]
        if instruction.argument & 1:
            state.push(NULL)
        above = _super(only(kind, type), owner)
        state.push(self.caller.read_attribute(above, str(instruction.value), state))

    def _compare(self, instruction: Instruction, state: CodeState) -> None:
        a, b = state.take(2)
        state.push(compared(f"{instruction.name} {instruction.value}", a, b))

    def _negate(self, _instruction: Instruction, state: CodeState) -> None:
        state.push(negated(state.pop()))

    def _operate(self, instruction: Instruction, state: CodeState) -> None:
        if instruction.argument == SUBSCRIPT:
            self._subscript(instruction, state)
        else:
            for value in state.take(2):
                self.caller.hand_on(value)
            state.push(UNKNOWN)

    def _subscript(self, _instruction: Instruction, state: CodeState) -> None:
        container, _ = state.take(2)
        state.push(members_of(container))

    def _push_null(self, _instruction: Instruction, state: CodeState) -> None:
        state.push(NULL)

    def _copy(self, instruction: Instruction, state: CodeState) -> None:
        depth = instruction.argument
        state.push(state.stack[-depth] if depth <= len(state.stack) else UNKNOWN)

    def _swap(self, instruction: Instruction, state: CodeState) -> None:
        upper = state.take(instruction.argument)
        upper[0], upper[-1] = upper[-1], upper[0]
        state.push(*upper)

    def _leave(self, _instruction: Instruction, _state: CodeState) -> None:
        """Leave a value as it is: made a bool, or an iterator."""

    def _build_tuple(self, instruction: Instruction, state: CodeState) -> None:
        for value in state.take(instruction.argument):
            self.caller.hand_on(value)
        state.push(UNKNOWN)

    def _make_function(self, instruction: Instruction, state: CodeState) -> None:
        code = only(state.pop(), CodeType)
        state.take(instruction.argument.bit_count())
        if code is None:
            state.push(UNKNOWN)
            return
        variables = {name: self._variable(name, state) for name in code.co_freevars}
        made = Made(code, variables, self._globals)
        self.made.append(made)
        state.push(made)

    def _set_function_attribute(self, _instruction: Instruction, state: CodeState) -> None:
        made = state.pop()
        state.pop()
        state.push(made)

    # Calls

    def _name_keywords(self, instruction: Instruction, _state: CodeState) -> None:
        names: Any = instruction.value
        self._keywords = names

    def _call(self, instruction: Instruction, state: CodeState) -> None:
        names = self._keywords
        self._keywords = ()
        if instruction.name == "CALL_KW":
            names = only(state.pop(), tuple)
        arguments = state.take(instruction.argument)
        target, owner = _target(state)
        if names is None:
            self._enter(target, [*owner, REST], {}, state)
            return
        count = len(arguments) - len(names)
        keywords = dict(zip(names, arguments[count:], strict=True))
        self._enter(target, [*owner, *arguments[:count]], keywords, state)

    def _call_with_any(self, instruction: Instruction, state: CodeState) -> None:
        for value in state.take(2 if HAS_KEYWORDS else 1 + (instruction.argument & 1)):
            self.caller.hand_on(value)
        target, owner = _target(state)
        self._enter(target, [*owner, REST], {}, state)

    def _enter(
        self, target: CodeValue, arguments: list[CodeValue], keywords: Keywords, state: CodeState
    ) -> None:
        if only(target, type) is super and not arguments:
            state.push(self._plain_super(state))
            return
        self.made = [made for made in self.made if made is not target]
        outcome = self.caller.call(target, arguments, keywords, state)
        state.done, state.maybe = outcome.done, outcome.maybe
        state.push(outcome.value)

    def _plain_super(self, state: CodeState) -> CodeValue:
        first = self.code.co_varnames[:1]
        owner = self._variable(first[0], state) if first else UNKNOWN
        return _super(only(self._shared.get("__class__", UNKNOWN), type), owner)


def _target(state: CodeState) -> tuple[CodeValue, list[CodeValue]]:
    lower, upper = state.take(2)
    if lower is NULL:
        return upper, []
    return (lower, []) if upper is NULL else (lower, [upper])


def _super(kind: type | None, owner: CodeValue) -> CodeValue:
    objects = objects_of(owner)
    if kind is None or not objects or not all(isinstance(one, kind) for one in objects):
        return UNKNOWN
    return known(*(super(kind, one) for one in objects))


def _names(instruction: Instruction) -> tuple[str, ...]:
    value: Any = instruction.value
    return value if isinstance(value, tuple) else (value,)


SPECIAL: Final[Mapping[str, Callable[[CodeWalk, Instruction, CodeState], None]]] = {
    name: method
    for method, names in (
        (CodeWalk._load_constant, "LOAD_CONST LOAD_SMALL_INT"),
        (CodeWalk._load_variable, "LOAD_FAST LOAD_FAST_CHECK LOAD_DEREF LOAD_CLASSDEREF"),
        (CodeWalk._load_variable, "LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW"),
        (CodeWalk._load_variable, "LOAD_FAST_BORROW_LOAD_FAST_BORROW"),
        (CodeWalk._load_and_clear, "LOAD_FAST_AND_CLEAR"),
        (CodeWalk._store_variable, "STORE_FAST STORE_DEREF STORE_FAST_STORE_FAST"),
        (CodeWalk._store_and_load, "STORE_FAST_LOAD_FAST"),
        (CodeWalk._delete_variable, "DELETE_FAST DELETE_DEREF"),
        (CodeWalk._load_global, "LOAD_GLOBAL LOAD_NAME"),
        (CodeWalk._load_attribute, "LOAD_ATTR LOAD_METHOD"),
        (CodeWalk._load_attribute_of_super, "LOAD_SUPER_ATTR"),
        (CodeWalk._compare, "COMPARE_OP IS_OP CONTAINS_OP"),
        (CodeWalk._negate, "UNARY_NOT"),
        (CodeWalk._operate, "BINARY_OP"),
        (CodeWalk._subscript, "BINARY_SUBSCR"),
        (CodeWalk._push_null, "PUSH_NULL"),
        (CodeWalk._copy, "COPY"),
        (CodeWalk._swap, "SWAP"),
        (CodeWalk._leave, "TO_BOOL GET_ITER"),
        (CodeWalk._build_tuple, "BUILD_TUPLE"),
        (CodeWalk._make_function, "MAKE_FUNCTION"),
        (CodeWalk._set_function_attribute, "SET_FUNCTION_ATTRIBUTE"),
        (CodeWalk._name_keywords, "KW_NAMES"),
        (CodeWalk._call, "CALL CALL_KW"),
        (CodeWalk._call_with_any, "CALL_FUNCTION_EX"),
    )
    for name in names.split()
}
"""The instructions that are carried out by a method each; others are known by their effect."""
