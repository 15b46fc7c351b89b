"""Sounds of any engine: how they are played, and controlled while they play.

An engine's adapter, such as `fsmkit.engines.pygame`, registers its sounds when it is imported.
Others are registered the same way: `play.register(TheirSound, function)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from os import PathLike
from typing import Any, Final, Protocol

from attrs import frozen

__all__ = ["SILENCE", "Playing", "check_sound", "may_be_sound", "play"]

ADAPTERS: Final = {
    **{name: name for name in ("arcade", "panda3d", "pygame", "pyglet", "ursina")},
    "_cffi_backend": "raylib",
}
"""The package of a class of sounds -> the adapter that can play them."""


class Playing(Protocol):
    """A sound that is being played."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended or was stopped; a paused one is not over."""
        ...

    def stop(self) -> None:
        """Stop it; without effect on one that is over."""
        ...

    def pause(self) -> None:
        """Pause it until `resume`."""
        ...

    def resume(self) -> None:
        """Continue where it was paused."""
        ...


@frozen(repr=False)
class PlayingTogether:
    """Sounds that were started together; without any it is silence, over at once."""

    parts: tuple[Playing, ...]

    @property
    def is_over(self) -> bool:
        return all(part.is_over for part in self.parts)

    def stop(self) -> None:
        """Stop them all, even if one of them fails."""
        _stop(self.parts)

    def pause(self) -> None:
        for part in self.parts:
            part.pause()

    def resume(self) -> None:
        for part in self.parts:
            part.resume()

    def __repr__(self) -> str:
        return f"PlayingTogether(parts={self.parts!r})" if self.parts else "SILENCE"


SILENCE: Final = PlayingTogether(())
"""The result of playing a sound that cannot be heard, as its device is missing or busy."""


@singledispatch
def play(sound: Any, volume: float = 1.0, loop: bool = False) -> Playing:
    """Play `sound` and return its `Playing`.

    `volume` is relative: 1 is the sound's own loudness, 0.5 half of that. With `loop` it repeats;
    if an engine cannot loop, it ends, and the caller has to play it again. A list of sounds is
    played together, and over when all of them are. None is silence.

    Anything with a `play()` can be played; it is not controlled then, and counts as over at once.
    Raises TypeError for a sound that cannot be played, or not with this volume or in a loop: see
    `check_sound`.

    >>> class Bell:
    ...     def play(self):
    ...         print("ding")
    >>> play(Bell())
    ding
    SILENCE
    """
    check_sound(sound, is_controlled=loop or volume != 1.0)
    sound.play()
    return SILENCE


@play.register(type(None))
def _(_silence: None, volume: float = 1.0, loop: bool = False) -> Playing:  # noqa: ARG001  # as play
    return SILENCE


@play.register(list)
@play.register(tuple)
def _(sounds: Sequence[Any], volume: float = 1.0, loop: bool = False) -> Playing:
    check_sound(sounds, is_controlled=loop or volume != 1.0)
    begun: list[Playing] = []
    try:
        for sound in sounds:
            begun.append(play(sound, volume, loop))  # noqa: PERF401  # one by one, as one may fail
    except BaseException:  # one that fails must not leave the others playing
        _stop(begun[::-1])
        raise
    return PlayingTogether(tuple(begun))


def _stop(sounds: Sequence[Playing]) -> None:
    """Stop all of them in order, even if one of them fails."""
    if sounds:
        try:
            sounds[0].stop()
        finally:
            _stop(sounds[1:])


def check_sound(sound: Any, who: str = "play", *, is_controlled: bool = False) -> None:
    """Raise TypeError unless `sound` can be played; `who` begins the message.

    One that `is_controlled` is to be looped, stopped, or played at another volume, which only the
    adapter of its engine can do: that has to be imported first.

    >>> check_sound("step.wav", "Play")
    Traceback (most recent call last):
    ...
    TypeError: Play: sound must be a sound, something with a play(), got 'step.wav'. Load it first.
    """
    if isinstance(sound, list | tuple):
        for part in sound:
            check_sound(part, who, is_controlled=is_controlled)
    elif not _is_registered(sound):
        has_play = callable(getattr(sound, "play", None)) and not isinstance(sound, type)
        if has_play and not is_controlled:
            return
        adapter = _adapter_of(sound)
        unknown = f"{who}: no adapter can play, loop, stop and quieten {sound!r} yet."
        if adapter:
            raise TypeError(f"{unknown} Import {adapter} first.")
        if not has_play:
            hint = " Load it first." if isinstance(sound, str | PathLike) else ""
            wanted = "a sound, something with a play()"
            raise TypeError(f"{who}: sound must be {wanted}, got {sound!r}.{hint}")
        name = type(sound).__name__
        raise TypeError(f"{unknown} Register it: fsmkit.sound.play.register({name}, function).")


def may_be_sound(thing: object) -> bool:
    """Whether `thing` is a sound itself, rather than a function that returns one.

    Some sounds are callable, such as every struct of C.

    >>> may_be_sound(lambda: "beep.wav"), may_be_sound("beep.wav")
    (False, True)
    """
    return _is_registered(thing) or hasattr(thing, "play") or not callable(thing) or _is_c(thing)


def _is_registered(sound: object) -> bool:
    return play.dispatch(type(sound)) is not play.dispatch(object)


def _is_c(thing: object) -> bool:
    """Whether it is a struct of C, as raylib's sounds are."""
    return type(thing).__module__ == "_cffi_backend"


def _adapter_of(sound: object) -> str:
    """The module that can play `sound`; empty if there is none."""
    packages = (kind.__module__.partition(".")[0] for kind in type(sound).__mro__)
    names = (ADAPTERS[package] for package in packages if package in ADAPTERS)
    name = next(names, "")
    return f"fsmkit.engines.{name}" if name else ""
