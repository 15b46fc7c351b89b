"""inspect() and inspect_recording(), and the inspectors that they return."""

from __future__ import annotations

import atexit
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar

from fsmkit import Fsm, FsmGroup
from fsmkit.editing import Editor
from fsmkit.inspector import local
from fsmkit.inspector.conversation import PageSource
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.inspector.playback.playback_session import PlaybackSession
from fsmkit.inspector.playback.two_runs import TwoRuns
from fsmkit.inspector.reading.watches import Watch
from fsmkit.inspector.token import token_for
from fsmkit.introspection.definition_sites import DefinitionSites
from fsmkit.recording import Recording, RecordingError
from fsmkit.recording.replay.replayer import Build
from fsmkit.recording.replay.steps import PutBack
from fsmkit.recording.value_codec import Decode

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd


class PageServer:
    """Serves the page of a source, at an address, until it is closed.

    As a context manager it closes itself at the end.
    """

    def __init__(
        self, source: PageSource, *, port: int, read_only: bool = False, token: str | None = None
    ) -> None:
        from fsmkit.inspector.server import Pages, ServerThread  # imported here: it needs the extra

        self.session: Any = source
        pages = Pages(source, read_only=read_only)
        self._server: ServerThread | None = ServerThread(pages, port, token_for(token))
        self.url = self._server.url
        """The address of the page, with the token that grants access."""
        self.dashboard_url = f"{self.url}#dashboard"
        """The address of the dashboard: many machines on a big screen, without controls."""
        atexit.register(self.close)

    def close(self) -> None:
        """Detach from the source and stop the server; a second call has no effect."""
        server, self._server = self._server, None
        if server is not None:
            atexit.unregister(self.close)
            self.session.close()
            server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Inspector at {self.url}>" if self._server else "<Inspector, closed>"


ServerT = TypeVar("ServerT", bound=PageServer)


class Inspector(PageServer):
    """An attached inspector, at an address, until it is closed.

    As a context manager it closes itself at the end.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with inspect(lamp, announce=None) as inspector:
    ...     inspector.url[:17]
    'http://127.0.0.1:'
    """

    session: Session

    def pause(self) -> None:
        """Hold back all updates until the page resumes them, even while no page is open."""
        self.session.clock.pause()

    def note_exchange(self, text: str) -> None:
        """Note that the group's machines were replaced between two updates: the recording ends."""
        self.session.note_exchange(text)


