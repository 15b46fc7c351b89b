"""Replay: a recording, carried out once more on machines just built."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.recording.recording import Recording
from fsmkit.recording.recording_file import UNSAVED, RecordingError
from fsmkit.recording.step_maker import StepMaker
from fsmkit.recording.steps import Step

Build = Callable[[], "Fsm[Any] | FsmGroup"]
Decode = Callable[[Any], Any]


@frozen
class Difference:
    """The first step that went another way than recorded."""

    position: int
    """The index of the step."""
    recorded: Step
    replayed: Step | None
    """None if there is no such machine any more."""
    before: Sequence[Step]
    """The last steps that were the same."""
    after: Sequence[Step]
    """What the recording goes on with."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"Step {self.position + 1} differs."
        for step in self.before:
            yield from _told("same", step)
        yield from _told("recorded", self.recorded)
        if self.replayed is None:
            yield f"  replayed  there is no machine {self.recorded.machine!r}"
        else:
            yield from _told("replayed", self.replayed)
        for step in self.after:
            yield from _told("then", step)


@frozen
class Comparison:
    """What a replay came to; true if it was equal."""

    steps: int
    """How many steps were carried out."""
    difference: Difference | None

    @property
    def equal(self) -> bool:
        """Whether everything went as recorded."""
        return self.difference is None

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        return str(self.difference) if self.difference else f"{self.steps} steps, all equal"


class Replay:
    """Goes through a recording step by step, forwards and backwards.

    `build` returns the machines anew; it is called again to go backwards. `decode` turns data of
    events back into what `Recording(encode=...)` made it from. A step that goes another way than
    recorded is kept as `difference`; the replay goes on.

    Raises RecordingError if the machines are not those of the recording.

    >>> from fsmkit import Fsm
    >>> def build():
    ...     lamp = Fsm("Lamp")
    ...     lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    ...     return lamp
    >>> lamp = build()
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     for _ in range(3):
    ...         lamp.update(1.0)
    ...     _ = lamp.send_event("PRESSED")
    >>> replay = Replay(build, recording)
    >>> replay.go_to(5)
    >>> replay.machines.current_state.name
    'On'
    >>> replay.back()
    >>> replay.time, replay.machines.current_state.name
    (3.0, 'Off')
    """

    def __init__(self, build: Build, recording: Recording, *, decode: Decode | None = None) -> None:
        self.build = build
        self.recording = recording
        self.decode = decode
        self._rebuild()

    @property
    def time(self) -> float:
        """Seconds up to the last step that was carried out."""
        return self.recording.steps[self.position - 1].time if self.position else 0.0

    @property
    def is_over(self) -> bool:
        """Whether every step was carried out."""
        return self.position == len(self.recording.steps)

    def forward(self, steps: int = 1) -> None:
        """Carry out the next steps, at most to the end."""
        self.go_to(self.position + steps)

    def back(self, steps: int = 1) -> None:
        """Take the last steps back, at most to the beginning."""
        self.go_to(self.position - steps)

    def go_to(self, position: int) -> None:
        """Go to where so many steps have been carried out."""
        position = max(0, min(position, len(self.recording.steps)))
        if position < self.position:
            self._rebuild()
        while self.position < position:
            self._take(self.recording.steps[self.position])

    def go_to_time(self, seconds: float) -> None:
        """Go to behind the last step up to that time."""
        self.go_to(bisect_right(self.recording.steps, seconds, key=attrgetter("time")))

    def compare(self) -> Comparison:
        """Whether all steps so far went as recorded."""
        return Comparison(self.position, self.difference)

    def _rebuild(self) -> None:
        self.machines = self.build()
        self.position = 0
        self.difference: Difference | None = None
        self._compared = 0
        self._made: list[Step] = []
        self._maker = StepMaker(self.machines, self._made.append)
        self._check_machines()

    def _check_machines(self) -> None:
        header = self.recording.header
        names, states = self._maker.beginning()
        if names != header.machines:
            raise RecordingError(
                f"The recording is of the machines {', '.join(header.machines)}; "
                f"these are {', '.join(names)}. Replay it on machines built in the same way."
            )
        if states != header.states:
            raise RecordingError(
                f"When the recording began, the machines were in {_shown(header.states)}; these "
                f"are in {_shown(states)}. Attach a Recording to machines just built."
            )

    def _take(self, step: Step) -> None:
        try:
            self._carry_out(step)
        except RecordingError:
            raise
        except Exception:  # it was recorded with the step, and is compared with it
            pass
        self.position += 1
        self._compare()

    def _carry_out(self, step: Step) -> None:
        fsm = self._maker.machine(step.machine)
        if fsm is None:
            return
        if step.call == "finish":
            _action(fsm, step.arguments["action"]).finish()
            self._maker.end_finish()
        else:
            getattr(fsm, step.call)(**self._decoded(step))

    def _decoded(self, step: Step) -> dict[str, Any]:
        arguments = dict(step.arguments)
        data = arguments.get("data")
        if isinstance(data, dict) and UNSAVED in data:
            raise RecordingError(
                f"{step}: the data of the event was not saved, as JSON does not know it. Record "
                "with encode=, a function that makes JSON of it, and replay with decode=."
            )
        if data is not None and self.decode is not None:
            arguments["data"] = self.decode(data)
        return arguments

    def _compare(self) -> None:
        """Compare the steps made since; what was posted is made with the next step only."""
        while self.difference is None and self._compared < self.position:
            recorded = self.recording.steps[self._compared]
            replayed = self._made[self._compared] if self._compared < len(self._made) else None
            if replayed is None and recorded.call == "post_event":
                return
            if replayed is None or _course(recorded) != _course(replayed):
                self.difference = self._difference(self._compared, recorded, replayed)
            self._compared += 1

    def _difference(self, position: int, recorded: Step, replayed: Step | None) -> Difference:
        steps = self.recording.steps
        before = steps[max(0, position - 3) : position]
        return Difference(position, recorded, replayed, before, steps[position + 1 : position + 3])


def replay(
    build: Build, recording: Recording | str | Path, *, decode: Decode | None = None
) -> Comparison:
    """Carry a recording out on machines just built, and compare step by step.

    Ends with the first difference. Raises RecordingError if the machines are not those of the
    recording, OSError if the file cannot be read.
    """
    if not isinstance(recording, Recording):
        recording = Recording.load(recording)
    course = Replay(build, recording, decode=decode)
    while not course.is_over and course.difference is None:
        course.forward()
    return course.compare()


def _course(step: Step) -> tuple[Any, ...]:
    """What has to be the same in a recording and its replay."""
    return step.machine, step.call, step.time, step.raised, step.journal


def _action(fsm: Fsm[Any], path: Sequence[Any]) -> FsmAction[Any]:
    """The action that `path_of` named."""
    state, index, *inner = path
    action: FsmAction[Any] = fsm.states[state].actions[index]
    for position in inner:
        action = action.children[position]
    return action


def _shown(states: Mapping[str, str]) -> str:
    shown = ", ".join(f"{state!r} ({machine})" for machine, state in states.items())
    return shown or "no state: not started"


def _told(title: str, step: Step) -> Iterator[str]:
    yield f"  {title:8}  {step}"
    lines = step.told()
    if not lines and title == "replayed":
        lines = ["(nothing)"]
    yield from (f"{'':16}{line}" for line in lines)
