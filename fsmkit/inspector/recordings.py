"""inspect_recording(): a run that is over, on the page of the inspector."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from fsmkit.inspector.arguments import check_port, check_rate
from fsmkit.inspector.inspector import PageServer
from fsmkit.inspector.past.course import Course
from fsmkit.inspector.past.one_run import OneRun
from fsmkit.inspector.past.past_session import PastSession
from fsmkit.inspector.past.recorded import RecordedMachines
from fsmkit.inspector.past.replayed import ReplayedMachines
from fsmkit.inspector.past.two_runs import TwoRuns
from fsmkit.recording import Recording, RecordingError
from fsmkit.recording.replay.frames import PutBack
from fsmkit.recording.replay.replaying import Build, Decode

Run: TypeAlias = Recording | str | Path

LARGEST: Final = 400_000_000
"""Bytes of a file that is opened; it is read into memory."""


class RecordingInspector(PageServer):
    """The page of a recording: it has an address and can be closed.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    >>> with inspect_recording(recording, announce=None) as inspector:
    ...     inspector.url[:17]
    'http://127.0.0.1:'
    """

    def __init__(self, session: PastSession, *, port: int) -> None:
        self.session = session
        super().__init__(session, port=port, read_only=False)


def inspect_recording(
    recording: Run,
    other: Run | None = None,
    *,
    build: Build | None = None,
    decode: Decode | None = None,
    world: PutBack | None = None,
    port: int = 0,
    rate: float = 30.0,
    announce: Callable[[str], object] | None = print,
) -> RecordingInspector:
    """Show a recording, or a file of one, on the page of the inspector; nothing can be changed.

    The page plays it, steps through it forwards and backwards, and shows any moment: the state, the
    graph with the time spent in each state, the timeline and the log. With `build`, the function
    that built the machines, it is replayed on new ones, in a thread of its own: then the actions,
    their values and the context of that moment are shown as well, and where the replay differs from
    the recording. `decode` and `world` are those of `Replay`.

    With an `other` recording both are shown beside each other, at their first difference.

    - `port`: the port to listen on; 0 for a free one.
    - `rate`: frames per second sent to the page, at most 60.
    - `announce`: called with the line that contains the address; None for no announcement.

    Raises ImportError without the extra, OSError if a file cannot be read or the port is taken,
    RecordingError for a file that is not a recording, or if the machines of `build` are not those
    of the recording, and what `build` raises; ValueError for an invalid port or rate.

    >>> from fsmkit import Fsm
    >>> def build():
    ...     lamp = Fsm("Lamp")
    ...     _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    ...     return lamp
    >>> lamp = build()
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    >>> with inspect_recording(recording, build=build, announce=None) as inspector:
    ...     print(inspector.url.partition(":")[0])
    http
    """
    check_port(port)
    check_rate(rate)
    if build is not None and not callable(build):
        raise TypeError(f"build must be the function that builds the machines, got {build!r}.")
    from fsmkit.inspector.serving import web  # noqa: F401  # fails before anything is read

    runs = [_loaded(recording), *([] if other is None else [_loaded(other)])]

    def make_run() -> OneRun | TwoRuns:
        return _made([_one(run, path, build, decode, world) for run, path in runs])

    session = PastSession(make_run, rate=rate)
    try:
        inspector = RecordingInspector(session, port=port)
    except BaseException:
        session.close()
        raise
    if announce is not None:
        announce(f"fsmkit inspector: {inspector.url}")
    return inspector


def _loaded(run: Run) -> tuple[Recording, Path | None]:
    if isinstance(run, Recording):
        return run, None
    if not isinstance(run, str | Path):
        raise TypeError(f"recording must be a Recording or the path of one, got {run!r}.")
    size = Path(run).stat().st_size
    if size > LARGEST:
        raise RecordingError(
            f"{str(run)!r} has {size:,} bytes; at most {LARGEST:,} can be opened. Record less, or "
            "the last seconds only: Recording(limit=60)."
        )
    return Recording.load(run), Path(run)


def _one(
    recording: Recording,
    path: Path | None,
    build: Build | None,
    decode: Decode | None,
    world: PutBack | None,
) -> OneRun:
    course = Course(recording)
    if build is None:
        return OneRun(recording, RecordedMachines(course), path)
    return OneRun(
        recording, ReplayedMachines(course, build, recording, decode=decode, world=world), path
    )


def _made(runs: list[OneRun]) -> OneRun | TwoRuns:
    if len(runs) == 1:
        return runs[0]
    first, second = runs
    for mine, its in ((first, second), (second, first)):  # a graph of what occurred in either
        if isinstance(mine.machines, RecordedMachines):
            mine.machines = RecordedMachines(mine.course, its.course)
    return TwoRuns(first, second)
