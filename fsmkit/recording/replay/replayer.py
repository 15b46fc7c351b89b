"""Replay: a recording, carried out again on newly built machines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import message_of
from fsmkit.introspection.nesting import MachineNames, members
from fsmkit.recording.action_paths import action_at
from fsmkit.recording.replay.pending_events import replayed_result
from fsmkit.recording.replay.recording import Recording
from fsmkit.recording.replay.recording_file import RecordingError
from fsmkit.recording.replay.step_maker import StepMaker
from fsmkit.recording.replay.steps import (
    ENDINGS,
    PARTS_OF_AN_EVENT,
    Header,
    JournalEntry,
    KeyFrame,
    PutBack,
    Reported,
    Step,
    check_world,
    copied_arguments,
    put_back,
    this_version,
)
from fsmkit.recording.snapshots import SnapshotError
from fsmkit.recording.value_codec import Decode, Unsaved
from fsmkit.terminal.console import printable
from fsmkit.timing import TIME_TOLERANCE


class StepComparison:
    """Compares steps. Unhandled events that a machine ignores were "unhandled" before 0.3."""

    def __init__(self, header: Header, *, digests: bool, ignores: Callable[[str], bool]) -> None:
        self._ignores = ignores
        self._has_data = bool(header.made_by)
        self._has_digests = digests and header.made_by == this_version()

    def did_the_same(self, recorded: Step, replayed: Step) -> bool:
        return self._effects(recorded) == self._effects(replayed)

    def are_alike(self, recorded: Step, replayed: Step) -> bool:
        """Return False if the actions have, or remember, different values after them."""
        digests = {recorded.digest, replayed.digest} - {""} if self._has_digests else ()
        return len(digests) < 2

    def _effects(self, step: Step) -> tuple[Any, ...]:
        """Return the parts that must be equal.

        An error that the end of an action raises is in its journal, in older recordings only there.
        Restored machines may be reported in any order.
        """
        raised = step.raised if step.call not in ENDINGS else ""
        machine = step.machine if step.call != "restore" else ""
        journal = step.journal
        if not self._has_data:
            journal = [entry[: PARTS_OF_AN_EVENT + 2] for entry in journal]
        return machine, step.call, step.time, raised, [*map(self._as_now, journal)]

    def _as_now(self, entry: JournalEntry) -> tuple[Any, ...]:
        if entry[0] == "event" and entry[3] == "unhandled" and self._ignores(entry[1]):
            return (*entry[:3], "ignored", *entry[4:])
        return tuple(entry)


@frozen
class Difference:
    """The first step that did not go as recorded.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording, replay
    >>> def build(event="PRESS"):
    ...     lamp = Fsm("Lamp", on_unhandled="ignore")
    ...     _ = lamp.add_state("Off").add_transition(event, lamp.add_state("On"))
    ...     return lamp
    >>> lamp = build()
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     _ = lamp.send_event("PRESS")
    >>> difference = replay(lambda: build("TOUCH"), recording).difference
    >>> difference.position, difference.recorded.told(), difference.replayed.told()
    (1, ['event PRESS: changed', 'leave Off', 'enter On'], ['event PRESS: ignored'])
    """

    position: int
    """The index of the step."""
    recorded: Step
    replayed: Step | None
    """None if it could not be carried out or had no effect."""
    before: Sequence[Step]
    """The last steps that were the same."""
    after: Sequence[Step]
    """The next steps of the recording."""
    reason: str = ""
    """Why it could not be carried out; empty if it had no effect."""
    alike_until: int | None = None
    """The index of the first step after which the actions have, or remember, other values; None if
    there was none before."""
    reloaded_at: float | None = None
    """When the code was first changed by a hot reload, in seconds; None if it was not."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"Step {self.position + 1} differs."
        for step in self.before:
            yield from _step_lines("same", step)
        yield from _step_lines("recorded", self.recorded)
        if self.replayed is None:
            yield f"  replayed  {printable(self.reason) or '(nothing)'}"
        else:
            yield from _step_lines("replayed", self.replayed)
            if self.alike_until == self.position and self.recorded.told() == self.replayed.told():
                yield f"{'':12}{NOT_ALIKE}."
        for step in self.after:
            yield from _step_lines("then", step)
        if self.alike_until is not None and self.alike_until < self.position:
            yield f"{NOT_ALIKE.capitalize()} since step {self.alike_until + 1}."
        if self.reloaded_at is not None:
            yield (
                f"A hot reload changed the code at {self.reloaded_at:.2f} s: up to there a replay "
                "needs the code before, from there on the code after."
            )


