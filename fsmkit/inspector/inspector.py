"""inspect() and the Inspector that it returns."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from threading import Event
from typing import TYPE_CHECKING, Any, Self

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.arguments import (
    check_function,
    check_inspectable,
    check_port,
)
from fsmkit.inspector.attaching import attached
from fsmkit.inspector.loop.session import Session
from fsmkit.inspector.loop.source import ClosableSource
from fsmkit.inspector.reading.watches import Watch
from fsmkit.tooling.places import Places

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd


class PageServer:
    """Serves the page of a source: it has an address and can be closed.

    As a context manager it closes itself at the end.
    """

    def __init__(self, source: ClosableSource, *, port: int, read_only: bool) -> None:
        from fsmkit.inspector.serving.pages import Pages  # here, since these need the extra
        from fsmkit.inspector.serving.server import ServerThread

        self._source = source
        self._server: ServerThread | None = ServerThread(Pages(source, read_only=read_only), port)
        self.url = self._server.url
        """The address of the page, with the token that grants access."""
        self.dashboard_url = f"{self.url}#dashboard"
        """The address of the dashboard: many machines on a big screen, without controls."""
        atexit.register(self.close)

    def close(self) -> None:
        """Detach from what is shown and stop the server; a second call has no effect."""
        server, self._server = self._server, None
        if server is not None:
            atexit.unregister(self.close)
            self._source.close()
            server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Inspector at {self.url}>" if self._server else "<Inspector, closed>"


class Inspector(PageServer):
    """An attached inspector: it has an address and can be closed.

    As a context manager it closes itself at the end.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with inspect(lamp, announce=None) as inspector:
    ...     inspector.url[:17]
    'http://127.0.0.1:'
    """

    def __init__(self, session: Session, *, port: int, read_only: bool) -> None:
        self.session = session
        super().__init__(session, port=port, read_only=read_only)

    def pause(self) -> None:
        """Hold back all updates until the page resumes them, however long no page is open."""
        self.session.clock.pause()

    def note_exchange(self, text: str) -> None:
        """Note that the group has got other machines, between two updates: the recording ends."""
        self.session.note_exchange(text)


def inspect(
    machines: Fsm[Any] | FsmGroup | Crowd,
    *,
    port: int = 0,
    read_only: bool = False,
    rate: float = 30.0,
    record: bool | None = None,
    watch: Watch | None = None,
    places: Places | None = None,
    editor: str | None = None,
    ignore: Sequence[str] = (),
    stop_on_error: bool = False,
    while_held: Callable[[], object] | None = None,
    announce: Callable[[str], object] | None = print,
) -> Inspector:
    """Show `machines` on a page in the browser, live, and let the page control them.

    The program goes on calling `machines.update(dt)`, for a group the group's: inside that call the
    page is sent what has happened, and its requests are carried out. The server runs in a thread of
    its own and serves this computer only. Of a crowd the page shows how many agents are in each
    state, over time, and any agent in full.

    - `port`: the port to listen on; 0 for a free one.
    - `read_only`: let the page watch, but control nothing.
    - `rate`: frames per second sent to the page, at most 60.
    - `record`: keep a recording, in a temporary file of at most 100 MB, for the page to download;
      by default if there are 32 machines or fewer.
    - `watch`: further values to show, name -> function of the machine's context; or names of
      attributes of the context, which may be properties. At most 32. The functions are called in
      the loop's thread, for machines on display, at most once per update.
    - `places`: the lines that have added states, transitions and actions, as `noting_places` of
      `fsmkit.tooling.places` has noted them while the machines were built.
    - `editor`: let a click on a line of code open it: one of vscode, vscodium, cursor, zed,
      pycharm, sublime, or an address with `{path}` and `{line}`. Not if `read_only`.
    - `ignore`: findings not to show, as for `fsmkit.checking.check`.
    - `stop_on_error`: hold the loop at each error of any machine, until the page resumes; while no
      page is open, pause the machines instead. It is a breakpoint, which can be switched off there.
    - `while_held`: called repeatedly while a machine, and the loop with it, is held at a
      breakpoint, for example `pygame.event.pump`.
    - `announce`: called with the line that contains the address; None for no announcement.

    Raises ImportError without the extra, OSError if the port is taken, ValueError for an invalid
    port, for a rate that is not from 1 to 60, or if the machines are already inspected, TypeError
    for another argument of the wrong type, TypeError or ValueError for a `watch`, an `editor` or an
    `ignore` that is none of these.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> with inspect(lamp, announce=None) as inspector:
    ...     print(inspector.url.partition(":")[0])
    http
    """
    check_inspectable(machines)
    check_port(port)
    check_function("announce", announce)
    from fsmkit.inspector.serving import web  # noqa: F401  # fails before anything is attached

    session = attached(
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
    )
    try:
        inspector = Inspector(session, port=port, read_only=read_only)
    except BaseException:
        session.close()
        raise
    if announce is not None:
        announce(f"fsmkit inspector: {inspector.url}")
    return inspector
