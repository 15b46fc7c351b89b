"""Moods: the colour of a guard's torch, and the sign over his head, by the state he is in."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from drawing.canvas import Color
from fsmkit import Fsm


@frozen
class Mood:
    color: Color
    sign: str = ""


CALM: Final = Mood((255, 214, 140))
WARY: Final = Mood((255, 168, 50), "?")
ANGRY: Final = Mood((255, 70, 56), "!")
TIRED: Final = Mood((190, 200, 255), "...")

MOODS: Final = {
    "Listen": WARY,
    "Investigate": WARY,
    "Suspect": WARY,
    "LookAround": WARY,
    "Chase": ANGRY,
    "Arrest": ANGRY,
    "GiveUp": TIRED,
}


def mood_of(machine: Fsm[Any]) -> Mood:
    """Return the mood of a guard."""
    state = machine.current_state
    return MOODS.get(state.name, CALM) if state is not None else CALM
