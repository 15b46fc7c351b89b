"""DelegateAction: an action made of plain functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import ContextT, Function, Handler, Listener, is_function, takes_state
from actions.parts.validators import is_flag, is_own_event
from fsmkit import ERROR, FAILED, FINISHED, FsmAction


def _is_listener(action: DelegateAction[Any], attribute: Attribute[Any], value: Any) -> None:
    """Make `value` take the state, an event and its data, or each handler of a mapping the data."""
    if isinstance(value, Mapping):
        handlers = {}
        for event, handler in value.items():
            is_own_event(action, attribute, event)
            part = f"on_event[{str.__repr__(event)}]"
            handlers[event] = action._fsmkit_handed(part, handler, data=True)
        object.__setattr__(action, "_on_event", handlers)
    else:
        takes_state(event=True)(action, attribute, value)


@define_action
class DelegateAction(FsmAction[ContextT]):
    """Call `on_enter`, `on_update` and `on_exit`, functions that take the state or nothing.

    Without `on_update` there is nothing to wait for: it finishes on enter. With it, it never
    finishes; in the `background` it does not hold back the state's `FINISHED`. The results of these
    functions are ignored.

    `on_event` is a mapping of events to functions that handle them, as in `OnEvent`; or a function
    that is called for every event except `FINISHED`, `FAILED` and `ERROR`, and consumes the event
    by returning something true. It takes nothing, the state, the state and the event's data, or the
    state, the event's name and its data. It is called as long as the state lasts.

    Raises TypeError for other functions, and for async and generator functions.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Ship", context="pew")
    >>> fire = fsm.add_state("Fire")
    >>> fire.add_action(DelegateAction(lambda state: print(state.context)))
    DelegateAction(on_enter=<lambda>)
    >>> _ = fire.add_action(DelegateAction(on_event={
    ...     "HIT": lambda state, damage: print("ouch", damage),
    ...     "MISS": lambda: print("ha"),
    ... }))
    >>> fsm.start("Fire")
    pew
    >>> fsm.send_event("HIT", 3), fsm.send_event("MISS")
    ouch 3
    ha
    (True, True)
    """

    _on_enter: Function[ContextT] | None = field(
        default=None, alias="on_enter", validator=is_function
    )
    _on_update: Function[ContextT] | None = field(
        default=None, alias="on_update", validator=is_function
    )
    _on_exit: Function[ContextT] | None = field(
        default=None, alias="on_exit", validator=is_function
    )
    _on_event: Listener[ContextT] | Mapping[str, Handler[ContextT]] | None = field(
        default=None, alias="on_event", kw_only=True, validator=_is_listener
    )
    background: bool = field(default=False, kw_only=True, validator=is_flag)

    def __attrs_post_init__(self) -> None:
        if self._on_event is not None:  # otherwise it is never offered events, which stay fast
            self.__class__ = _listening(type(self))

    @property
    def finishes(self) -> Finishes | None:
        return "at once" if self._on_update is None else "never"

    def on_enter(self) -> None:
        if self._on_enter is not None:
            self._on_enter(self.state)  # type: ignore[call-arg]  # takes the state by now
        if self._on_update is None:
            self.finish()

    def on_update(self) -> None:
        if self._on_update is not None:
            self._on_update(self.state)  # type: ignore[call-arg]  # takes the state by now

    def on_exit(self) -> None:
        if self._on_exit is not None:
            self._on_exit(self.state)  # type: ignore[call-arg]  # takes the state by now


class ListeningDelegate(DelegateAction[ContextT]):
    @property
    def takes(self) -> Sequence[str]:
        return tuple(self._on_event) if isinstance(self._on_event, Mapping) else ()

    def _would_take_(self, event: str) -> bool | str | None:
        if isinstance(self._on_event, Mapping):
            return event in self._on_event
        return False if event in (FINISHED, FAILED, ERROR) else None

    def on_event(self, event: str, data: object) -> bool:
        if isinstance(self._on_event, Mapping):
            handler = self._on_event.get(event)
            if handler is not None:
                handler(self.state, data)  # type: ignore[call-arg]  # takes both by now
            return handler is not None
        if self._on_event is None or event in (FINISHED, FAILED, ERROR):
            return False
        return bool(self._on_event(self.state, event, data))  # type: ignore[call-arg]  # takes all by now

    def __reduce__(self) -> tuple[Any, ...]:
        _, _, kind, *_ = type(self).__mro__  # below the class made for it and ListeningDelegate
        return _blank, (kind,), vars(self)


def _listening(kind: type[DelegateAction[Any]]) -> Any:
    """The listening variant of a class. Users see no difference: it has the same name."""
    if kind.on_event is not FsmAction.on_event:
        return kind
    if kind not in _LISTENING:
        bases = (ListeningDelegate,) if kind is DelegateAction else (ListeningDelegate, kind)
        contents = {"__doc__": kind.__doc__, "__module__": kind.__module__}
        _LISTENING[kind] = type(kind.__name__, bases, contents)
    return _LISTENING[kind]


def _blank(kind: type[DelegateAction[Any]]) -> DelegateAction[Any]:
    blank: DelegateAction[Any] = object.__new__(_listening(kind))
    return blank


_LISTENING: Final[dict[object, type]] = {}
