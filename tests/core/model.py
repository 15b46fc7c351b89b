"""A small model of the processing rules, to hold the machine against.

It is written from the rules alone, slowly and plainly: no hooks, no visits, a few lists. A `Model`
and an `Fsm` are built from the same `Spec`, take the same calls and must leave the same journal.
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from fsmkit import ERROR, FINISHED, Fsm, FsmAction

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


@define
class Spec:
    """A machine: per state its transitions and actions, and the global transitions."""

    states: dict[str, tuple[dict[str, str], list[ActionSpec]]]
    global_transitions: dict[str, str]
    bound: int = 6


class Scripted(FsmAction):
    """The action of the real machine that follows an `ActionSpec`."""

    def __init__(self, spec: ActionSpec, name: str, journal: list[str]) -> None:
        self.spec = spec
        self.name = name
        self.journal = journal
        self.finish_event = spec.finish_event
        self.enabled = spec.enabled

    def on_enter(self) -> None:
        self._run("enter", self.spec.enter)

    def on_update(self) -> None:
        self._run("update", self.spec.update)

    def on_exit(self) -> None:
        self._run("exit", self.spec.exit)

    def on_event(self, event: str, data: object) -> bool:
        if event in self.spec.takes:
            self.journal.append(f"{self.name} takes {event}")
        return event in self.spec.takes

    def _run(self, callback: str, ops: list[Op]) -> None:
        self.journal.append(f"{callback} {self.name}")
        for op, *arguments in ops:
            if op == "send":
                self.journal.append(f"sent {arguments[0]}: {self.fsm.send_event(arguments[0])}")
            elif op == "start":
                self.fsm.start(arguments[0])
            elif op == "stop":
                self.fsm.stop()
            elif op == "finish":
                actions = self.state.actions
                actions[arguments[0] % len(actions)].finish()
            elif op == "post":
                self.fsm.post_event(arguments[0])
            else:
                raise Oops(self.name)


def build(spec: Spec, journal: list[str]) -> Fsm:
    """The real machine of a spec."""
    fsm = Fsm("M", on_unhandled="ignore", max_transitions=spec.bound)
    for name in spec.states:
        fsm.add_state(name)
    for name, (transitions, actions) in spec.states.items():
        for event, target in transitions.items():
            fsm.states[name].add_transition(event, target)
        for index, action in enumerate(actions):
            fsm.states[name].add_action(Scripted(action, f"{name}{index}", journal))
    for event, target in spec.global_transitions.items():
        fsm.add_global_transition(event, target)
    return fsm


STOP = "(stop)"


class Model:
    """The rules, followed literally."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.journal: list[str] = []
        self.current: str | None = None
        self.last_event: str | None = None
        self.decided: tuple[str, str | None] | None = None
        self.queue: list[str] = []
        self.posted: list[str] = []
        self.part: list[int] = []
        self.entered: list[int] = []
        self.entering: int | None = None
        self.finished: set[int] = set()
        self.phase = "rest"
        self.errors: list[str] = []
        self.visit = 0
        self.answer = False

    # Calls from outside: each returns the names of the errors that reach the caller

    def start(self, state: str) -> list[str]:
        self.decided = (state, None)
        return self._settle(-1)

    def stop(self) -> list[str]:
        if self.current is None:
            return []
        self.decided = (STOP, None)
        return self._settle(-1)

    def send(self, event: str) -> list[str]:
        errors = self._settle(0)
        if errors:
            return errors
        self.answer = self._offer(event)
        return self._settle(0)

    def post(self, event: str) -> list[str]:
        self.posted.append(event)
        return []

    def update(self) -> list[str]:
        if self.current is None:
            return []
        visit = self.visit
        if errors := self._settle(0):
            return errors
        for _ in range(len(self.posted)):
            self._offer(self.posted.pop(0))
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
                if changes > self.spec.bound and self.decided[0] != STOP:
                    self.decided = None
                    return self._taken([*self.errors, "Loop"])
                self._change()
            elif self.errors:
                target = self._target(ERROR)
                if target is None:
                    return self._taken(self.errors)
                self.errors = []
                self.decided = (target, ERROR)
            elif self.queue:
                self._offer(self.queue.pop(0))
            else:
                return []

    def _taken(self, errors: list[str]) -> list[str]:
        self.errors = []
        return sorted(errors)

    def _change(self) -> None:
        assert self.decided
        target, event = self.decided
        self.decided = None
        for index in self.entered:
            self._callback(index, "exit")
        self.entered, self.finished, self.part = [], set(), []
        self.visit += 1
        self.last_event = event
        self.current = None if target == STOP else target
        if self.current is None:
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
        if not self.part:
            self._finished()

    def _callback(self, index: int, callback: str) -> bool:
        """Run a script; False if it raised, after which nothing it decided is left."""
        action = self._actions()[index]
        name = f"{self.current}{index}"
        self.journal.append(f"{callback} {name}")
        phase, self.phase = self.phase, callback
        try:
            for op, *arguments in getattr(action, callback):
                self._op(name, op, arguments)
        except (Oops, OnExit) as error:
            self.errors.append(type(error).__name__)
            self.decided = None
            return False
        finally:
            self.phase = phase
        return True

    def _op(self, name: str, op: str, arguments: list[Any]) -> None:
        if op == "send":
            self.journal.append(f"sent {arguments[0]}: {self._offer(arguments[0])}")
        elif op in ("start", "stop"):
            if self.phase == "exit":
                raise OnExit
            self.decided = (arguments[0] if op == "start" else STOP, None)
        elif op == "finish":
            self._finish(arguments[0] % len(self._actions()))
        elif op == "post":
            self.posted.append(arguments[0])
        else:
            raise Oops(name)

    def _offer(self, event: str) -> bool:
        if self.decided:
            if self.decided[0] == STOP:
                return False
            self.queue.append(event)
            return True
        if self.current is None:
            return False
        if self.phase != "exit":
            for index in self.entered:
                if event in self._actions()[index].takes:
                    self.journal.append(f"{self.current}{index} takes {event}")
                    return True
        target = self._target(event)
        if target is None:
            return False
        if self.phase == "exit":
            raise OnExit
        self.decided = (target, event)
        return True

    def _target(self, event: str) -> str | None:
        if self.current is None:
            return None
        own = self.spec.states[self.current][0].get(event)
        if own is not None:
            return own
        target = self.spec.global_transitions.get(event)
        return None if target == self.current else target

    def _finish(self, index: int) -> None:
        if self.phase == "exit" or index in self.finished:
            return
        if index not in self.entered and index != self.entering:
            return
        self.finished.add(index)
        event = self._actions()[index].finish_event
        if event is not None:
            self._offer(event)
        if len(self.finished) == len(self.part):
            self._finished()

    def _finished(self) -> None:
        assert self.current is not None
        known = FINISHED in self.spec.states[self.current][0]
        if not self.decided and (known or FINISHED in self.spec.global_transitions):
            self._offer(FINISHED)

    def _actions(self) -> list[ActionSpec]:
        assert self.current is not None
        return self.spec.states[self.current][1]
