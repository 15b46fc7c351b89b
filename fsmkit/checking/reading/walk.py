"""Walk: the way through one code object, instruction by instruction."""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, Protocol

from fsmkit.checking.reading.instructions import Instruction, instructions_of, stored_names
from fsmkit.checking.reading.moment import ANYTHING, Moment, Outcome
from fsmkit.checking.reading.objects import constant, members_of
from fsmkit.checking.reading.values import (
    NULL,
    REST,
    UNKNOWN,
    Made,
    Value,
    known,
    merged,
    objects_of,
    only,
)

LEAVES_ITERATOR: Final = sys.version_info >= (3, 12)
"""Whether `FOR_ITER` leaves the iterator, and something more, when it is over."""
METHODS_ARE_MARKED: Final = sys.version_info >= (3, 12)
"""Whether `LOAD_ATTR` stands for `LOAD_METHOD`, too."""

RUNS_LATER: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""A call of such a function makes something that runs the code later."""

MOST_ITEMS: Final = 8


class Caller(Protocol):
    """Whoever reads what a walk comes across."""

    def visits(self) -> bool:
        """Count one instruction; False if there were too many."""
        ...

    def call(
        self,
        target: Value,
        arguments: list[Value],
        keywords: Mapping[str, Value],
        moment: Moment,
        *,
        is_later: bool,
    ) -> Outcome:
        """Read a call."""
        ...

    def hand_on(self, value: Value) -> None:
        """Read a function that is handed on."""
        ...

    def read_attribute(self, owner: Value, name: str, moment: Moment) -> Value:
        """Return what an attribute is."""
        ...


class Walk:
    """A walk through a code object, along all of its ways."""

    def __init__(
        self,
        caller: Caller,
        code: CodeType,
        names: dict[str, Value],
        shared: Mapping[str, Value],
        variables: Mapping[str, Any],
        *,
        is_later: bool,
    ) -> None:
        self.code = code
        self._caller = caller
        self._names = names
        self._shared = shared
        self._globals = variables
        self._is_later = is_later or bool(code.co_flags & RUNS_LATER)
        self._instructions = instructions_of(code)
        self._meetings = {each.target for each in self._instructions if each.target is not None}
        self._moments: dict[int, Moment] = {}
        self._waiting: list[int] = []
        self._ends: list[tuple[Value, Moment]] = []
        self._made: list[Made] = []
        self._keywords: tuple[str, ...] = ()

    def follow(self, begin: Moment) -> Outcome:
        """Go all ways, beginning with what has been done at `begin`; return what comes of it."""
        self._go_to(0, Moment([], dict(self._names), begin.done, begin.maybe))
        self._go_on()
        for index, instruction in enumerate(self._instructions):
            if instruction.name == "PUSH_EXC_INFO":  # after an error, from wherever it came
                self._go_to(index, self._after_error(begin))
                self._go_on()
        for made in self._made:
            self._caller.hand_on(made)
        return self._outcome(begin)

    def _outcome(self, begin: Moment) -> Outcome:
        if not self._ends:  # it always raises
            return Outcome(UNKNOWN, begin.done, begin.maybe)
        (value, end), *others = self._ends
        self._caller.hand_on(value)
        for other, moment in others:
            value = merged(value, other)
            end.meet(moment)
        return Outcome(value, end.done, end.maybe)

    def _after_error(self, begin: Moment) -> Moment:
        stored = stored_names(self.code)
        names = {name: value for name, value in self._names.items() if name not in stored}
        return Moment([], names, begin.done, begin.maybe | {ANYTHING})

    def _go_to(self, index: int, moment: Moment) -> None:
        there = self._moments.get(index)
        if there is None:
            self._moments[index] = moment
        elif not there.meet(moment):
            return
        self._waiting.append(index)

    def _go_on(self) -> None:
        while self._waiting:
            begin = self._waiting.pop()
            moment = self._moments[begin].copy()
            index: int | None = begin
            while index is not None and self._caller.visits():
                index = self._step(self._instructions[index], moment)
                if index is not None and index in self._meetings:
                    self._go_to(index, moment)
                    break

    def _step(self, instruction: Instruction, moment: Moment) -> int | None:
        """Carry out an instruction; return the index of the next one, None if it ends here."""
        if instruction.target is not None:
            return self._jump(instruction, moment)
        if instruction.name in ("RETURN_VALUE", "RETURN_CONST"):
            is_constant = instruction.name == "RETURN_CONST"
            value = known(instruction.value) if is_constant else moment.pop()
            self._ends.append((value, moment))
        elif (special := SPECIAL.get(instruction.name)) is not None:
            special(self, instruction, moment)
        elif instruction.effect is not None:
            taken, put = instruction.effect
            for value in moment.take(taken):
                self._caller.hand_on(value)
            moment.push(*[UNKNOWN] * put)
        else:
            moment.forget(instruction.name)
        return instruction.following

    # Ways that part

    def _jump(self, instruction: Instruction, moment: Moment) -> int | None:
        """Go to where an instruction may jump; return where it leads if it does not."""
        name, target = instruction.name, instruction.target
        assert target is not None
        if instruction.following is None:
            self._go_to(target, moment)
            return None
        beside = moment.copy()
        may_jump, may_stay = True, True
        if name.startswith("POP_JUMP"):
            may_jump, may_stay = _chances(name, moment.pop())
            beside.pop()
        elif name == "FOR_ITER":
            iterated = moment.stack[-1] if moment.stack else UNKNOWN
            moment.push(_items(iterated))
            if LEAVES_ITERATOR:
                beside.push(UNKNOWN)
            else:
                beside.pop()
        elif name.startswith("JUMP_IF") and name.endswith("_OR_POP"):
            moment.pop()
        else:
            moment.forget(name)
            beside.forget(name)
        if may_jump:
            self._go_to(target, beside)
        return instruction.following if may_stay else None

    # Instructions that need more than their effect on the stack

    def _load_constant(self, instruction: Instruction, moment: Moment) -> None:
        moment.push(known(instruction.value))

    def _load_variable(self, instruction: Instruction, moment: Moment) -> None:
        moment.push(*(self._variable(name, moment) for name in _names(instruction)))

    def _load_and_clear(self, instruction: Instruction, moment: Moment) -> None:
        name = str(instruction.value)
        moment.push(moment.names.pop(name, UNKNOWN))

    def _store_variable(self, instruction: Instruction, moment: Moment) -> None:
        for name in _names(instruction):
            self._store(name, moment)

    def _store_and_load(self, instruction: Instruction, moment: Moment) -> None:
        stored, loaded = _names(instruction)
        self._store(stored, moment)
        moment.push(self._variable(loaded, moment))

    def _store(self, name: str, moment: Moment) -> None:
        value = moment.pop()
        if value is UNKNOWN or value is NULL:
            moment.names.pop(name, None)
        else:
            moment.names[name] = value

    def _delete_variable(self, instruction: Instruction, moment: Moment) -> None:
        moment.names.pop(str(instruction.value), None)

    def _variable(self, name: str, moment: Moment) -> Value:
        if name in self.code.co_freevars:
            is_changed = name in stored_names(self.code)
            return UNKNOWN if is_changed else self._shared.get(name, UNKNOWN)
        if name in self.code.co_cellvars and self._is_changed_inside(name):
            return UNKNOWN
        return moment.name(name)

    def _is_changed_inside(self, name: str) -> bool:
        """Return True if a variable is set by a function inside, or more than once."""
        is_parameter = name in self._names
        return stored_names(self.code).get(name, 0) > (0 if is_parameter else 1)

    def _load_global(self, instruction: Instruction, moment: Moment) -> None:
        if instruction.name == "LOAD_GLOBAL" and instruction.argument & 1:
            moment.push(NULL)
        name = str(instruction.value)
        value = self._globals.get(name, vars(builtins).get(name, UNKNOWN))
        moment.push(constant(name, value))

    def _load_attribute(self, instruction: Instruction, moment: Moment) -> None:
        owner, name = moment.pop(), str(instruction.value)
        if instruction.name == "LOAD_METHOD" or (METHODS_ARE_MARKED and instruction.argument & 1):
            moment.push(NULL)
        moment.push(self._caller.read_attribute(owner, name, moment))

    def _load_attribute_of_super(self, instruction: Instruction, moment: Moment) -> None:
        kind, owner = moment.take(3)[1:]
        if instruction.argument & 1:
            moment.push(NULL)
        above = _super(only(kind, type), owner)
        moment.push(self._caller.read_attribute(above, str(instruction.value), moment))

    def _subscript(self, instruction: Instruction, moment: Moment) -> None:  # noqa: ARG002  # as all
        container, _ = moment.take(2)
        moment.push(members_of(container))

    def _push_null(self, instruction: Instruction, moment: Moment) -> None:  # noqa: ARG002  # as all
        moment.push(NULL)

    def _copy(self, instruction: Instruction, moment: Moment) -> None:
        depth = instruction.argument
        moment.push(moment.stack[-depth] if depth <= len(moment.stack) else UNKNOWN)

    def _swap(self, instruction: Instruction, moment: Moment) -> None:
        upper = moment.take(instruction.argument)
        upper[0], upper[-1] = upper[-1], upper[0]
        moment.push(*upper)

    def _leave(self, instruction: Instruction, moment: Moment) -> None:
        """Leave a value as it is: made a bool, or an iterator."""

    def _build_tuple(self, instruction: Instruction, moment: Moment) -> None:
        for value in moment.take(instruction.argument):
            self._caller.hand_on(value)
        moment.push(UNKNOWN)

    def _make_function(self, instruction: Instruction, moment: Moment) -> None:
        code = only(moment.pop(), CodeType)
        moment.take(instruction.argument.bit_count())
        if code is None:
            moment.push(UNKNOWN)
            return
        variables = {name: self._variable(name, moment) for name in code.co_freevars}
        made = Made(code, variables, self._globals)
        self._made.append(made)
        moment.push(made)

    def _set_function_attribute(self, instruction: Instruction, moment: Moment) -> None:  # noqa: ARG002  # as all
        made = moment.pop()
        moment.pop()
        moment.push(made)

    # Calls

    def _name_keywords(self, instruction: Instruction, moment: Moment) -> None:  # noqa: ARG002  # as all
        names: Any = instruction.value
        self._keywords = names

    def _call(self, instruction: Instruction, moment: Moment) -> None:
        names = self._keywords
        self._keywords = ()
        if instruction.name == "CALL_KW":
            names = only(moment.pop(), tuple)
        arguments = moment.take(instruction.argument)
        target, owner = _target(moment)
        if names is None:
            self._enter(target, [*owner, REST], {}, moment)
            return
        count = len(arguments) - len(names)
        keywords = dict(zip(names, arguments[count:], strict=True))
        self._enter(target, [*owner, *arguments[:count]], keywords, moment)

    def _call_with_any(self, instruction: Instruction, moment: Moment) -> None:
        for value in moment.take(1 + (instruction.argument & 1)):
            self._caller.hand_on(value)
        target, owner = _target(moment)
        self._enter(target, [*owner, REST], {}, moment)

    def _enter(
        self,
        target: Value,
        arguments: list[Value],
        keywords: Mapping[str, Value],
        moment: Moment,
    ) -> None:
        if only(target, type) is super and not arguments:
            moment.push(self._plain_super(moment))
            return
        self._made = [made for made in self._made if made is not target]
        outcome = self._caller.call(target, arguments, keywords, moment, is_later=self._is_later)
        moment.done, moment.maybe = outcome.done, outcome.maybe
        moment.push(outcome.value)

    def _plain_super(self, moment: Moment) -> Value:
        """Return what `super()` is in a method."""
        first = self.code.co_varnames[:1]
        owner = self._variable(first[0], moment) if first else UNKNOWN
        return _super(only(self._shared.get("__class__", UNKNOWN), type), owner)


def _target(moment: Moment) -> tuple[Value, list[Value]]:
    """Take from the stack what is called, and its `self` if it has one beside it."""
    lower, upper = moment.take(2)
    if lower is NULL:
        return upper, []
    return (lower, []) if upper is NULL else (lower, [upper])


def _super(kind: type | None, owner: Value) -> Value:
    objects = objects_of(owner)
    if kind is None or not objects or not all(isinstance(one, kind) for one in objects):
        return UNKNOWN
    return known(*(super(kind, one) for one in objects))


def _names(instruction: Instruction) -> tuple[str, ...]:
    value: Any = instruction.value
    return value if isinstance(value, tuple) else (value,)


def _items(iterated: Value) -> Value:
    """Return one of the items of a constant tuple."""
    items = only(iterated, tuple)
    is_plain = items and len(items) <= MOST_ITEMS and all(isinstance(i, str) for i in items)
    return known(*dict.fromkeys(items)) if is_plain else UNKNOWN


def _chances(name: str, value: Value) -> tuple[bool, bool]:
    """Return whether a conditional jump may jump, and whether it may not."""
    objects = objects_of(value)
    nones = [one is None for one in objects]
    functions = [isinstance(one, (FunctionType, MethodType)) for one in objects]
    if name.endswith(("IF_NONE", "IF_NOT_NONE")):
        if not objects:
            return True, True
        may_be, may_not = any(nones), not all(nones)
        return (may_not, may_be) if name.endswith("IF_NOT_NONE") else (may_be, may_not)
    if not objects or not all(none or f for none, f in zip(nones, functions, strict=True)):
        return True, True
    may_be, may_not = any(functions), any(nones)
    return (may_be, may_not) if name.endswith("IF_TRUE") else (may_not, may_be)


SPECIAL: Final[Mapping[str, Callable[[Walk, Instruction, Moment], None]]] = {
    "LOAD_CONST": Walk._load_constant,
    "LOAD_SMALL_INT": Walk._load_constant,
    "LOAD_FAST": Walk._load_variable,
    "LOAD_FAST_CHECK": Walk._load_variable,
    "LOAD_FAST_BORROW": Walk._load_variable,
    "LOAD_FAST_LOAD_FAST": Walk._load_variable,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": Walk._load_variable,
    "LOAD_FAST_AND_CLEAR": Walk._load_and_clear,
    "LOAD_DEREF": Walk._load_variable,
    "LOAD_CLASSDEREF": Walk._load_variable,
    "STORE_FAST": Walk._store_variable,
    "STORE_DEREF": Walk._store_variable,
    "STORE_FAST_STORE_FAST": Walk._store_variable,
    "STORE_FAST_LOAD_FAST": Walk._store_and_load,
    "DELETE_FAST": Walk._delete_variable,
    "DELETE_DEREF": Walk._delete_variable,
    "LOAD_GLOBAL": Walk._load_global,
    "LOAD_NAME": Walk._load_global,
    "LOAD_ATTR": Walk._load_attribute,
    "LOAD_METHOD": Walk._load_attribute,
    "LOAD_SUPER_ATTR": Walk._load_attribute_of_super,
    "BINARY_SUBSCR": Walk._subscript,
    "PUSH_NULL": Walk._push_null,
    "COPY": Walk._copy,
    "SWAP": Walk._swap,
    "TO_BOOL": Walk._leave,
    "GET_ITER": Walk._leave,
    "BUILD_TUPLE": Walk._build_tuple,
    "MAKE_FUNCTION": Walk._make_function,
    "SET_FUNCTION_ATTRIBUTE": Walk._set_function_attribute,
    "KW_NAMES": Walk._name_keywords,
    "CALL": Walk._call,
    "CALL_KW": Walk._call,
    "CALL_FUNCTION_EX": Walk._call_with_any,
}
