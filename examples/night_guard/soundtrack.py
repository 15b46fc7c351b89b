"""The sounds of the night: each one is one more action in a state of a finished machine.

So the machines of the game know nothing of sounds, and it is played without as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from attrs import astuple, define, field, frozen
from game import Game
from thief import SECONDS_PER_STEP, Thief
from watch import Guard
from world import tile_at

from actions import Play, Repeat, Sequence, TimedWait
from fsmkit import Fsm
from fsmkit.space import Position, distance


@frozen(kw_only=True)
class Sounds:
    """A sound for each thing to be heard; None is silence."""

    step_on_stone: Any = None
    step_on_wood: Any = None
    step_on_carpet: Any = None
    door: Any = None
    huh: Any = None
    hey: Any = None
    siren: Any = None
    jewel: Any = None
    caught: Any = None
    escaped: Any = None
    click: Any = None

    @property
    def all(self) -> list[Any]:
        """Those that are to be heard."""
        return [sound for sound in astuple(self, recurse=False) if sound is not None]


@define(eq=False)
class Speaker:
    """What the sounds come out of: this one is silent, see `Loudspeaker`."""

    sounds: Sounds = field(factory=Sounds, init=False)
    is_muted: bool = field(default=False, init=False)
    is_halted: bool = field(default=False, init=False)


SNEAKING: Final = 0.25
"""The loudness of a step, relative to that of somebody who runs."""

FAR: Final = 16.0
"""The distance in tiles from which a sound is as faint as it gets."""
FAINTEST: Final = 0.15


def add_sounds(game: Game, sounds: Sounds) -> None:
    """Have the machines of a game heard, but for the guards: see `add_voices`."""
    add_steps(game.hands, sounds)
    ring = Play(sounds.siren, volume=0.5, loop=True, background=True)
    game.machines["Siren"].states["Ringing"].add_action(ring)
    game.night.states["Escaped"].add_action(Play(sounds.escaped))
    game.night.states["Caught"].add_action(Play(sounds.caught))
    for jewel in game.jewels:
        game.machines[f"The {jewel.name}"].states["Taken"].add_action(Play(sounds.jewel))
    for door in game.world.doors_inside:
        opens = Play(sounds.door, volume=partial(_loudness, door.tile, game.thief))
        game.machines[f"Door {door.tile}"].states["Opening"].add_action(opens)


def add_voices(guards: Iterable[Fsm[Guard]], sounds: Sounds) -> list[Play]:
    """Have guards ask when they hear or see something, and shout when they run after him.

    Return what has them do so.
    """
    words = {"Listen": sounds.huh, "Suspect": sounds.huh, "Chase": sounds.hey}
    return [
        guard.states[name].add_action(Play(word))
        for guard in guards
        for name, word in words.items()
        if name in guard.states  # guards.py may be changed while they walk
    ]


def add_steps(hands: Fsm[Thief], sounds: Sounds) -> None:
    """Have the thief's steps heard, by what he walks on and how he goes."""
    thief = hands.context
    floors = {":": sounds.step_on_stone, ",": sounds.step_on_carpet}

    def step() -> Any:
        return floors.get(thief.world.letter(tile_at(thief.body.position)), sounds.step_on_wood)

    for name, seconds, volume in (("Run", 1.0, 1.0), ("Sneak", 1.6, SNEAKING)):
        pause = TimedWait(seconds * SECONDS_PER_STEP)
        hands.states[name].add_action(Repeat(Sequence(pause, Play(step, volume=volume))))


def _loudness(place: Position, listener: Thief) -> float:
    return max(FAINTEST, 1.0 - distance(place, listener.body.position) / FAR)
