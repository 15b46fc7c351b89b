"""LocalInspector: the inspector without a server, and the checks of an inspection's arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Self, TypeGuard

from fsmkit import Fsm, FsmGroup
from fsmkit.checking.ignores import Ignores
from fsmkit.core.checks import arguments
from fsmkit.diagram.layout import Draw
from fsmkit.editing import Editor
from fsmkit.inspector import conversation
from fsmkit.inspector.conversation import Reply
from fsmkit.inspector.live.pausing import Signal
from fsmkit.inspector.live.requests.edit_requests import EditRequests
from fsmkit.inspector.live.requests.page_request import RequestError
from fsmkit.inspector.live.requests.reasons_process import ReasonsProcess, can_start
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.reading.code import Code, checked_editor
from fsmkit.inspector.reading.watches import Watch, Watches
from fsmkit.introspection.definition_sites import DefinitionSites

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd


def attached(
    machines: Fsm[Any] | FsmGroup | Crowd,
    *,
    read_only: bool,
    rate: float,
    record: bool | None,
    watch: Watch | None,
    stop_on_error: bool,
    ignore: Sequence[str],
    places: DefinitionSites | None,
    editor: str | None,
    while_held: Callable[[], object] | None,
    signal: Signal | None,
    positions: Path | None = None,
    editing: Editor | None = None,
    gives_text: bool = False,
    starts_processes: bool = False,
) -> Session:
    """Return a session of the machines; see `inspect` for the arguments and errors."""
    check_inspectable(machines)
    rate = checked_rate(rate)
    arguments.flag(read_only, "read_only")
    arguments.choice(record, "record", (True, False, None), TypeError)
    arguments.flag(stop_on_error, "stop_on_error")
    check_function(while_held, "while_held")
    if places is not None:
        wanted = "the DefinitionSites that noting_places() has noted, or None"
        arguments.instance(places, "places", DefinitionSites, wanted)
    _check_signal(signal)
    watches = Watches(watch)
    link = checked_editor(editor)
    code = Code(places, link, is_brief=read_only)
    edits = EditRequests(_checked_editing(editing, read_only), code.line, gives_text)
    ignored = Ignores(ignore).texts
    make_session = Session
    if _is_crowd(machines):
        _check_for_crowd(
            machines, record=record, watch=watch, stop_on_error=stop_on_error, editing=editing
        )
        record = False
        from fsmkit.inspector.crowd_session import CrowdSession  # here: it needs numpy

        make_session = CrowdSession
    session = make_session(
        machines,
        rate=rate,
        record=record,
        while_held=while_held,
        watches=watches,
        code=code,
        edits=edits,
        ignore=ignored,
        signal=signal,
        kept_places=positions,
    )
    if editing is not None and starts_processes and can_start():
        session.reasons = ReasonsProcess(editing, link)
    if stop_on_error:
        session.stops.stop_on_error()
    return session


def check_inspectable(machines: object) -> None:
    """Raise TypeError unless it is a machine, a group or a crowd."""
    if isinstance(machines, (Fsm, FsmGroup)) or _is_crowd(machines):
        return
    text = f"inspect() needs an Fsm, an FsmGroup or a Crowd, got {machines!r}."
    inside: Any = getattr(machines, "machine", None)
    if isinstance(inside, Fsm):
        text += " Pass the machine inside it, which is its .machine."
    raise TypeError(text)


def checked_port(port: object) -> int:
    otherwise = " (0: a free one)"
    return arguments.integer(
        port, "port", least=0, most=65_535, otherwise=otherwise, error=ValueError
    )


def checked_rate(rate: object) -> float:
    unit = " of frames per second"
    return arguments.number(rate, "rate", least=1.0, most=60.0, unit=unit, error=ValueError)


def check_function(function: object, what: str) -> None:
    """Raise TypeError unless it is a function or None."""
    if function is not None and not callable(function):
        raise TypeError(f"{what} must be a function or None, got {arguments.shown(function)}.")


def _check_signal(signal: object) -> None:
    methods = (getattr(signal, name, None) for name in ("set", "clear", "wait"))
    if signal is not None and not all(map(callable, methods)):
        raise TypeError(
            f"signal must have the methods of a threading.Event, set(), clear() and wait(), or be "
            f"None, got {arguments.shown(signal)}."
        )


def _checked_editing(editing: Editor | None, read_only: bool) -> Editor | None:
    if editing is not None:
        arguments.instance(editing, "editing", Editor, "an Editor of fsmkit.editing, or None")
        if read_only:
            raise ValueError("editing cannot be given with read_only: omit one of them.")
    return editing


def _is_crowd(thing: object) -> TypeGuard[Crowd]:
    crowds = sys.modules.get("fsmkit.crowd")  # not imported needlessly: it needs numpy and numba
    return crowds is not None and isinstance(thing, crowds.Crowd)


def _check_for_crowd(crowd: Crowd, **of_machines: object) -> None:
    if given := [name for name, value in of_machines.items() if value]:
        raise ValueError(
            f"{' and '.join(given)} cannot be given with a crowd, only with machines, got "
            f"{crowd!r}. Omit it: all fields of a crowd are shown, and nothing is recorded."
        )


__all__ = ["LocalInspector", "LocalPage", "Reply"]


class LocalPage(conversation.Conversation):
    """An open page: it sends requests to the loop, and takes the messages for it.

    The frames that a slow page has missed are merged into one. After a second without news, there
    is a message with the status alone.
    """

    def send(self, text: str) -> None:
        """Receive a message from the page; a malformed one is answered with an error."""
        self.receive(text if isinstance(text, str) else None)

    def close(self) -> None:
        """Send nothing more to this page."""
        self.end()


class LocalPages:
    def __init__(
        self, source: conversation.PageSource, *, read_only: bool, draw: Draw | None = None
    ) -> None:
        self._requests = conversation.Dispatcher(source, read_only, run=token_hex(8))
        self._resources = conversation.Resources(source, draw)

    def open(self, wake: Callable[[], object] = lambda: None) -> LocalPage:
        """Open a page; `wake` is called in the loop's thread when there is a message to take."""
        return LocalPage(self._requests, wake)

    def load(
        self, address: str, reply: Callable[[Reply], object], body: bytes | None = None
    ) -> None:
        """Load a resource for a page, such as `graph?machine=Guard`, or upload `body`, a snapshot.

        `reply` is called with the result: in the next update if the machines are needed, or else
        at once.
        """
        name, _, query = address.partition("?")
        wanted = conversation.query_of(query)
        errand = (
            self._resources.get(name, wanted)
            if body is None
            else self._resources.post(name, wanted, body)
        )
        if errand.request is None:
            reply(errand.finish({}))
            return
        try:
            self._requests.ask(errand.request, lambda answer: reply(errand.finish(answer)))
        except RequestError as error:
            reply(errand.finish({"error": str(error)}))


class LocalInspector(LocalPages):
    """Shows machines on pages that are connected to it by function calls.

    It needs no server, no thread and no package of the extra, so it can inspect machines that run
    inside a browser. The program goes on calling `machines.update(dt)`, as for
    `fsmkit.inspector.inspect`, whose other arguments are the same.

    - `signal`: how to wait at a breakpoint, in the middle of a call, while pages go on sending:
      `set()` is called with each request, `wait(seconds)` in the loop. A `threading.Event` will do
      where pages are in other threads. By default the loop does not wait: the machines are paused
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
        places: DefinitionSites | None = None,
        editor: str | None = None,
        ignore: Sequence[str] = (),
        stop_on_error: bool = False,
        while_held: Callable[[], object] | None = None,
        signal: Signal | None = None,
        draw: Draw | None = None,
        editing: Editor | None = None,
    ) -> None:
        check_function(draw, "draw")
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
            editing=editing,
            gives_text=True,
        )
        self._is_attached = True
        super().__init__(self.session, read_only=read_only, draw=draw)

    def pause(self) -> None:
        """Hold back all updates until the page resumes them."""
        self.session.clock.pause()

    def note_exchange(self, text: str) -> None:
        """Note that the group's machines were replaced between two updates: the recording ends."""
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
