"""A small model of the processing rules, to hold the machine against.

It is written from the rules alone, slowly and plainly: no hooks, no visits, a few lists. A `Model`
and an `Fsm` are built from the same `Spec`, take the same calls and must leave the same journal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from fsmkit import BACK, ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmState

Op = tuple[Any, ...]


class Oops(Exception):
    """What a scripted callback raises."""


class Loop(Exception):
    """The model's TransitionLoopError."""


class OnExit(Exception):
    """The model's TransitionOnExitError."""


@define
class ActionSpec:
    """What an action does in its callbacks: lists of operations."""

    enter: list[Op] = field(factory=list)
    update: list[Op] = field(factory=list)
    exit: list[Op] = field(factory=list)
    takes: frozenset[str] = frozenset()
    enabled: bool = True
    finish_event: str | None = None
    suspend: list[Op] = field(factory=list)
    resume: list[Op] = field(factory=list)
    background: bool = False
    hear: list[Op] = field(factory=list)
    """What it does when it takes an event; it sends none, or there might be no end to it."""


@define(eq=False)
class Way:
    """A transition: its target, a state or "BACK", and what else there is to it."""

    target: str
    guard: str | None = None
    """`"yes"`, `"no"`, `"raise"`, `"data"` (if the event's data is true) or None."""
    effect: list[Op] | None = None
    suspend: bool = False


@define
class Spec:
    """A machine: per state its transitions and actions, the groups, and the global transitions."""

    states: dict[str, tuple[dict[str, list[Way]], list[ActionSpec]]]
    global_transitions: dict[str, list[Way]]
    groups: list[tuple[list[str], dict[str, list[Way]]]] = field(factory=list)
    """Of each group, its states and its transitions."""
    bound: int = 6


class Scripted(FsmAction):
    """The action of the real machine that follows an `ActionSpec`."""

    def __init__(self, spec: ActionSpec, name: str, journal: list[str]) -> None:
        self.spec = spec
        self.name = name
        self.journal = journal
        self.finish_event = spec.finish_event
        self.enabled = spec.enabled
        self.background = spec.background

    def on_enter(self) -> None:
        self._run("enter", self.spec.enter)

    def on_update(self) -> None:
        self._run("update", self.spec.update)

    def on_exit(self) -> None:
        self._run("exit", self.spec.exit)

    def on_suspend(self) -> None:
        self._run("suspend", self.spec.suspend)

    def on_resume(self) -> None:
        self._run("resume", self.spec.resume)

    def on_event(self, event: str, data: object) -> bool:
        if event in self.spec.takes:
            self.journal.append(f"{self.name} takes {event}")
            perform(self.state, self.spec.hear, self.journal, self.name)
        return event in self.spec.takes

    def _run(self, callback: str, ops: list[Op]) -> None:
        self.journal.append(f"{callback} {self.name}")
        perform(self.state, ops, self.journal, self.name)


def perform(state: FsmState, ops: list[Op], journal: list[str], name: str) -> None:
    """Carry out the operations of a script on the real machine."""
    for op, *arguments in ops:
        if op == "send":
            journal.append(f"sent {arguments[0]}: {state.send_event(*arguments)}")
        elif op == "start":
            state.fsm.start(arguments[0])
        elif op == "stop":
            state.fsm.stop()
        elif op in ("finish", "fail"):
            if state.actions:
                action = state.actions[arguments[0] % len(state.actions)]
                action.finish() if op == "finish" else action.fail(arguments[0])
        elif op == "post":
            state.fsm.post_event(arguments[0])
        else:
            raise Oops(name)


