"""Walk: the way through one code object, instruction by instruction."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from types import CodeType
from typing import Any, Final

from fsmkit.checking.reading.answers import chances, items_of
from fsmkit.checking.reading.frame import Caller, Frame
from fsmkit.checking.reading.instructions import Instruction, instructions_of, stored_names
from fsmkit.checking.reading.moment import ANYTHING, Moment, Outcome
from fsmkit.checking.reading.values import UNKNOWN, Value, known, merged, objects_of

LEAVES_ITERATOR: Final = sys.version_info >= (3, 12)
"""Whether `FOR_ITER` leaves the iterator, and something more, when it is over."""
RUNS_LATER: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""A call of such a function makes something that runs the code later."""


class Walk(Frame):
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
        runs_later = is_later or bool(code.co_flags & RUNS_LATER)
        super().__init__(caller, code, names, shared, variables, is_later=runs_later)
        self._instructions = instructions_of(code)
        self._meetings = {each.target for each in self._instructions if each.target is not None}
        self._moments: dict[int, Moment] = {}
        self._waiting: list[int] = []
        self._ends: list[tuple[Value, Moment]] = []

    def follow(self, begin: Moment) -> Outcome:
        """Go all ways, beginning with what has been done at `begin`; return what comes of it."""
        self._go_to(0, Moment([], dict(self.names), begin.done, begin.maybe))
        self._go_on()
        for index, instruction in enumerate(self._instructions):
            if instruction.name == "PUSH_EXC_INFO":  # after an error, from wherever it came
                self._go_to(index, self._after_error(begin))
                self._go_on()
        for made in self.made:
            self.caller.hand_on(made)
        return self._outcome(begin)

    def _outcome(self, begin: Moment) -> Outcome:
        if not self._ends:  # it always raises
            return Outcome(UNKNOWN, begin.done, begin.maybe)
        (value, end), *others = self._ends
        self.caller.hand_on(value)
        for other, moment in others:
            value = merged(value, other)
            end.meet(moment)
        return Outcome(value, end.done, end.maybe)

    def _after_error(self, begin: Moment) -> Moment:
        stored = stored_names(self.code)
        names = {name: value for name, value in self.names.items() if name not in stored}
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
            while index is not None and self.caller.visits():
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
        else:
            self.carry_out(instruction, moment)
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
            value = moment.pop()
            may_jump, may_stay = chances(name, value)
            if may_jump is not may_stay and any(one is not None for one in objects_of(value)):
                self.caller.assume(self.code)
            beside.pop()
        elif name == "FOR_ITER":
            iterated = moment.stack[-1] if moment.stack else UNKNOWN
            moment.push(items_of(iterated))
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
