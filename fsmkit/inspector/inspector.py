"""inspect: the one line that attaches the inspector."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any, Self

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.loop.session import Session

HIGHEST_RATE = 60.0
HIGHEST_PORT = 65_535


class Inspector:
    """An inspector that is attached: it knows its address, and can be closed.

    With `with` around it, it is closed in the end.
    """

    def __init__(self, session: Session, *, port: int, read_only: bool) -> None:
        from fsmkit.inspector.serving.pages import Pages  # here: these need the extra
        from fsmkit.inspector.serving.server import ServerThread

        self.session = session
        self._server: ServerThread | None = ServerThread(Pages(session, read_only=read_only), port)
        self.url = self._server.url
        """The address of the page, with the token that lets you in."""
        atexit.register(self.close)

    def pause(self) -> None:
        """Let no update through until the page says so."""
        self.session.pacing.pause()

    def close(self) -> None:
        """Let go of the machines and end the server; without effect a second time."""
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


def inspect(
    machines: Fsm[Any] | FsmGroup,
    *,
    port: int = 0,
    read_only: bool = False,
    rate: float = 30.0,
    record: bool | None = None,
    while_held: Callable[[], object] | None = None,
    announce: Callable[[str], object] | None = print,
) -> Inspector:
    """Show `machines` on a page in the browser, live, and let the page control them.

    The program goes on calling `machines.update(dt)`, of a group that of the group: in there the
    page is told what happens, and gets what it asks for. The server runs in a thread of its own and
    is there for this computer only.

    - `port`: where the server listens; 0 for one that is free.
    - `read_only`: grant no control.
    - `rate`: how many times a second the page is told, at most 60.
    - `record`: keep a recording, in a temporary file of 100 MB at most, for the page to download;
      by default if there are 32 machines or fewer.
    - `while_held`: called again and again while a machine is held at a breakpoint, and the loop
      with it, for example `pygame.event.pump`.
    - `announce`: called with the line that has the address; None for none.

    Raises ImportError without the extra, OSError if the port is taken, ValueError if there is no
    such port, if the rate is not from 1 to 60, or if the machines are inspected already.

    >>> from fsmkit import Fsm
    >>> lamp = Fsm("Lamp")
    >>> lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> with inspect(lamp, announce=None) as inspector:
    ...     print(inspector.url.partition(":")[0])
    http
    """
    if not isinstance(machines, (Fsm, FsmGroup)):
        raise TypeError(_wrong(machines))
    if not isinstance(port, int) or not 0 <= port <= HIGHEST_PORT:
        raise ValueError(f"port is a whole number from 0 to {HIGHEST_PORT}, not {port!r}.")
    if not 1.0 <= rate <= HIGHEST_RATE:
        raise ValueError(f"rate is frames per second, from 1 to {HIGHEST_RATE:g}, not {rate!r}.")
    from fsmkit.inspector.serving import web  # noqa: F401  # before anything is attached

    session = Session(machines, rate=rate, record=record, while_held=while_held)
    try:
        inspector = Inspector(session, port=port, read_only=read_only)
    except BaseException:
        session.close()
        raise
    if announce is not None:
        announce(f"fsmkit inspector: {inspector.url}")
    return inspector


def _wrong(thing: object) -> str:
    text = f"inspect() takes an Fsm or an FsmGroup, not {thing!r}."
    if isinstance(getattr(thing, "machine", None), Fsm):
        return f"{text} Give it the machine inside, which is its .machine."
    return text