def build(spec: Spec, journal: list[str]) -> Fsm:
    """The real machine of a spec."""
    fsm = Fsm("M", on_unhandled="ignore", max_transitions=spec.bound)
    for name in spec.states:
        fsm.add_state(name)
    for name, (transitions, actions) in spec.states.items():
        add_ways(fsm.states[name].add_transition, transitions, journal)
        for index, action in enumerate(actions):
            fsm.states[name].add_action(Scripted(action, f"{name}{index}", journal))
    for index, (members, transitions) in enumerate(spec.groups):
        group = fsm.add_group(f"G{index}", *members)
        add_ways(group.add_transition, transitions, journal)
    add_ways(fsm.add_global_transition, spec.global_transitions, journal)
    return fsm


def add_ways(add: Callable[..., object], table: dict[str, list[Way]], journal: list[str]) -> None:
    for event, ways in table.items():
        for way in ways:
            target = BACK if way.target == "BACK" else way.target
            when = None if way.guard is None else guard_of(way, event, journal)
            do = None if way.effect is None else effect_of(way, event, journal)
            add(event, target, when=when, do=do, suspend=way.suspend)


def guard_of(way: Way, event: str, journal: list[str]) -> Callable[[FsmState, object], bool]:
    def guard(state: FsmState, data: object) -> bool:
        journal.append(f"ask {state.name} {event} {way.guard}")
        if way.guard == "raise":
            raise Oops(event)
        return bool(data) if way.guard == "data" else way.guard == "yes"

    return guard


def effect_of(way: Way, event: str, journal: list[str]) -> Callable[[FsmState], None]:
    def effect(state: FsmState) -> None:
        journal.append(f"do {state.name} {event}")
        perform(state, way.effect or [], journal, event)

    return effect


STOP = "(stop)"


@define
class Waiting:
    """A suspended visit of the model."""

    state: str
    part: list[int]
    entered: list[int]
    finished: set[int]
    failed: set[int]
    is_due: bool
    last_event: str | None