@frozen
class Comparison:
    """The result of a replay; true if it was equal to the recording.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording, replay
    >>> def build(name="On"):
    ...     fsm = Fsm("Lamp")
    ...     _ = fsm.add_state(name)
    ...     return fsm
    >>> lamp = build()
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     lamp.update(1.0)
    >>> print(replay(build, recording))
    2 steps, all equal
    """

    steps: int
    """The number of steps that were carried out."""
    difference: Difference | None
    fault: str = ""
    """The damage in the file after these steps; empty if there is none."""

    @property
    def equal(self) -> bool:
        """True if everything went as recorded, and the file is not damaged."""
        return self.difference is None and not self.fault

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.difference is not None:
            return str(self.difference)
        equal = f"{self.steps} steps, all equal"
        return f"{equal}; but then {printable(self.fault)}" if self.fault else equal


def _step_lines(title: str, step: Step) -> Iterator[str]:
    yield f"  {title:8}  {step}"
    lines = step.told()
    if not lines and title == "replayed":
        lines = ["(nothing)"]
    yield from (f"{'':16}{line}" for line in lines)


NOT_ALIKE: Final = "its actions have, or remember, other values"


Build = Callable[[], "Fsm[Any] | FsmGroup"]


class Replay:
    """Goes through a recording step by step, forwards and backwards.

    `build` returns new machines; going backwards calls it again. `decode` turns event data back
    into the values that `Recording(encode=...)` encoded, and such values in snapshots. The first
    step that deviates from the recording becomes `difference`; the replay goes on.

    A recording that begins in the middle of a run begins with a snapshot, which is restored. With a
    `world`, its key frames are restored too, so that going to a moment need not start at the
    beginning. That function is called with the machines and with the data that
    `Recording(world=...)` saved with them, and restores the objects that they act on.

    The first step after which the actions have, or remember, other values becomes `deviation`: by
    the digests, unless `digests=False` or another version of fsmkit made them.

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
    >>> replay.time, replay.machine("Lamp").current_state.name
    (3.0, 'Off')
    """

    def __init__(
        self,
        build: Build,
        recording: Recording,
        *,
        decode: Decode | None = None,
        world: PutBack | None = None,
        digests: bool = True,
    ) -> None:
        if not callable(build):
            raise TypeError(f"build must be the function that builds the machines, got {build!r}.")
        arguments.instance(recording, "recording", Recording, "a Recording")
        check_world(world)
        self.build = build
        self.recording = recording
        self.decode = decode
        self.world = world
        self._header, self._steps = recording.header, recording.steps
        frames = recording.frames
        self._frames = frames if world is not None else ()
        self._framed = {count for count, _ in frames}
        self._compared = StepComparison(self._header, digests=digests, ignores=self._ignores)
        self._begin(0, self._header.frame)

    @property
    def time(self) -> float:
        """The seconds up to the last step that was carried out."""
        if not self.position:
            return self._header.time
        return self._steps[self.position - 1].time

    @property
    def is_over(self) -> bool:
        """True once every step has been carried out."""
        return self.position == len(self._steps)

    def machine(self, name: str) -> Fsm[Any]:
        """Return the machine of that name in the recording, such as `Guard` or `Guard/Walk`.

        Raises RecordingError if there is none.
        """
        found = self._maker.machine(name)
        if found is None:
            known = _listed(self._maker.names.values())
            raise RecordingError(f"There is no machine {name!r} here. The machines are {known}.")
        return found

    def forward(self, steps: int = 1) -> None:
        """Carry out the next steps, to the end at most."""
        self.go_to(self.position + steps)

    def back(self, steps: int = 1) -> None:
        """Undo the last steps, back to the beginning at most."""
        self.go_to(self.position - steps)

    def go_to(self, position: int) -> None:
        """Go to the point where `position` steps have been carried out."""
        position = max(0, min(position, len(self._steps)))
        nearest, frame = self._nearest(position)
        if position < self.position or nearest > self.position:
            self._begin(nearest, frame)
        while self.position < position:
            self._take(self._steps[self.position])
            if self.position in self._framed:
                self._maker.drop_departed()

    def go_to_time(self, seconds: float) -> None:
        """Go to the point after the last step up to that time."""
        self.go_to(self.position_at(seconds))

    def position_at(self, seconds: float) -> int:
        """Return the number of steps up to that time."""
        latest = seconds + TIME_TOLERANCE
        return bisect_right(self._steps, latest, key=attrgetter("time"))

    def compare(self) -> Comparison:
        """Compare the steps so far with the recorded ones."""
        fault = self.recording.damage if self.is_over else ""
        return Comparison(self.position, self.difference or self.deviation, fault)

    def _nearest(self, position: int) -> tuple[int, KeyFrame | None]:
        """Return the last moment up to there from which a replay can begin."""
        index = bisect_right(self._frames, position, key=itemgetter(0))
        return self._frames[index - 1] if index else (0, self._header.frame)

    def _begin(self, position: int, frame: KeyFrame | None) -> None:
        self.machines = self.build()
        if not isinstance(self.machines, (Fsm, FsmGroup)):
            raise TypeError(
                f"build() must return an Fsm or an FsmGroup, got {self.machines!r}. Let it end "
                "with `return fsm`."
            )
        self.position = self._first = position
        self.difference: Difference | None = None
        self.deviation: Difference | None = None
        self._made: list[Step] = []
        _check_names(self._header, self.machines)
        if frame is not None:
            self._restore(frame.saved)
        self._maker = StepMaker(self.machines, self._add, has_results=True)
        _check_states(self._header, frame, self._maker.states)
        if frame is not None:
            self._go_on_from(frame)

    def _go_on_from(self, frame: KeyFrame) -> None:
        try:
            self._maker.go_on_from(frame)
        except (LookupError, TypeError, ValueError) as error:
            raise RecordingError(
                f"The key frame at {frame.time:g} s is damaged: {type(error).__name__}: {error}"
            ) from error

    def _restore(self, saved: str) -> None:
        try:
            put_back(self.machines, saved, self.decode, self.world)
        except SnapshotError as error:
            raise RecordingError(f"The recording holds a snapshot, but: {error}") from error

    def _add(self, step: Reported) -> None:
        if isinstance(step, tuple):
            self._made.append(Step(*step))

    def _take(self, step: Step) -> None:
        arguments, reason = self._decoded(step), ""
        try:
            if not self._is_made(step):
                self._carry_out(step, arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # it is recorded in the step, which is compared
            reason = message_of(error)
        if self.difference is None:
            self._compare(step, reason)
        self.position += 1

    def _made_here(self) -> Step | None:
        """Return the step that replaced the next one, if it was made already."""
        index = self.position - self._first
        return self._made[index] if index < len(self._made) else None

    def _is_made(self, step: Step) -> bool:
        """Return True for the end of a nested machine's host that the last step led to.

        No observer is notified of the end of a `finish()`, so this one is a step of its own.
        """
        made = self._made_here()
        if step.call not in ENDINGS or made is None:
            return False
        return (made.machine, made.call, made.arguments) == (
            step.machine, step.call, step.arguments,
        )  # fmt: skip

    def _carry_out(self, step: Step, arguments: dict[str, Any]) -> None:
        fsm = self._maker.machine(step.machine)
        if fsm is None:
            raise LookupError(f"there is no machine {step.machine!r}")
        if step.call in ENDINGS:
            action = action_at(fsm, arguments["action"])
            try:
                action.fail(arguments.get("data")) if step.call == "fail" else action.finish()
            finally:
                self._maker.end_finish()
        elif step.call == "cancel":
            self._maker.cancel(fsm, **arguments)
        elif step.call == "restore":
            self._restore(arguments["saved"])
            self._maker.end_restore()
        elif step.call == "post_result":
            fsm.post_result(**replayed_result(fsm, arguments))
        else:
            getattr(fsm, step.call)(**arguments)

    def _ignores(self, name: str) -> bool:
        machine = self._maker.machine(name)
        return machine is not None and machine.on_unhandled == "ignore"

    def _decoded(self, step: Step) -> dict[str, Any]:
        arguments = copied_arguments(step.arguments)
        if any(isinstance(value, Unsaved) for value in arguments.values()):
            what = "event data was" if step.call != "restore" else "restored machines were"
            raise RecordingError(
                f"{step}: the {what} not saved, because JSON cannot hold it. Record with "
                "encode=, a function that turns it into JSON, and replay with decode=."
            )
        if "data" in arguments and self.decode is not None:
            arguments["data"] = self.decode(arguments["data"])
        return arguments

    def _compare(self, recorded: Step, reason: str) -> None:
        replayed, alike_until = self._made_here(), None
        if self.deviation is not None:
            alike_until = self.deviation.position
        elif replayed is not None and not self._compared.are_alike(recorded, replayed):
            alike_until = self.position
        if replayed is None or not self._compared.did_the_same(recorded, replayed):
            self.difference = self._difference(recorded, replayed, reason, alike_until)
        elif alike_until == self.position:
            self.deviation = self._difference(recorded, replayed, reason, alike_until)

    def _difference(
        self, recorded: Step, replayed: Step | None, reason: str, alike_until: int | None
    ) -> Difference:
        steps, here = self._steps, self.position
        before, after = steps[max(0, here - 3) : here], steps[here + 1 : here + 3]
        why = reason if replayed is None else ""
        reloads = (step.time for step in steps if step.is_reload)
        return Difference(
            here, recorded, replayed, before, after, why, alike_until, next(reloads, None)
        )


def replay(
    build: Build,
    recording: Recording | str | Path,
    *,
    decode: Decode | None = None,
    world: PutBack | None = None,
    digests: bool = True,
) -> Comparison:
    """Carry out a recording on newly built machines, and compare it step by step.

    Stops at the first step that did something else. A damaged file is compared up to the damage and
    is not equal. The other arguments are those of `Replay`.

    Raises RecordingError if the machines are not those of the recording, TypeError if `build` does
    not return any, OSError if the file cannot be read.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording
    >>> def build():
    ...     lamp = Fsm("Lamp")
    ...     _ = lamp.add_state("On")
    ...     return lamp
    >>> lamp = build()
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     lamp.update(1.0)
    >>> replay(build, recording).equal
    True
    """
    if isinstance(recording, str | Path):
        recording = Recording.load(recording)
    run = Replay(build, recording, decode=decode, world=world, digests=digests)
    while not run.is_over and run.difference is None:
        run.forward()
    return run.compare()


def _check_names(header: Header, machines: Fsm[Any] | FsmGroup) -> None:
    names = tuple(name for name, _, _ in MachineNames().add(members(machines)))
    if names != header.machines:
        raise RecordingError(
            f"The recording is of the machines {_listed(header.machines)}, but these are "
            f"{_listed(names)}. Replay it on machines that are built in the same way."
        )


def _check_states(header: Header, frame: KeyFrame | None, states: Mapping[str, str]) -> None:
    """Raise RecordingError unless the machines are in the states in which they were."""
    wanted = frame.states if frame is not None else header.states
    if states != wanted and header.reason:
        raise RecordingError(
            "The recording begins in the middle of a run, and the machines could not be saved "
            f"there, so it cannot be replayed. {printable(header.reason)}"
        )
    if states != wanted:
        raise RecordingError(
            f"When the recording began, the machines were in {_shown(wanted)}, but "
            f"these are in {_shown(states)}. Attach a Recording to newly built machines."
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(printable, names))


def _shown(states: Mapping[str, str]) -> str:
    shown = ", ".join(f"{state!r} ({printable(machine)})" for machine, state in states.items())
    return shown or "no state: not started"
