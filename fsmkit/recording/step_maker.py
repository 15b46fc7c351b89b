"""StepMaker: makes a step of every call from outside."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import get_ident
from typing import Any

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.recording.calls import intercept
from fsmkit.recording.happenings import sender_title
from fsmkit.recording.steps import Entry, Step
from fsmkit.roster import Roster, members


class StepMaker:
    """Watches machines and those inside them, and reports each call from outside when it is over.

    A call that comes while another one is under way is a part of that one. An event that is posted
    is told of, and posted, with the next call: so its place among the calls is certain, from
    whatever thread it comes.
    """

    def __init__(self, machines: Fsm[Any] | FsmGroup, report: Callable[[Step], None]) -> None:
        self.machines = machines
        self.report = report
        self.time = 0.0
        """Seconds that have passed since the first machine began."""
        self._roster = Roster()
        self._watched = 0
        self._clocks: dict[Fsm[Any], tuple[Fsm[Any], float]] = {}
        """Machine -> the outermost one around it, and what to add to the time of that one."""
        self._undo: list[Callable[[], None]] = []
        self._is_detached = False
        self._caller: int | None = None
        """The thread that a call from outside is under way in."""
        self._finishing: FsmAction[Any] | None = None
        self._posts: deque[tuple[Fsm[Any], dict[str, Any], Callable[..., Any]]] = deque()
        self._journal: list[Entry] = []
        self._watch_all()

    def beginning(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """The names of the machines, and machine -> state of those that are running."""
        named = self._roster.names.items()
        states = {name: fsm.current_state.name for fsm, name in named if fsm.current_state}
        return tuple(self._roster.names.values()), states

    def machine(self, name: str) -> Fsm[Any] | None:
        """The machine that goes by `name` here."""
        self._watch_all()
        return next((fsm for fsm, other in self._roster.names.items() if other == name), None)

    def detach(self) -> None:
        """Watch no more; of a call that is under way nothing is reported."""
        self._take_posts()
        self.end_finish()
        self._is_detached = True
        for undo in self._undo:
            undo()
        self._undo = []

    # Calls from outside

    def _called(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        if call == "start" and not fsm.is_running:
            self._set_clock(fsm)
        if self._is_detached or self._is_inside():
            return carry_out(**arguments)
        if call == "post_event":  # maybe of another thread: it is for the next update anyway
            return self._posts.append((fsm, arguments, carry_out))
        self._take_posts()
        return self._record(fsm, call, arguments, carry_out)

    def _is_inside(self) -> bool:
        """Whether a call from outside is under way, of which this one is a part."""
        if self._finishing is not None and self._finishing.fsm.phase is None:
            self.end_finish()
        return self._caller == get_ident()

    def _take_posts(self) -> None:
        while self._posts:
            fsm, arguments, carry_out = self._posts.popleft()
            self._record(fsm, "post_event", arguments, carry_out)

    def _record(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        self._watch_all()
        self._caller = get_ident()
        raised = ""
        try:
            return carry_out(**arguments)
        except BaseException as error:
            raised = _in_short(error)
            raise
        finally:
            self._caller = None
            if not self._is_detached:
                self._end_step(fsm, call, arguments, raised)

    def _end_step(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], raised: str = ""
    ) -> None:
        clock, offset = self._clocks[fsm]
        self.time = max(self.time, clock.time + offset)
        journal, self._journal = tuple(self._journal), []
        given = {name: value for name, value in arguments.items() if value is not None}
        if isinstance(state := given.get("state"), FsmState):
            given["state"] = state.name
        self.report(Step(self._roster.names[fsm], call, given, self.time, journal, raised))

    def end_finish(self) -> None:
        """Report the `finish()` of an action: nobody says when it is over."""
        action, self._finishing = self._finishing, None
        if action is not None:
            self._caller = None
            self._end_step(action.fsm, "finish", {"action": path_of(action)})

    # What came of them

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Note it."""
        sender = sender_title(fsm.acting)
        self._journal.append(("event", self._roster.names[fsm], event, outcome, sender))

    def state_left(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note it."""
        self._journal.append(("leave", self._roster.names[fsm], state.name))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Note it."""
        self._journal.append(("enter", self._roster.names[fsm], state.name, event or ""))

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Note it."""
        self._journal.append(("error", self._roster.names[fsm], _in_short(error)))

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Begin a step if it was finished from outside."""
        if action.fsm.acting is None:  # then a finish() before this one is over
            self.end_finish()
        if not self._is_inside():
            self._take_posts()
            self._caller = get_ident()
            self._finishing = action

    # The machines

    def _watch_all(self) -> None:
        """Watch those that have joined since the last time, too."""
        machines = members(self.machines)
        if len(machines) == self._watched:
            return
        self._watched = len(machines)
        for _, machine, outermost in self._roster.add(machines):
            self._clocks[machine] = (outermost, self.time - outermost.time if self.time else 0.0)
            self._undo += [machine.observe(self), intercept(machine, self._called)]

    def _set_clock(self, fsm: Fsm[Any]) -> None:
        """While the machine was not running its own time stood still."""
        clock, _ = self._clocks[fsm]
        if clock is fsm:
            for machine, (other, _) in self._clocks.items():
                if other is clock:
                    self._clocks[machine] = (clock, self.time - clock.time)


def path_of(action: FsmAction[Any]) -> list[Any]:
    """Where an action is: the name of its state, its index there, and so on to the innermost."""
    steps: list[Any] = [action.state.name]
    siblings = action.state.actions
    while siblings:
        index = next(i for i, other in enumerate(siblings) if action in _family(other))
        steps.append(index)
        if siblings[index] is action:
            break
        siblings = siblings[index].children
    return steps


def _family(action: FsmAction[Any]) -> list[FsmAction[Any]]:
    return [action, *(member for child in action.children for member in _family(child))]


def _in_short(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")