def inspect(
    machines: Fsm[Any] | FsmGroup | Crowd,
    *,
    port: int = 0,
    token: str | None = None,
    open: bool = False,  # noqa: A002  # as `webbrowser.open`, and as the option of the command
    read_only: bool = False,
    rate: float = 30.0,
    record: bool | None = None,
    watch: Watch | None = None,
    places: DefinitionSites | None = None,
    editor: str | None = None,
    ignore: Sequence[str] = (),
    stop_on_error: bool = False,
    while_held: Callable[[], object] | None = None,
    positions: str | Path | None = None,
    editing: Editor | None = None,
    announce: Callable[[str], object] | None = print,
) -> Inspector:
    """Show `machines` on a page in the browser, live, and let the page control them.

    The program goes on calling `machines.update(dt)`, for a group the group's: inside that call the
    page is sent what has happened, and its requests are carried out. The server runs in a thread of
    its own and serves this computer only. Of a crowd the page shows how many agents are in each
    state, over time, and any agent in full.

    - `port`: the port to listen on; 0 for a free one. With a fixed port, an open page reconnects by
      itself when the program is started again.
    - `token`: the part of the address that grants access, at least 16 letters, digits, `-` or `_`;
      by default that of the environment variable FSMKIT_INSPECTOR_TOKEN, else the user's own, which
      is kept in a file that nobody else can read.
    - `open`: open the page in the browser.
    - `read_only`: let the page watch, but control nothing.
    - `rate`: frames per second sent to the page, at most 60.
    - `record`: keep a recording, in a temporary file of at most 100 MB, for the page to download;
      by default if there are 32 machines or fewer.
    - `watch`: further values to show, name -> function of the machine's context; or names of
      attributes of the context, which may be properties. At most 32. The functions are called in
      the loop's thread, for machines on display, at most once per update.
    - `places`: the lines that have added states, transitions and actions, as `noting_places` of
      `fsmkit.introspection.definition_sites` has noted them while the machines were built.
    - `editor`: let a click on a line of code open it: one of vscode, vscodium, cursor, zed,
      pycharm, sublime, or an address with `{path}` and `{line}`. Not if `read_only`.
    - `ignore`: findings not to show, as for `fsmkit.checking.check`.
    - `stop_on_error`: hold the loop at each error of any machine, until the page resumes; while no
      page is open, pause the machines instead. It is a breakpoint, which can be switched off there.
    - `while_held`: called repeatedly while a machine, and the loop with it, is held at a
      breakpoint, for example `pygame.event.pump`.
    - `positions`: the file in which the page keeps where states are dragged to, such as
      `guard.positions.json`, which `fsmkit draw` reads next to `guard.py`; by default they are kept
      for the session only.
    - `editing`: let the page change the code that builds the machines, with this editor; call
      `fsmkit.reloading.reloaded` so that they go on with it. Not if `read_only`.
    - `announce`: called with the line that contains the address; None for no announcement.

    Raises ImportError without the extra, OSError if the port is taken, ValueError for an invalid
    port, for a rate that is not from 1 to 60, for a file of `positions` with something else in it,
    or if the machines are already inspected, TypeError for another argument of the wrong type,
    TypeError or ValueError for an invalid `token`, `watch`, `editor`, `editing` or `ignore`.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> with inspect(lamp, announce=None) as inspector:
    ...     print(inspector.url.partition(":")[0])
    http
    """
    local.check_inspectable(machines)
    port = local.checked_port(port)
    local.check_function(announce, "announce")
    from fsmkit.inspector import server  # noqa: F401  # fails before anything is attached

    session = local.attached(
        machines,
        read_only=read_only,
        rate=rate,
        record=record,
        watch=watch,
        stop_on_error=stop_on_error,
        ignore=ignore,
        places=places,
        editor=editor,
        while_held=while_held,
        signal=Event(),
        positions=None if positions is None else Path(positions),
        editing=editing,
        starts_processes=True,
    )
    inspector = opened(Inspector, session, announce, port=port, read_only=read_only, token=token)
    if open:
        webbrowser.open(inspector.url)
    return inspector


def opened(
    make_inspector: Callable[..., ServerT],
    session: PageSource,
    announce: Callable[[str], object] | None,
    **options: object,
) -> ServerT:
    """Return the inspector of a session, which is closed if its page cannot be served."""
    try:
        inspector = make_inspector(session, **options)
    except BaseException:
        session.close()
        raise
    if announce is not None:
        announce(f"fsmkit inspector: {inspector.url}")
    return inspector


RecordedRun: TypeAlias = Recording | str | Path

LARGEST: Final = 400_000_000
"""Bytes of a file, which is read into memory."""


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

    session: PlaybackSession


def inspect_recording(
    recording: RecordedRun,
    other: RecordedRun | None = None,
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
    that built the machines, it is replayed on new ones, in a separate thread: then the actions,
    their values and the context of a moment are shown as well, and where the replay differs from
    the recording. `decode` and `world` are those of `Replay`.

    With an `other` recording, both are shown side by side, at their first difference.

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
    port, rate = local.checked_port(port), local.checked_rate(rate)
    if build is not None and not callable(build):
        raise TypeError(f"build must be the function that builds the machines, got {build!r}.")
    from fsmkit.inspector import server  # noqa: F401  # fails before anything is read

    runs = [_loaded(recording), *([] if other is None else [_loaded(other)])]

    def make_run() -> OneRun | TwoRuns:
        first, *second = (
            OneRun(run, path, build=build, decode=decode, world=world) for run, path in runs
        )
        return TwoRuns(first, *second) if second else first

    return opened(RecordingInspector, PlaybackSession(make_run, rate=rate), announce, port=port)


def _loaded(run: RecordedRun) -> tuple[Recording, Path | None]:
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
