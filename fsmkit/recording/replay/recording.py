"""Recording: the external calls to machines, and what they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, Final, Self
from weakref import finalize, ref

from attrs import evolve

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import shown_error
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import members
from fsmkit.introspection.run_state import RunState, read_run_state
from fsmkit.recording.chronicle import Chronicle
from fsmkit.recording.replay import warn
from fsmkit.recording.replay.journal import chronicle_of
from fsmkit.recording.replay.recording_file import EveryStep, OnError, Output, load, save_recording
from fsmkit.recording.replay.step_maker import TURN, StepMaker
from fsmkit.recording.replay.steps import (
    PARTS,
    FrameSchedule,
    Header,
    KeptSteps,
    KeyFrame,
    Reported,
    Step,
    World,
    check_world,
    saved,
    this_version,
)
from fsmkit.recording.snapshots import SnapshotError
from fsmkit.recording.value_codec import Encode, Unsaved
from fsmkit.svg.notebook import notebook_picture

BETWEEN_FRAMES: Final = 10.0
"""Seconds between the key frames of a whole recording."""


class Recording:
    """Records a machine and its nested machines, or those of a group.

    Each external call becomes one of the `steps`, with a journal of its effects: start, stop,
    update, send_event, post_event, send_event_after, the `cancel()` of the handle that this
    returned, the `finish()` of an action, and the result of the work of an `Await` or `InThread`,
    which a replay then need not do. Restoring a snapshot is a step too. A machine that joins a
    group in a callback is recorded as well; one that is added externally is recorded from the next
    call to another machine on, and a replay does not know it.

    Machines that already run are saved by a `snapshot` at the beginning. If they cannot be saved,
    `header.reason` and a warning (logger `fsmkit`) say why; a replay then needs machines that are
    built in the same states.

    Plain event data is kept as it was at the call: numbers, strings, bytes, and lists, tuples, sets
    and dicts of these. Other objects are kept by reference.

    With a `path` each step is written there as a line of JSON as soon as it is over: a crash loses
    at most the last line. `detach`, and the end of the program, write a last line, which marks the
    file as complete. `keep=False` keeps no steps in memory. `encode` turns values that are not
    plain, in event data and snapshots, into plain data, like the `default` of `json.dumps`. For
    event data that cannot be written the file holds a description.

    With a `limit` the last that many seconds are kept in memory, until `save`, and up to a fifth or
    a second more, since they begin with a snapshot. With a `path` as well, they are written there
    when a callback has raised an exception, whether it reaches the caller or leads to a state by
    `ERROR`: once the call has settled, then once a second at most while there are more, and at the
    end. The end of a `with` writes them if there was no exception.

    `world` returns the objects that the machines act on, such as positions, as plain data. It is
    saved with each snapshot, so that a replay can jump to it; see `Replay`.

    Raises OSError if the file cannot be created, ValueError or TypeError for a wrong `limit`. If
    the file cannot be written later, on a full disk for instance, the game goes on: `fault` and a
    warning say so, nothing more is written, and memory keeps the steps as before.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     lamp.update(0.5)
    ...     _ = lamp.send_event("PRESSED")
    >>> for step in recording.steps:
    ...     print(step)
    0.00 s  Lamp.start()
    0.50 s  Lamp.update(0.5)
    0.50 s  Lamp.send_event('PRESSED')
    >>> step.told()
    ['event PRESSED: changed', 'leave Off', 'enter On']
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        path: str | Path | None = None,
        *,
        keep: bool = True,
        encode: Encode | None = None,
        limit: float | None = None,
        world: World | None = None,
    ) -> None:
        seconds = _checked_limit(limit, keep)
        check_world(world)
        self.damage = ""
        """What is wrong with the file it was loaded from, after the steps; empty if nothing is."""
        self._members = [*map(ref, members(machines))]  # or TypeError
        self._machines = machines
        self._keep = keep
        self._encode = encode
        self._world = world
        self._schedule: FrameSchedule | None = None
        self._output: Output | None = None
        with TURN:  # another thread may post already
            self._maker = StepMaker(machines, self._add, saved=self._saved, replaced=self._replace)
            try:
                self._begin(path, seconds)
            except BaseException:
                self._maker.detach()
                raise

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Load the recording from the file at `path`. No code in it is run.

        Of a damaged file the part before the damage is loaded, and `fault` says which line is bad,
        or that the end is missing. Raises RecordingError if the file is not a recording at all,
        OSError if it cannot be read.
        """
        recording = cls(FsmGroup())
        recording._kept, recording.damage = load(path)
        return recording

    def save(self, path: str | Path) -> None:
        """Write the steps that are kept to the file at `path`, completely or not at all.

        Raises OSError if it cannot be written.
        """
        self._maker.settle()
        save_recording(path, self.header, self._kept, self._encode)

    def detach(self) -> None:
        """Stop recording; recorded steps stay."""
        self._maker.detach()
        if self._output is not None:
            self._output.close()

    _repr_mimebundle_ = notebook_picture("fsmkit.recording.timeline.svg_timeline:bundle")

    def chronicle(self) -> Chronicle:
        """Return the chronicle of the steps, for a timeline."""
        return chronicle_of(self.header, self.steps)

    @property
    def steps(self) -> list[Step]:
        """The steps that are kept."""
        self._maker.settle()
        return self._kept.steps

    @property
    def header(self) -> Header:
        """The machines, and where they were before the first step."""
        return self._kept.header

    @property
    def frames(self) -> Sequence[tuple[int, KeyFrame]]:
        """Key frames: the machines as they were after that many of the steps."""
        return self._kept.frames

    @property
    def fault(self) -> str:
        """Why the file that is written, or was loaded, is incomplete; empty if it is complete."""
        return self._output.fault if self._output is not None else self.damage

    @property
    def time(self) -> float:
        """The seconds up to the last step."""
        self._maker.settle()
        return self._kept.time

    def _begin(self, path: str | Path | None, limit: float) -> None:
        header = self._made_header()
        self._kept = kept = KeptSteps(header, limit, len(self._members))
        if limit < inf:
            self._schedule = FrameSchedule(header.time, kept.interval, kept.most // PARTS)
        elif self._world is not None:
            self._schedule = FrameSchedule(header.time, BETWEEN_FRAMES)
        if self._schedule is not None:
            self._maker.settled = self._look_at_schedule
        if path is None:
            return
        if limit < inf:
            self._output = OnError(path, kept, self._encode)
        else:
            self._output = EveryStep(path, header, self._encode)
        # at the end of the program, unless it is detached before
        finalize(self, self._output.close)

    def _made_header(self) -> Header:
        names = tuple(self._maker.names.values())
        header = Header(
            names,
            self._maker.states,
            this_version(),
            time=self._maker.time,
            groups=dict(_groups(self._maker.names)),
        )
        if all(map(_is_newly_built, self._maker.names)):
            return header
        try:
            return evolve(header, frame=self._frame())
        except SnapshotError as error:
            warn(
                "Recording: the machines already run and cannot be saved, so a replay will need a "
                f"build function that returns them in exactly these states. {error}"
            )
            return evolve(header, reason=str(error))

    # Steps and key frames

    def _add(self, step: Reported) -> None:
        if self._keep:
            self._kept.add(step)
        if self._output is not None:
            self._output.add(step)

    def _look_at_schedule(self) -> None:
        schedule = self._schedule
        if schedule is not None and schedule.is_due(self._maker.time):
            try:
                self._maker.note_frame(self._frame)
            except Exception as error:  # of any type: the game must not notice
                schedule.fail(self._maker.time)
                is_ours = isinstance(error, FsmError)
                self._kept.failed(str(error) if is_ours else shown_error(error))
                if self._kept.has_lost_beginning:  # so no replay crosses this moment
                    self._maker.drop_departed()

    def _frame(self) -> KeyFrame:
        if [*members(self._machines)] != [member() for member in self._members]:
            raise SnapshotError("The group has other machines than at the beginning.")
        content = saved(self._machines, self._encode, self._world)
        self._maker.drop_departed()
        frame = KeyFrame(self._maker.time, self._maker.moment(), content)
        if self._schedule is not None:
            self._schedule.take(frame)
        return frame

    def _replace(self, machine: Fsm[Any], successor: Fsm[Any]) -> None:
        """Save another machine from now on: a hot reload has put it in the place of `machine`."""
        places = [member() for member in self._members]
        if machine in places:
            self._members[places.index(machine)] = ref(successor)
        if self._machines is machine:
            self._machines = successor

    def _saved(self) -> dict[str, Any]:
        try:
            return {"saved": saved(self._machines, self._encode, self._world)}
        except SnapshotError as error:
            return {"saved": Unsaved(str(error))}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if isinstance(self._output, OnError):
            self._output.write_at_end()
        self.detach()


def _groups(names: Mapping[Fsm[Any], str]) -> Iterator[tuple[str, dict[str, tuple[str, ...]]]]:
    for fsm, name in names.items():
        if groups := walk.groups(fsm):
            yield name, {each.name: tuple(state.name for state in each) for each in groups}


def _is_newly_built(fsm: Fsm[Any]) -> bool:
    """Return True if nothing has happened to a machine yet, whatever its actions remember."""
    try:
        return evolve(read_run_state(fsm), actions={}) == RunState()
    except FsmError:  # in the middle of a call
        return False


def _checked_limit(limit: object, keep: bool) -> float:
    if limit is None:
        return inf
    if not keep:
        raise ValueError("limit= keeps the last seconds in memory, so keep=False contradicts it.")
    return arguments.number(limit, "limit", above=0.0, unit=" of seconds")
