"""Frame: the variables of one piece of code, and what its instructions do with values."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, Final, Protocol

from fsmkit.checking.reading.answers import compared, negated
from fsmkit.checking.reading.instructions import Instruction, stored_names
from fsmkit.checking.reading.moment import Moment, Outcome
from fsmkit.checking.reading.objects import constant, members_of
from fsmkit.checking.reading.values import NULL, REST, UNKNOWN, Made, Value, known, objects_of, only

METHODS_ARE_MARKED: Final = sys.version_info >= (3, 12)
"""Whether `LOAD_ATTR` stands for `LOAD_METHOD`, too."""


HAS_KEYWORDS: Final = sys.version_info >= (3, 14)
"""Whether `CALL_FUNCTION_EX` always finds keywords on the stack, if only `NULL`."""

SUBSCRIPT: Final = 26
"""The argument by which `BINARY_OP` stands for `BINARY_SUBSCR`, from Python 3.14 on."""


class Caller(Protocol):
    """Whoever reads what a walk comes across."""

    def visits(self) -> bool:
        """Count one instruction; False if there were too many."""
        ...

    def assume(self, code: CodeType) -> None:
        """Take it that a value is still what it is now, where code goes one way for that."""
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


class Frame:
    """The variables of a code object that is read, and the instructions that lead straight on."""

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
        self.caller = caller
        self.names = names
        """The parameters, as far as they are known."""
        self.made: list[Made] = []
        """The functions that the code makes and does not call itself."""
        self._shared = shared
        self._globals = variables
        self._is_later = is_later
        self._keywords: tuple[str, ...] = ()

    def carry_out(self, instruction: Instruction, moment: Moment) -> None:
        """Carry out an instruction that does not jump."""
        if (special := SPECIAL.get(instruction.name)) is not None:
            special(self, instruction, moment)
        elif instruction.effect is not None:
            taken, put = instruction.effect
            for value in moment.take(taken):
                self.caller.hand_on(value)
            moment.push(*[UNKNOWN] * put)
        else:
            moment.forget(instruction.name)

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
        is_parameter = name in self.names
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
        moment.push(self.caller.read_attribute(owner, name, moment))

    def _load_attribute_of_super(self, instruction: Instruction, moment: Moment) -> None:
        kind, owner = moment.take(3)[1:]
        if instruction.argument & 1:
            moment.push(NULL)
        above = _super(only(kind, type), owner)
        moment.push(self.caller.read_attribute(above, str(instruction.value), moment))

    def _compare(self, instruction: Instruction, moment: Moment) -> None:
        a, b = moment.take(2)
        moment.push(compared(f"{instruction.name} {instruction.value}", a, b))

    def _negate(self, _instruction: Instruction, moment: Moment) -> None:
        moment.push(negated(moment.pop()))

    def _operate(self, instruction: Instruction, moment: Moment) -> None:
        if instruction.argument == SUBSCRIPT:
            self._subscript(instruction, moment)
        else:
            for value in moment.take(2):
                self.caller.hand_on(value)
            moment.push(UNKNOWN)

    def _subscript(self, _instruction: Instruction, moment: Moment) -> None:
        container, _ = moment.take(2)
        moment.push(members_of(container))

    def _push_null(self, _instruction: Instruction, moment: Moment) -> None:
        moment.push(NULL)

    def _copy(self, instruction: Instruction, moment: Moment) -> None:
        depth = instruction.argument
        moment.push(moment.stack[-depth] if depth <= len(moment.stack) else UNKNOWN)

    def _swap(self, instruction: Instruction, moment: Moment) -> None:
        upper = moment.take(instruction.argument)
        upper[0], upper[-1] = upper[-1], upper[0]
        moment.push(*upper)

    def _leave(self, _instruction: Instruction, _moment: Moment) -> None:
        """Leave a value as it is: made a bool, or an iterator."""

    def _build_tuple(self, instruction: Instruction, moment: Moment) -> None:
        for value in moment.take(instruction.argument):
            self.caller.hand_on(value)
        moment.push(UNKNOWN)

    def _make_function(self, instruction: Instruction, moment: Moment) -> None:
        code = only(moment.pop(), CodeType)
        moment.take(instruction.argument.bit_count())
        if code is None:
            moment.push(UNKNOWN)
            return
        variables = {name: self._variable(name, moment) for name in code.co_freevars}
        made = Made(code, variables, self._globals)
        self.made.append(made)
        moment.push(made)

    def _set_function_attribute(self, _instruction: Instruction, moment: Moment) -> None:
        made = moment.pop()
        moment.pop()
        moment.push(made)

    # Calls

    def _name_keywords(self, instruction: Instruction, _moment: Moment) -> None:
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
        for value in moment.take(2 if HAS_KEYWORDS else 1 + (instruction.argument & 1)):
            self.caller.hand_on(value)
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
        self.made = [made for made in self.made if made is not target]
        outcome = self.caller.call(target, arguments, keywords, moment, is_later=self._is_later)
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


SPECIAL: Final[Mapping[str, Callable[[Frame, Instruction, Moment], None]]] = {
    "LOAD_CONST": Frame._load_constant,
    "LOAD_SMALL_INT": Frame._load_constant,
    "LOAD_FAST": Frame._load_variable,
    "LOAD_FAST_CHECK": Frame._load_variable,
    "LOAD_FAST_BORROW": Frame._load_variable,
    "LOAD_FAST_LOAD_FAST": Frame._load_variable,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": Frame._load_variable,
    "LOAD_FAST_AND_CLEAR": Frame._load_and_clear,
    "LOAD_DEREF": Frame._load_variable,
    "LOAD_CLASSDEREF": Frame._load_variable,
    "STORE_FAST": Frame._store_variable,
    "STORE_DEREF": Frame._store_variable,
    "STORE_FAST_STORE_FAST": Frame._store_variable,
    "STORE_FAST_LOAD_FAST": Frame._store_and_load,
    "DELETE_FAST": Frame._delete_variable,
    "DELETE_DEREF": Frame._delete_variable,
    "LOAD_GLOBAL": Frame._load_global,
    "LOAD_NAME": Frame._load_global,
    "LOAD_ATTR": Frame._load_attribute,
    "LOAD_METHOD": Frame._load_attribute,
    "LOAD_SUPER_ATTR": Frame._load_attribute_of_super,
    "COMPARE_OP": Frame._compare,
    "IS_OP": Frame._compare,
    "CONTAINS_OP": Frame._compare,
    "UNARY_NOT": Frame._negate,
    "BINARY_OP": Frame._operate,
    "BINARY_SUBSCR": Frame._subscript,
    "PUSH_NULL": Frame._push_null,
    "COPY": Frame._copy,
    "SWAP": Frame._swap,
    "TO_BOOL": Frame._leave,
    "GET_ITER": Frame._leave,
    "BUILD_TUPLE": Frame._build_tuple,
    "MAKE_FUNCTION": Frame._make_function,
    "SET_FUNCTION_ATTRIBUTE": Frame._set_function_attribute,
    "KW_NAMES": Frame._name_keywords,
    "CALL": Frame._call,
    "CALL_KW": Frame._call,
    "CALL_FUNCTION_EX": Frame._call_with_any,
}
