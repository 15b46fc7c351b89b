"""Replay: a recording, carried out again on newly built machines."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from fsmkit import Fsm, FsmGroup
from fsmkit.recording.action_paths import action_at
from fsmkit.recording.replay.arguments import Unsaved, copied_arguments
from fsmkit.recording.replay.comparison import Comparison, Difference
from fsmkit.recording.replay.recording import Recording
from fsmkit.recording.replay.recording_file import RecordingError
from fsmkit.recording.replay.results import replayed_result
from fsmkit.recording.replay.step_maker import Cancellable, StepMaker
from fsmkit.recording.replay.steps import Step
from fsmkit.terminal.console import printable
from fsmkit.timing import TIME_TOLERANCE

Build = Callable[[], "Fsm[Any] | FsmGroup"]
Decode = Callable[[Any], Any]


class Replay:
    """Goes through a recording step by step, forwards and backwards.

    `build` returns new machines; going backwards calls it again. `decode` turns event data back
    into the values that `Recording(encode=...)` encoded. The first step that does not go as
    recorded becomes `difference`; the replay goes on.

    Raises RecordingError if the machines are not those of the recording, TypeError if `build` does
    not return any.

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
        if not callable(build):
            raise TypeError(f"build must be the function that builds the machines, got {build!r}.")
        if not isinstance(recording, Recording):
            raise TypeError(f"recording must be a Recording, got {recording!r}.")
        self.build = build
        self.recording = recording
        self.decode = decode
        self._rebuild()

    @property
    def time(self) -> float:
        """The seconds up to the last step that was carried out."""
        return self.recording.steps[self.position - 1].time if self.position else 0.0

    @property
    def is_over(self) -> bool:
        """True once every step has been carried out."""
        return self.position == len(self.recording.steps)

    def forward(self, steps: int = 1) -> None:
        """Carry out the next steps, to the end at most."""
        self.go_to(self.position + steps)

    def back(self, steps: int = 1) -> None:
        """Undo the last steps, back to the beginning at most."""
        self.go_to(self.position - steps)

    def go_to(self, position: int) -> None:
        """Go to the point where `position` steps have been carried out."""
        position = max(0, min(position, len(self.recording.steps)))
        if position < self.position:
            self._rebuild()
        while self.position < position:
            self._take(self.recording.steps[self.position])

    def go_to_time(self, seconds: float) -> None:
        """Go to the point after the last step up to that time."""
        self.go_to(self.position_at(seconds))

    def position_at(self, seconds: float) -> int:
        """Return the number of steps up to that time."""
        latest = seconds + TIME_TOLERANCE
        return bisect_right(self.recording.steps, latest, key=attrgetter("time"))

    def compare(self) -> Comparison:
        """Compare the steps so far with the recorded ones."""
        fault = self.recording.damage if self.is_over else ""
        return Comparison(self.position, self.difference, fault)

    def _rebuild(self) -> None:
        self.machines = self.build()
        if not isinstance(self.machines, (Fsm, FsmGroup)):
            raise TypeError(
                f"build() must return an Fsm or an FsmGroup, got {self.machines!r}. Let it end "
                "with `return fsm`."
            )
        self.position = 0
        self.difference: Difference | None = None
        self._made: list[Step] = []
        self._delayed: defaultdict[Fsm[Any], list[Cancellable]] = defaultdict(list)
        self._maker = StepMaker(
            self.machines,
            self._made.append,
            lambda fsm, event: self._delayed[fsm].append(event),
            has_results=True,
        )
        self._check_machines()

    def _check_machines(self) -> None:
        header = self.recording.header
        names, states = self._maker.names_and_states()
        if names != header.machines:
            raise RecordingError(
                f"The recording is of the machines {_listed(header.machines)}, but these are "
                f"{_listed(names)}. Replay it on machines that are built in the same way."
            )
        if states != header.states:
            raise RecordingError(
                f"When the recording began, the machines were in {_shown(header.states)}, but "
                f"these are in {_shown(states)}. Attach a Recording to newly built machines."
            )

    def _take(self, step: Step) -> None:
        arguments, reason = self._decoded(step), ""
        try:
            if not self._is_made(step):
                self._carry_out(step, arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # it is recorded in the step, which is compared
            reason = str(error)
        if self.difference is None:
            self.difference = self._difference(step, reason)
        self.position += 1

    def _is_made(self, step: Step) -> bool:
        """Return True for the `finish()` of a nested machine's host that the last step has led to.

        Nobody is told of the end of a `finish()`, so this one is a step of its own.
        """
        if step.call != "finish" or len(self._made) <= self.position:
            return False
        made = self._made[self.position]
        return (made.machine, made.call, made.arguments) == (
            step.machine, step.call, step.arguments,
        )  # fmt: skip

    def _carry_out(self, step: Step, arguments: dict[str, Any]) -> None:
        fsm = self._maker.machine(step.machine)
        if fsm is None:
            raise LookupError(f"there is no machine {step.machine!r}")
        if step.call == "finish":
            try:
                action_at(fsm, arguments["action"]).finish()
            finally:
                self._maker.end_finish()
        elif step.call == "cancel":
            _delayed(self._delayed[fsm], **arguments).cancel()
        elif step.call == "post_result":
            fsm.post_result(**replayed_result(fsm, arguments))
        else:
            getattr(fsm, step.call)(**arguments)

    def _decoded(self, step: Step) -> dict[str, Any]:
        arguments = copied_arguments(step.arguments)
        if any(isinstance(value, Unsaved) for value in arguments.values()):
            raise RecordingError(
                f"{step}: the event data was not saved, because JSON cannot hold it. Record with "
                "encode=, a function that turns it into JSON, and replay with decode=."
            )
        if "data" in arguments and self.decode is not None:
            arguments["data"] = self.decode(arguments["data"])
        return arguments

    def _difference(self, recorded: Step, reason: str) -> Difference | None:
        """Return how the last step differs from the recorded one, or None."""
        steps, here = self.recording.steps, self.position
        before, after = steps[max(0, here - 3) : here], steps[here + 1 : here + 3]
        if here == len(self._made):
            return Difference(here, recorded, None, before, after, reason)
        replayed = self._made[here]
        if _compared(recorded) == _compared(replayed):
            return None
        return Difference(here, recorded, replayed, before, after)


def replay(
    build: Build, recording: Recording | str | Path, *, decode: Decode | None = None
) -> Comparison:
    """Carry out a recording on newly built machines, and compare it step by step.

    Stops at the first difference. A damaged file is compared up to the damage and is not equal.
    Raises RecordingError if the machines are not those of the recording, TypeError if `build` does
    not return any, OSError if the file cannot be read.
    """
    if isinstance(recording, str | Path):
        recording = Recording.load(recording)
    run = Replay(build, recording, decode=decode)
    while not run.is_over and run.difference is None:
        run.forward()
    return run.compare()


def _compared(step: Step) -> tuple[Any, ...]:
    """Return what must be the same in a recording and its replay.

    What a finish() raises is the last entry of its journal; older recordings have it only there.
    """
    raised = step.raised if step.call != "finish" else ""
    return step.machine, step.call, step.time, raised, step.journal


def _delayed(events: Sequence[Cancellable], event: str, delayed: int) -> Cancellable:
    """Return the delayed event of that number; a changed machine may have delayed others."""
    if not 0 <= delayed < len(events) or events[delayed].event != event:
        raise LookupError(f"{event!r} is not the delayed event {delayed}")
    return events[delayed]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(printable, names))


def _shown(states: Mapping[str, str]) -> str:
    shown = ", ".join(f"{state!r} ({printable(machine)})" for machine, state in states.items())
    return shown or "no state: not started"
