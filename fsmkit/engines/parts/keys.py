"""Keys: the keys, buttons and axes of an engine, as events and as values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from attrs import define, field

from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivering import Machines, offer

Bindings: TypeAlias = Mapping[Any, str]
"""Keys, or a `Held`, and the events they send."""


def _list_of(held: Held | Iterable[Held]) -> list[Held]:
    """Return every Held, also of a single one."""
    every: Any = [held] if isinstance(held, Held) else held
    listed = [*every] if isinstance(every, Iterable) else [every]
    if not all(isinstance(each, Held) for each in listed):
        raise TypeError(
            f"send_keys: held must be a Held or a list of them, got {held!r}. "
            "Make one of keys: Held('left', 'right')."
        )
    return listed


@define(eq=False)
class Keys:
    """Sends the events of `pressed` and `released`, and keeps every `Held` up to date.

    A plain key sends its events with itself as data. A `Held` in `pressed` sends its event whenever
    its direction has changed, with that as data; one in `released` when nothing of it is held any
    more. Those in `held` are only kept up to date.

    `own` turns a key as the user may write it into the engine's own, or raises ValueError.
    """

    machines: Machines
    pressed: Bindings
    released: Bindings = field(factory=dict)
    held: list[Held] = field(factory=list, converter=_list_of)
    own: Callable[[Any], Hashable] = field(default=lambda key: key)
    _down: dict[Hashable, tuple[str, Any]] = field(init=False, repr=False)
    _up: dict[Hashable, tuple[str, Any]] = field(init=False, repr=False)
    """Own key -> event and data."""
    _watched: dict[Held, dict[Hashable, Any]] = field(init=False, repr=False)
    """Held -> own key -> its key."""
    _told: dict[Held, Any] = field(factory=dict, init=False, repr=False)
    """Held -> the direction that has been sent."""
    _pressed: dict[Hashable, bool] = field(factory=dict, init=False, repr=False)
    """Own key that is down -> False once it has been released by `release_all`."""

    def __attrs_post_init__(self) -> None:
        self._down, self._up = self._plain(self.pressed), self._plain(self.released)
        every = [*self.pressed, *self.released, *self.held]
        helds = [each for each in every if isinstance(each, Held)]
        self._watched = {each: {self.own(key): key for key in each.values} for each in helds}

    @property
    def known(self) -> set[Hashable]:
        """The engine's own keys that matter here."""
        return {*self._down, *self._up, *(key for keys in self._watched.values() for key in keys)}

    @property
    def axes(self) -> set[str]:
        """The axes that matter here."""
        return {held.axis for held in self._watched if held.axis is not None}

    def press(self, key: Hashable) -> bool:
        """Note that a key has gone down; return True if it is one of these."""
        if key in self._up:
            self._pressed[key] = True
        return self._change(key, self._down, Held.press)

    def release(self, key: Hashable) -> bool:
        """Note that a key has gone up; return True if it is one of these."""
        if not self._pressed.pop(key, True):
            return True
        return self._change(key, self._up, Held.release)

    def move(self, axis: str, position: float) -> bool:
        """Note where an axis stands; return True if it is one of these."""
        known = [held for held in self._watched if held.move(axis, position)]
        self._tell()
        return bool(known)

    def release_all(self) -> None:
        """Note that nothing is held any more, as when the window has lost the keyboard."""
        for key in [key for key, counts in self._pressed.items() if counts]:
            self._pressed[key] = False
            offer(self.machines, *self._up[key])
        for held in self._watched:
            held.release_all()
        self._tell()

    def _plain(self, bindings: Bindings) -> dict[Hashable, tuple[str, Any]]:
        _check_bindings(bindings)
        plain = {key: event for key, event in bindings.items() if not isinstance(key, Held)}
        return {self.own(key): (event, key) for key, event in plain.items()}

    def _change(
        self,
        key: Hashable,
        events: Mapping[Hashable, tuple[str, Any]],
        note: Callable[[Held, Hashable], bool],
    ) -> bool:
        known = [note(held, keys[key]) for held, keys in self._watched.items() if key in keys]
        if key in events:
            offer(self.machines, *events[key])
        self._tell()
        return key in events or bool(known)

    def _tell(self) -> None:
        """Send the events of every Held whose direction has changed."""
        for held in self._watched:
            before, now = self._told.get(held, held.at_rest), held.direction
            if now == before:
                continue
            self._told[held] = now
            event = (self.released if held.newest is None else self.pressed).get(held)
            if event is not None:
                offer(self.machines, event, now)


def _check_bindings(bindings: object) -> None:
    """Refuse what does not say which event each key sends."""
    if not isinstance(bindings, Mapping):
        raise TypeError(
            "send_keys: keys must be a mapping from keys to events, such as "
            f"{{'space': 'JUMP'}}, got {bindings!r}. A Held that sends nothing is for held=."
        )
    for key, event in bindings.items():
        if not isinstance(event, str):
            raise TypeError(f"send_keys: the event of {key!r} must be a str, got {event!r}.")
