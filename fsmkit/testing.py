"""Helpers for tests of machines: a journal of events, scripts that drive a machine, recordings.

>>> from fsmkit import Fsm
>>> door = Fsm("Door", on_unhandled="ignore")
>>> _ = door.add_state("Closed").add_transition("OPEN", door.add_state("Open"))
>>> door.start()
>>> drive(door, [0.5, "OPEN", "OPEN"])
['update 0.5', 'event OPEN: changed', 'leave Closed', 'enter Open', 'event OPEN: ignored']
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

from fsmkit.core.action import FsmAction
from fsmkit.core.checks import arguments
from fsmkit.core.fsm import Fsm
from fsmkit.core.group import FsmGroup
from fsmkit.core.state import FsmState
from fsmkit.exploring import Exploration, Paths, explore, paths
from fsmkit.exploring.rehearsal import induce
from fsmkit.exploring.scripts import InducedFailure
from fsmkit.introspection.nesting import MachineNames, members
from fsmkit.recording.replay.recording import Recording
from fsmkit.recording.replay.replayer import Build, Replay, replay
from fsmkit.recording.value_codec import Decode, Encode

__all__ = [
    "Exploration",
    "Paths",
    "Probe",
    "Reaction",
    "Recorder",
    "Step",
    "assert_replays",
    "drive",
    "explore",
    "paths",
]

Step: TypeAlias = float | str | tuple[str, object] | Callable[[], object] | InducedFailure
"""Seconds to update by, an event to send, an event with its data, or a function to call; or what a
walk with `failures=True` has found."""


class Recorder:
    """An observer that keeps a journal: one readable line for everything that happens.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("On")
    >>> with Recorder(fsm) as recorder:
    ...     fsm.start()
    ...     fsm.update(0.1)
    >>> recorder.journal
    ['enter On', 'update 0.1']
    """

    def __init__(self, fsm: Fsm[Any]) -> None:
        arguments.instance(fsm, "The machine to record", Fsm, "an Fsm")
        self.journal: list[str] = []
        self.path: list[str] = []
        """The names of the states that were entered or resumed, in order."""
        self.detach = fsm.observe(self)

    def take(self) -> list[str]:
        """Return the journal so far and begin a new one."""
        lines, self.journal = self.journal, []
        return lines

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Note `enter NAME`."""
        self.path.append(state.name)
        self.journal.append(f"enter {state.name}")

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note `leave NAME`."""
        self.journal.append(f"leave {state.name}")

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note `suspend NAME`."""
        self.journal.append(f"suspend {state.name}")

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note `resume NAME`."""
        self.path.append(state.name)
        self.journal.append(f"resume {state.name}")

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Note `event NAME: OUTCOME`."""
        self.journal.append(f"event {event}: {outcome}")

    def action_entered(self, action: FsmAction[Any]) -> None:
        """Note `ACTION entered`."""
        self.journal.append(f"{type(action).__name__} entered")

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Note `ACTION finished` or `ACTION failed`."""
        end = "failed" if action.failed else "finished"
        self.journal.append(f"{type(action).__name__} {end}")

    def action_exited(self, action: FsmAction[Any]) -> None:
        """Note `ACTION left`."""
        self.journal.append(f"{type(action).__name__} left")

    def update_begun(self, fsm: Fsm[Any], dt: float) -> None:
        """Note `update SECONDS`."""
        self.journal.append(f"update {dt:g}")

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Note `error TYPE`."""
        self.journal.append(f"error {type(error).__name__}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.detach()


def drive(fsm: Fsm[Any], script: Iterable[Step]) -> list[str]:
    """Carry out the steps of `script` one after another and return the journal.

    A step is a number of seconds (`update`), an event (`send_event`), an event with its data, or a
    function without arguments. A machine that has never run is started before the first step of the
    first three kinds. Raises TypeError for any other step.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> drive(fsm, [1.0, "PRESS"])
    ['enter Off', 'update 1', 'event PRESS: changed', 'leave Off', 'enter On']
    """
    with Recorder(fsm) as recorder:
        _take(script, fsm)
    return recorder.journal


def _take(script: Iterable[Step], machines: Fsm[Any] | FsmGroup) -> None:
    send = machines.broadcast if isinstance(machines, FsmGroup) else machines.send_event
    for step in script:
        if callable(step):
            step()
            continue
        if isinstance(step, InducedFailure):
            induce(step, {each: name for name, each, _ in MachineNames().add(members(machines))})
            continue
        event, data, seconds = _parts(step)
        for fsm in members(machines):
            if not fsm.is_running and fsm.previous_state is None:
                fsm.start()
        if event is not None:
            send(event, data)
        else:
            machines.update(seconds)


def _parts(step: object) -> tuple[str | None, object, float]:
    if isinstance(step, str):
        return step, None, 0.0
    match step:
        case (str() as event, data):
            return event, data, 0.0
    seconds = arguments.to_float(step)
    if seconds is None:
        raise TypeError(
            "drive: a step must be a number of seconds, an event, an event with its data or a "
            f"function, got {step!r}."
        )
    return None, None, seconds


updating_recordings: Final = ContextVar("updating_recordings", default=False)
"""Whether `assert_replays` rewrites recordings; `pytest --fsm-update` sets it."""


def assert_replays(
    path: str | Path,
    build: Build,
    *,
    script: Iterable[Step] | None = None,
    encode: Encode | None = None,
    decode: Decode | None = None,
) -> None:
    """Assert that newly built machines go exactly as in the recording at `path`.

    A golden test: it fixes everything that a machine does. `path` is relative to the file of the
    caller. `build` returns the machines. Event data that JSON cannot hold needs `encode`, see
    `Recording`, and `decode`, its inverse.

    With `pytest --fsm-update` the recording is rewritten, from `script` (see `drive`; a group gets
    each event by `broadcast`) if given, otherwise from the calls in the old recording; look at the
    difference before you commit it.

    Raises AssertionError, with the first difference, FileNotFoundError if there is no recording,
    RecordingError if the file is not a recording.
    """
    __tracebackhide__ = True  # pytest shows the test and the message
    caller = Path(sys._getframe(1).f_code.co_filename)
    file = caller.parent / path
    is_updating = updating_recordings.get()
    if is_updating and script is not None:
        _record(file, build, script, encode)
    elif not file.exists():
        raise FileNotFoundError(
            f"There is no recording {str(file)!r}. Make it with `fsmkit record`, or give "
            "assert_replays() a script=, and run `pytest --fsm-update`."
        )
    elif is_updating and not replay(build, file, decode=decode):
        _record_again(file, build, encode, decode)
    comparison = replay(build, file, decode=decode)
    if not comparison:
        advice = (
            "It has just been recorded, so the machines are not deterministic. Are they random?"
            if is_updating
            else "If that is what you want, run `pytest --fsm-update`."
        )
        raise AssertionError(f"{file.name}: {comparison}\n{advice}")


def _record(file: Path, build: Build, script: Iterable[Step], encode: Encode | None) -> None:
    machines = build()
    with Recording(machines, encode=encode) as recording:
        _take(script, machines)
    file.parent.mkdir(parents=True, exist_ok=True)
    recording.save(file)


def _record_again(file: Path, build: Build, encode: Encode | None, decode: Decode | None) -> None:
    made: list[Recording] = []

    def built() -> Fsm[Any] | FsmGroup:
        machines = build()
        made.append(Recording(machines, encode=encode))
        return machines

    again = Replay(built, Recording.load(file), decode=decode)
    while not again.is_over:
        again.forward()
    made[-1].detach()
    made[-1].save(file)


class Probe(FsmAction):
    """An action that writes its callbacks into a journal, and then runs the reaction given.

    A reaction is a function of the probe, or an event to send.

    >>> from fsmkit import Fsm
    >>> journal = []
    >>> fsm = Fsm("Door")
    >>> _ = fsm.add_state("Open").add_action(Probe("hinge", journal, on_update=Probe.finish))
    >>> fsm.start()
    >>> fsm.update(0.1)
    >>> fsm.stop()
    >>> journal
    ['enter hinge', 'update hinge', 'exit hinge']
    """

    def __init__(
        self,
        name: str,
        journal: list[str],
        *,
        on_enter: Reaction | None = None,
        on_update: Reaction | None = None,
        on_exit: Reaction | None = None,
        on_suspend: Reaction | None = None,
        on_resume: Reaction | None = None,
        takes: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.journal = journal
        self.reactions = {
            "enter": on_enter, "update": on_update, "exit": on_exit,
            "suspend": on_suspend, "resume": on_resume,
        }  # fmt: skip
        self.takes = tuple(takes)  # type: ignore[misc]  # an action may say so itself

    def on_enter(self) -> None:
        """Note `enter NAME`."""
        self._note("enter")

    def on_update(self) -> None:
        """Note `update NAME`."""
        self._note("update")

    def on_exit(self) -> None:
        """Note `exit NAME`."""
        self._note("exit")

    def on_suspend(self) -> None:
        """Note `suspend NAME`."""
        self._note("suspend")

    def on_resume(self) -> None:
        """Note `resume NAME`."""
        self._note("resume")

    def _would_take_(self, event: str) -> bool:
        """Tell `why` that it takes the events in `takes`, and no others."""
        return event in self.takes

    def on_event(self, event: str, data: object) -> bool:
        """Consume the events in `takes`, noting `NAME takes EVENT`."""
        if event in self.takes:
            self.journal.append(f"{self.name} takes {event}")
        return event in self.takes

    def _note(self, callback: str) -> None:
        self.journal.append(f"{callback} {self.name}")
        reaction = self.reactions[callback]
        if isinstance(reaction, str):
            self.fsm.send_event(reaction)
        elif reaction is not None:
            reaction(self)


Reaction: TypeAlias = str | Callable[[Probe], object]
"""An event to send, or a function that is called with the probe."""