class Model:
    """The rules, followed literally."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.journal: list[str] = []
        self.current: str | None = None
        self.last_event: str | None = None
        self.decided: tuple[Way, str | None] | None = None
        self.queue: list[tuple[str, object]] = []
        self.posted: list[str] = []
        self.part: list[int] = []
        self.entered: list[int] = []
        self.entering: int | None = None
        self.finished: set[int] = set()
        self.failed: set[int] = set()
        """Those of the finished ones that have failed."""
        self.is_due = False
        """Whether FINISHED is still to be sent, because an error came first."""
        self.suspended: list[Waiting] = []
        self.phase = "rest"
        self.errors: list[str] = []
        self.visit = 0
        self.answer = False

    # Calls from outside: each returns the names of the errors that reach the caller

    def start(self, state: str) -> list[str]:
        self.decided = (Way(state), None)
        return self._settle(-1)

    def stop(self) -> list[str]:
        if self.current is None:
            return []
        self.decided = (Way(STOP), None)
        return self._settle(-1)

    def send(self, event: str, data: object = None) -> list[str]:
        errors = self._settle(0)
        if errors:
            return errors
        self.answer = self._offer_from_outside(event, data)
        return self._settle(0)

    def post(self, event: str) -> list[str]:
        self.posted.append(event)
        return []

    def end(self, index: int, *, fails: bool) -> list[str]:
        """Finish an action of the current state, or have it fail."""
        state = self.current
        if index in self.finished:
            return []
        if errors := self._settle(0):
            return errors
        if self.current == state and fails:
            self._fail(index, index)
        elif self.current == state:
            self._finish(index)
        return self._settle(0)

    def update(self) -> list[str]:
        if self.current is None:
            return []
        visit = self.visit
        if errors := self._settle(0):
            return errors
        for _ in range(len(self.posted)):
            self._offer_from_outside(self.posted.pop(0))
            if errors := self._settle(0):
                return errors
        if self.visit == visit:
            for index in list(self.entered):
                if index not in self.finished and not self.errors:
                    self._callback(index, "update")
                if self.decided:
                    break
        return self._settle(0)

    # The rules

    def _settle(self, changes: int) -> list[str]:
        while True:
            if self.decided:
                changes += 1
                if changes > self.spec.bound and self.decided[0].target != STOP:
                    self.decided = None
                    return self._taken([*self.errors, "Loop"])
                self._change()
            elif self.errors:
                try:
                    way = self._way(ERROR, True)
                except Oops:
                    return self._taken([*self.errors, "Oops"])
                if way is None:
                    return self._taken(self.errors)
                self.errors = []
                self.decided = (way, ERROR)
            elif self.is_due:
                self.is_due = False
                try:
                    self._finished()
                except Oops as error:
                    self._blame(error)
            elif self.queue:
                self._offer_from_outside(*self.queue.pop(0))
            else:
                return []

    def _taken(self, errors: list[str]) -> list[str]:
        self.errors = []
        return sorted(errors)

    def _change(self) -> None:
        assert self.decided
        way, event = self.decided
        self.decided = None
        if way.suspend:
            for index in self.entered:
                self._callback(index, "suspend")
            assert self.current is not None
            visit = self.part, self.entered, self.finished, self.failed, self.is_due
            waiting = Waiting(self.current, *visit, self.last_event)
            old = [each for each in self.suspended if each.state == way.target]
            self.suspended = [*(each for each in self.suspended if each not in old), waiting]
            for each in old:
                self._exit(each.state, each.entered)
        else:
            if self.current is not None:
                self._exit(self.current, self.entered)
            while self.suspended and way.target != "BACK":
                last = self.suspended.pop()
                self._exit(last.state, last.entered)
        self.entered, self.finished, self.failed, self.part = [], set(), set(), []
        self.is_due = False
        if way.effect is not None:
            self.journal.append(f"do {self.current} {event}")
            self._carry_out("exit", way.effect, str(event))
        self.visit += 1
        if way.target == "BACK":
            self._resume(self.suspended.pop())
        else:
            self.last_event = event
            self._enter(None if way.target == STOP else way.target)

    def _exit(self, state: str, entered: list[int]) -> None:
        for index in entered:
            self._callback(index, "exit", state)

    def _enter(self, state: str | None) -> None:
        self.current = state
        if state is None:
            return
        self.part = [i for i, action in enumerate(self._actions()) if action.enabled]
        for index in self.part:
            self.entering = index
            completed = self._callback(index, "enter")
            self.entering = None
            if not completed:
                return
            self.entered.append(index)
            if self.decided:
                return
        if not self._counted():
            try:
                self._finished()
            except Oops as error:
                self._blame(error)

    def _resume(self, waiting: Waiting) -> None:
        self.current, self.last_event = waiting.state, waiting.last_event
        self.part, self.entered = waiting.part, waiting.entered
        self.finished, self.failed = waiting.finished, waiting.failed
        self.is_due = waiting.is_due
        for index in self.entered:
            self._callback(index, "resume")
            if self.decided:
                return

    def _callback(self, index: int, callback: str, state: str | None = None) -> bool:
        """Run a script; False if it raised, after which nothing it decided is left."""
        state = state or self.current
        assert state is not None
        action = self.spec.states[state][1][index]
        self.journal.append(f"{callback} {state}{index}")
        phase = "exit" if callback == "suspend" else callback
        return self._carry_out(phase, getattr(action, callback), f"{state}{index}")

    def _carry_out(self, phase: str, ops: list[Op], name: str) -> bool:
        before, self.phase = self.phase, phase
        try:
            for op, *arguments in ops:
                self._op(name, op, arguments)
        except (Oops, OnExit) as error:
            self._blame(error)
            return False
        finally:
            self.phase = before
        return True

    def _blame(self, error: Exception) -> None:
        self.errors.append(type(error).__name__)
        self.decided = None

    def _op(self, name: str, op: str, arguments: list[Any]) -> None:
        if op == "send":
            self.journal.append(f"sent {arguments[0]}: {self._offer(*arguments)}")
        elif op in ("start", "stop"):
            if self.phase == "exit":
                raise OnExit
            self.decided = (Way(arguments[0] if op == "start" else STOP), None)
        elif op == "finish":
            if self._actions():
                self._finish(arguments[0] % len(self._actions()))
        elif op == "fail":
            if self._actions():
                self._fail(arguments[0] % len(self._actions()), arguments[0])
        elif op == "post":
            self.posted.append(arguments[0])
        else:
            raise Oops(name)

    def _send(self, event: str, data: object = None) -> bool:
        offer = self._offer_from_outside if self.phase == "rest" else self._offer
        return offer(event, data)

    def _offer_from_outside(self, event: str, data: object = None) -> bool:
        try:
            return self._offer(event, data)
        except Oops as error:
            self._blame(error)
            return True

    def _offer(self, event: str, data: object = None) -> bool:
        if self.decided:
            if self.decided[0].target == STOP:
                return False
            self.queue.append((event, data))
            return True
        if self.current is None:
            return False
        if self.phase != "exit":
            for index in self.entered:
                if event in self._actions()[index].takes:
                    self._hear(index, event)
                    return True
        way = self._way(event, data)
        if way is None:
            return False
        if self.phase == "exit":
            raise OnExit
        self.decided = (way, event)
        return True

    def _hear(self, index: int, event: str) -> None:
        """Run the script of an action that takes an event; its error is that of the sender."""
        name = f"{self.current}{index}"
        self.journal.append(f"{name} takes {event}")
        before, self.phase = self.phase, "event" if self.phase == "rest" else self.phase
        try:
            for op, *arguments in self._actions()[index].hear:
                self._op(name, op, arguments)
        finally:
            self.phase = before

    def _way(self, event: str, data: object) -> Way | None:
        """The transition that `event` takes; None if there is none, or it changes nothing."""
        if self.current is None:
            return None
        for ways in self._tables():
            for way in ways.get(event, ()):
                if self._agrees(way, event, data):
                    is_own = ways is self.spec.states[self.current][0]
                    if way.target == "BACK":
                        return way if self.suspended else None
                    return way if is_own or way.target != self.current else None
        return None

    def _tables(self) -> list[dict[str, list[Way]]]:
        """The transitions of the current state, of its groups, and those from any state."""
        assert self.current is not None
        shared = [ways for members, ways in self.spec.groups if self.current in members]
        return [self.spec.states[self.current][0], *shared, self.spec.global_transitions]

    def _agrees(self, way: Way, event: str, data: object) -> bool:
        if way.guard is None:
            return True
        self.journal.append(f"ask {self.current} {event} {way.guard}")
        if way.guard == "raise":
            raise Oops(event)
        return bool(data) if way.guard == "data" else way.guard == "yes"

    def _may_end(self, index: int) -> bool:
        takes_part = index in self.entered or index == self.entering
        return takes_part and self.phase != "exit" and index not in self.finished

    def _fail(self, index: int, reason: object) -> None:
        if self._may_end(index):
            self.finished.add(index)
            self.failed.add(index)
            if not self.decided:
                self._send(FAILED, reason)

    def _finish(self, index: int) -> None:
        if not self._may_end(index):
            return
        self.finished.add(index)
        action = self._actions()[index]
        is_last = not action.background and self._counted() <= self.finished
        try:
            if action.finish_event is not None:
                self._send(action.finish_event)
        except Oops:
            self.is_due = is_last
            raise
        if is_last:
            self._finished()

    def _counted(self) -> set[int]:
        return {index for index in self.part if not self._actions()[index].background}

    def _finished(self) -> None:
        if self.failed or self.decided:
            return
        if any(FINISHED in ways for ways in self._tables()):
            self._send(FINISHED)

    def _actions(self) -> list[ActionSpec]:
        assert self.current is not None
        return self.spec.states[self.current][1]
