"""Calls from outside: how tools are told of them, and may have a say.

Observers learn what a machine does, not what it was asked to do. While a machine is watched here
its class is one that asks each interceptor first, so a machine that nobody watches pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

from fsmkit import Fsm, FsmState


class Interceptor(Protocol):
    """What stands between the callers of a machine and the machine.

    It is called with the name of the method (`"start"`, `"stop"`, `"send_event"`, `"offer_event"`,
    `"post_event"`, `"send_event_after"` or `"update"`), its arguments by name, and a function that
    carries the call out, and returns what that returns. It hears of calls from inside callbacks as
    well.
    """

    def __call__(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any], /
    ) -> Any:
        """Deal with one call."""
        ...


def intercept(fsm: Fsm[Any], interceptor: Interceptor) -> Callable[[], None]:
    """Have `interceptor` asked about every call to `fsm`; the function returned ends that.

    Of several the last one is asked first.
    """
    if fsm not in _INTERCEPTORS:
        _INTERCEPTORS[fsm] = ()
        fsm.__class__ = _intercepted(type(fsm))
    _INTERCEPTORS[fsm] = (*_INTERCEPTORS[fsm], interceptor)

    def undo() -> None:
        others = tuple(one for one in _INTERCEPTORS.get(fsm, ()) if one is not interceptor)
        if others:
            _INTERCEPTORS[fsm] = others
        elif _INTERCEPTORS.pop(fsm, None):
            fsm.__class__ = type(fsm).__mro__[1]

    return undo


def _start(fsm: Fsm[Any], state: FsmState[Any] | str | None = None) -> None:
    _ask(fsm, "start", {"state": state})


def _stop(fsm: Fsm[Any]) -> None:
    _ask(fsm, "stop", {})


def _send_event(fsm: Fsm[Any], event: str, data: object = None) -> Any:
    return _ask(fsm, "send_event", {"event": event, "data": data})


def _offer_event(fsm: Fsm[Any], event: str, data: object = None) -> Any:
    return _ask(fsm, "offer_event", {"event": event, "data": data})


def _post_event(fsm: Fsm[Any], event: str, data: object = None) -> None:
    _ask(fsm, "post_event", {"event": event, "data": data})


def _send_event_after(
    fsm: Fsm[Any], delay: float, event: str, data: object = None, *, keep: bool = False
) -> Any:
    arguments = {"delay": delay, "event": event, "data": data}
    return _ask(fsm, "send_event_after", {**arguments, "keep": True} if keep else arguments)


def _update(fsm: Fsm[Any], dt: float) -> None:
    _ask(fsm, "update", {"dt": dt})


def _ask(fsm: Fsm[Any], call: str, arguments: dict[str, Any]) -> Any:
    carry_out: Callable[..., Any] = getattr(super(type(fsm), fsm), call)
    for interceptor in _INTERCEPTORS[fsm]:
        carry_out = _through(interceptor, fsm, call, carry_out)
    return carry_out(**arguments)


def _through(
    interceptor: Interceptor, fsm: Fsm[Any], call: str, carry_out: Callable[..., Any]
) -> Callable[..., Any]:
    return lambda **arguments: interceptor(fsm, call, arguments, carry_out)


def _intercepted(kind: type[Fsm[Any]]) -> type[Fsm[Any]]:
    """The class of machines of the class `kind` that are watched: the same, but for the calls."""
    if kind not in _CLASSES:
        calls = {
            "start": _start,
            "stop": _stop,
            "send_event": _send_event,
            "offer_event": _offer_event,
            "post_event": _post_event,
            "send_event_after": _send_event_after,
            "update": _update,
        }
        names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        _CLASSES[kind] = type(kind.__name__, (kind,), {"__slots__": (), **names, **calls})
    return _CLASSES[kind]


_INTERCEPTORS: Final[WeakKeyDictionary[Fsm[Any], tuple[Interceptor, ...]]] = WeakKeyDictionary()
_CLASSES: Final[dict[type[Fsm[Any]], type[Fsm[Any]]]] = {}
