"""LocalInspector: the inspector without a server, for a page in the same program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.layout import Draw
from fsmkit.inspector.arguments import check_function
from fsmkit.inspector.attaching import attached
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.inspector.loop.signal import Signal
from fsmkit.inspector.loop.source import Source
from fsmkit.inspector.reading.watches import Watch
from fsmkit.inspector.talking.conversation import Conversation
from fsmkit.inspector.talking.dispatcher import Dispatcher
from fsmkit.inspector.talking.resources import Reply, Resources, query_of
from fsmkit.tooling.places import Places

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd

__all__ = ["LocalInspector", "LocalPage", "Reply"]


class LocalInspector:
    """Shows machines on pages that are joined to it by function calls.

    It needs no server, no thread and no package of the extra: that is how machines are inspected
    that run inside a browser. The program goes on calling `machines.update(dt)`, as for
    `fsmkit.inspector.inspect`, whose other arguments are the same.

    - `signal`: how to wait at a breakpoint, in the middle of a call, while pages go on sending:
      `set()` is called with each request, `wait(seconds)` in the loop. A `threading.Event` will do
      where pages are in other threads. By default there is no waiting: the machines are paused
      after the change instead of held before it.
    - `draw`: returns the SVG for a graph in the DOT language; by default Graphviz is run.

    As a context manager it closes itself at the end.

    >>> import json
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    >>> lamp.start()
    >>> with LocalInspector(lamp) as inspector:
    ...     page = inspector.open()
    ...     json.loads(page.take())["machines"]
    ...     page.send('{"id": 1, "do": "send", "machine": "Lamp", "event": "PRESSED"}')
    ...     lamp.update(0.02)
    ...     json.loads(page.take())["outcome"], lamp.current_state.name
    [['Lamp', 'Off']]
    ("'PRESSED' leads from 'Off' to 'On'.", 'On')
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup | Crowd,
        *,
        read_only: bool = False,
        rate: float = 30.0,
        record: bool | None = None,
        watch: Watch | None = None,
        places: Places | None = None,
        editor: str | None = None,
        ignore: Sequence[str] = (),
        stop_on_error: bool = False,
        while_held: Callable[[], object] | None = None,
        signal: Signal | None = None,
        draw: Draw | None = None,
    ) -> None:
        check_function("draw", draw)
        self.session = attached(
            machines,
            read_only=read_only,
            rate=rate,
            record=record,
            watch=watch,
            places=places,
            editor=editor,
            ignore=ignore,
            stop_on_error=stop_on_error,
            while_held=while_held,
            signal=signal,
        )
        self._is_attached = True
        self._pages = LocalPages(self.session, read_only=read_only, draw=draw)

    def open(self, wake: Callable[[], object] = lambda: None) -> LocalPage:
        """Open a page; `wake` is called in the loop's thread when there is a message to take."""
        return self._pages.open(wake)

    def load(
        self, address: str, reply: Callable[[Reply], object], body: bytes | None = None
    ) -> None:
        """Load a resource for a page, such as `graph?machine=Guard`, or hand in `body`, a snapshot.

        `reply` is called with the result: in the next update if the machines are needed, or else
        at once.
        """
        self._pages.load(address, reply, body)

    def pause(self) -> None:
        """Hold back all updates until the page resumes them."""
        self.session.clock.pause()

    def note_exchange(self, text: str) -> None:
        """Note that the group has got other machines, between two updates: the recording ends."""
        self.session.note_exchange(text)

    def close(self) -> None:
        """Detach from the machines; a second call has no effect."""
        if self._is_attached:
            self._is_attached = False
            self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class LocalPages:
    """Opens pages of any source."""

    def __init__(self, source: Source, *, read_only: bool, draw: Draw | None = None) -> None:
        self._requests = Dispatcher(source, read_only)
        self._resources = Resources(source, draw)

    def open(self, wake: Callable[[], object] = lambda: None) -> LocalPage:
        """Open a page; `wake` is called in the loop's thread when there is a message to take."""
        return LocalPage(self._requests, wake)

    def load(
        self, address: str, reply: Callable[[Reply], object], body: bytes | None = None
    ) -> None:
        """Load a resource for a page, or hand in `body`; see `LocalInspector.load`."""
        name, _, query = address.partition("?")
        wishes = query_of(query)
        errand = (
            self._resources.get(name, wishes)
            if body is None
            else self._resources.post(name, wishes, body)
        )
        if errand.request is None:
            reply(errand.finish({}))
            return
        try:
            self._requests.ask(errand.request, lambda answer: reply(errand.finish(answer)))
        except RequestError as error:
            reply(errand.finish({"error": str(error)}))


class LocalPage:
    """An open page: what it sends goes to the loop, what the loop has for it is there to take."""

    def __init__(self, requests: Dispatcher, wake: Callable[[], object]) -> None:
        self._conversation = Conversation(requests, wake)

    def take(self) -> str | None:
        """Return the next message for the page, which is JSON; None if there is nothing new.

        A page that takes slowly gets the frames it has missed merged into one. After a second
        without news there is a message with the status alone.
        """
        return self._conversation.take()

    def send(self, text: str) -> None:
        """Take a message from the page; what is malformed is answered with an error."""
        self._conversation.receive(text if isinstance(text, str) else None)

    def close(self) -> None:
        """Send nothing more to this page."""
        self._conversation.end()
