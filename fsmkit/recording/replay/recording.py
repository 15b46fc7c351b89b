"""Recording: what came to machines from outside, and what they made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from fsmkit import Fsm, FsmGroup
from fsmkit.recording.chronicle import Chronicle
from fsmkit.recording.replay.arguments import Encode
from fsmkit.recording.replay.recording_file import RecordingFile, load
from fsmkit.recording.replay.retelling import chronicle_of
from fsmkit.recording.replay.step_maker import StepMaker
from fsmkit.recording.replay.steps import Header, Step


class Recording:
    """Records a machine, the machines inside it, or those of a group.

    What is called from outside is kept as `steps`, with a journal of what came of it: start, stop,
    update, send_event, post_event, send_event_after, the `cancel()` of what that returned, and the
    `finish()` of an action. Attach it to machines just built, so that it can be replayed on others
    just built. A machine that joins a group in a callback is recorded as well; one that is added
    from outside is from the next call to another one on, and a replay knows nothing of it.

    Data of events is kept as it is at the call, if it is plain: numbers, texts, bytes, and lists,
    tuples, sets and dicts of such. Other objects are kept themselves.

    With a `path` each step is written there, as a line of JSON, as soon as it is over: a crash
    loses the last line at most. `keep=False` keeps nothing in memory besides. `encode` turns data
    of events that is not plain into some that is, as the `default` of `json.dumps`. Of data that
    cannot be written the file has a description.

    Raises OSError if the file cannot be written.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
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
        """What is wrong with the file it was loaded from, if anything."""
        self._keep = keep
        self._encode = encode
        self._maker = StepMaker(machines, self._add)
        self.header = Header(*self._maker.beginning())
        self._file = RecordingFile(path, self.header, encode) if path is not None else None

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The recording in the file at `path`. No code in it is run.

        Of a damaged file it is the good part, and `fault` says which line is bad. Raises
        RecordingError if it is no recording at all, OSError if it cannot be read.
        """
        recording = cls(FsmGroup())
        recording.header, recording.steps, recording.fault = load(path)
        return recording

    def save(self, path: str | Path) -> None:
        """Write all steps to the file at `path`; raises OSError if that cannot be done."""
        with RecordingFile(path, self.header, self._encode) as file:
            for step in self.steps:
                file.write(step)

    def detach(self) -> None:
        """Record nothing more; what was recorded stays."""
        self._maker.detach()
        if self._file is not None:
            self._file.close()

    def chronicle(self) -> Chronicle:
        """What happened, for a timeline."""
        return chronicle_of(self.header, self.steps)

    @property
    def time(self) -> float:
        """Seconds up to the last step."""
        return self.steps[-1].time if self.steps else 0.0

    def _add(self, step: Step) -> None:
        if self._keep:
            self.steps.append(step)
        if self._file is not None:
            self._file.write(step)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.detach()
