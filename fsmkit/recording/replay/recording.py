"""Recording: the calls to machines from outside, and what they did."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self
from weakref import finalize

from fsmkit import Fsm, FsmGroup
from fsmkit.recording.chronicle import Chronicle
from fsmkit.recording.replay.arguments import Encode
from fsmkit.recording.replay.chronicle_builder import chronicle_of
from fsmkit.recording.replay.journal import error_text
from fsmkit.recording.replay.loading import load
from fsmkit.recording.replay.recording_file import RecordingFile, save_recording
from fsmkit.recording.replay.step_maker import StepMaker
from fsmkit.recording.replay.steps import Header, Step
from fsmkit.recording.replay.warnings import warn
from fsmkit.tooling.nesting import members


class Recording:
    """Records a machine and its nested machines, or those of a group.

    Each call from outside becomes one of the `steps`, with a journal of its effects: start, stop,
    update, send_event, post_event, send_event_after, the `cancel()` of the handle that this
    returned, the `finish()` of an action, and the result of the work of an `Await` or `InThread`,
    which a replay then need not do. Attach it to newly built machines, so that it can be
    replayed on newly built ones. A machine that joins a group in a callback is recorded as well;
    one that is added from outside is recorded from the next call to another machine on, and a
    replay does not know it.

    Plain event data is kept as it was at the call: numbers, strings, bytes, and lists, tuples, sets
    and dicts of these. Other objects are kept by reference.

    With a `path` each step is written there as a line of JSON as soon as it is over: a crash loses
    at most the last line. `detach`, and the end of the program, write a last line that says that
    nothing is missing. `keep=False` keeps no steps in memory. `encode` turns event data that is not
    plain into plain data, like the `default` of `json.dumps`. For data that cannot be written the
    file holds a description.

    Raises OSError if the file cannot be begun. If it cannot be written later, on a full disk for
    instance, the game goes on: `fault` and a warning (logger `fsmkit`) say so, nothing more is
    written, and what is kept in memory goes on being kept.

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
    ) -> None:
        self.steps: list[Step] = []
        self.fault = ""
        """Why the file is not complete, written or loaded; empty if nothing is wrong with it."""
        self.damage = ""
        """The fault of the file that it was loaded from, after the steps."""
        self._keep = keep
        self._encode = encode
        members(machines)  # or TypeError
        self._file: RecordingFile | None = None
        self._maker = StepMaker(machines, self._add)
        self.header = Header(*self._maker.names_and_states())
        if path is not None:
            self._open(path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Load the recording from the file at `path`. No code in it is run.

        From a damaged file the good part is loaded, and `fault` says which line is bad, or that the
        end is missing. Raises RecordingError if the file is not a recording at all, OSError if it
        cannot be read.
        """
        recording = cls(FsmGroup())
        recording.header, recording.steps, recording.damage = load(path)
        recording.fault = recording.damage
        return recording

    def save(self, path: str | Path) -> None:
        """Write all steps to the file at `path`, or leave it as it is: OSError if it cannot."""
        save_recording(path, self.header, self.steps, self._encode)

    def detach(self) -> None:
        """Stop recording; what was recorded stays."""
        self._maker.detach()
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except Exception as error:
                self._say_fault(file, error)

    def chronicle(self) -> Chronicle:
        """Return what happened, for a timeline."""
        return chronicle_of(self.header, self.steps)

    @property
    def time(self) -> float:
        """The seconds up to the last step."""
        return self.steps[-1].time if self.steps else 0.0

    def _open(self, path: str | Path) -> None:
        try:
            self._file = RecordingFile(path, self.header, self._encode)
        except BaseException:
            self._maker.detach()
            raise
        finalize(self, self._file.close_at_exit)  # or when nobody has it any more

    def _add(self, step: Step) -> None:
        if self._keep:
            self.steps.append(step)
        file = self._file
        if file is not None:
            try:
                file.write(step)
            except Exception as error:  # of any type: the game must not notice
                self._file = None
                file.abandon()
                self._say_fault(file, error)

    def _say_fault(self, file: RecordingFile, error: Exception) -> None:
        self.fault = f"{str(file.path)!r} cannot be written any more: {error_text(error)}"
        rest = "The steps are kept in memory: save() writes them." if self._keep else ""
        warn(f"Recording: {self.fault}. The machines go on. {rest}".rstrip())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.detach()
