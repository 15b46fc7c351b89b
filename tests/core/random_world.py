"""The world of random machines: the machines, what is done with them, and the journal of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any

import model

from fsmkit import Fsm, FsmAction, FsmGroup

Op = tuple[Any, ...]
"""Something to do: a name from OPERATIONS, and its arguments."""

MAX_OPERATIONS = 400
"""Of one world: events that post events may be more with each update."""

MAX_DEPTH = 6
"""Operations inside each other; beyond that it would be a test of the recursion limit."""


class Oops(model.Oops):
    """An error that a random machine raises."""


class Abort(BaseException):
    """One that is not an Exception."""


RAISED = (Exception, BaseExceptionGroup, Abort)


class World:
    """One or two machines, all that is done with them, and the journal."""

    def __init__(
        self,
        number: int,
        operations: Mapping[str, Callable[..., object]],
        make_action: Callable[[World, int], FsmAction[Any]],
    ) -> None:
        self.rng = Random(number)
        self.known_operations = operations
        self.make_action = make_action
        self.journal: list[str] = []
        self.machines: list[Fsm[Any]] = []
        self.group = FsmGroup()
        self.delayed: list[Any] = []
        self.detachers: list[Callable[[], None]] = []
        self.saved: dict[str, Any] = {}
        self.same_error = Oops("the same again")
        self.operations = 0
        self.depth = 0

    def note(self, line: str) -> None:
        """Add a line to the journal."""
        self.journal.append(re.sub(r"0x[0-9a-f]+", "0x", line))

    def run(self, operations: Sequence[Op], fsm: Fsm[Any]) -> None:
        """Do one operation after another."""
        for operation in operations:
            self.do(operation, fsm)

    def do(self, operation: Op, fsm: Fsm[Any]) -> None:
        """Do one operation; note what it returns and what it raises."""
        if self.operations >= MAX_OPERATIONS or self.depth >= MAX_DEPTH:
            return
        self.operations += 1
        self.depth += 1
        name, *arguments = operation
        try:
            answer = self.known_operations[name](self, fsm, *arguments)
        except BaseException as error:
            self.note(f"{fsm.name}: {operation} raised {described(error)}")
            raise
        else:
            self.note(f"{fsm.name}: {operation} -> {answer!r}")
        finally:
            self.depth -= 1

    def call(self, operation: Op, fsm: Fsm[Any]) -> None:
        """Do it as an external call."""
        with suppress(*RAISED):
            self.do(operation, fsm)
        self.note(looks(fsm))


def described(error: BaseException) -> str:
    """All that a user sees of an error, apart from the traceback."""
    notes = getattr(error, "__notes__", [])
    parts = [described(each) for each in getattr(error, "exceptions", ())]
    return f"{type(error).__name__}({str(error)!r}) {notes} {parts or ''}"


def shown(data: object) -> str:
    """The data of an event."""
    return described(data) if isinstance(data, BaseException) else repr(data)


def looks(fsm: Fsm[Any]) -> str:
    """All that can be seen of a machine without disturbing it."""
    state, acting = fsm.current_state, fsm.acting
    finished = [action.finished + action.failed for action in state.actions] if state else []
    return (
        f"{fsm.name} in {state and state.name} from {getattr(fsm.previous_state, 'name', None)} by "
        f"{fsm.last_event} with {shown(fsm.event_data)}: {fsm.phase} {acting!r} running="
        f"{fsm.is_running} changing={fsm.is_changing} finished={finished} time={fsm.time!r} "
        f"in state={fsm.time_in_state!r} dt={fsm.delta_time!r} path={fsm.path} "
        f"suspended={[waiting.name for waiting in fsm.suspended]}"
    )
