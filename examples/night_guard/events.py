"""The events that the machines of the night send each other, and themselves."""

from typing import Final

from noises import Noise

from fsmkit import Event
from fsmkit.space import Position

NOISE: Final = Event[Noise]("NOISE")
"""To all guards: someone makes a noise."""

RING: Final = Event[Position]("RING")
"""To the siren: the place where the thief is."""

ALARM: Final = Event[Position]("ALARM")
"""From the siren to all guards: that place."""

GATE_UP: Final = Event[None]("GATE_UP")
"""To all: the jewels are taken, the way out is open."""

ARREST: Final = Event[None]("ARREST")
"""To all: the thief is caught."""

ESCAPE: Final = Event[None]("ESCAPE")
"""To all: the thief is out."""

SEEN: Final = Event[None]("SEEN")
CERTAIN: Final = Event[None]("CERTAIN")
LOST: Final = Event[None]("LOST")
LISTENED: Final = Event[None]("LISTENED")
ARRIVED: Final = Event[None]("ARRIVED")
NOBODY: Final = Event[None]("NOBODY")
CORNER: Final = "CORNER"
GOT_HIM: Final = Event[None]("GOT_HIM")

RUN: Final = Event[None]("RUN")
SNEAK: Final = Event[None]("SNEAK")
STOP: Final = Event[None]("STOP")

TAKEN: Final = Event[None]("TAKEN")
NEAR: Final = Event[None]("NEAR")
CLEAR: Final = Event[None]("CLEAR")

LEFT: Final = Event[None]("LEFT")
RIGHT: Final = Event[None]("RIGHT")
UP: Final = Event[None]("UP")
DOWN: Final = Event[None]("DOWN")
ENTER: Final = Event[None]("ENTER")
LEAVE: Final = Event[None]("LEAVE")
PAUSE: Final = Event[None]("PAUSE")
MUTE: Final = Event[None]("MUTE")
F1: Final = Event[None]("F1")
F3: Final = Event[None]("F3")
F5: Final = Event[None]("F5")
"""What the player asks for."""

AWAY: Final = Event[None]("AWAY")
"""To the stage: the player looks at another window."""

TELL: Final = Event[str]("TELL")
"""To the hint: the text to show."""

OVER: Final = Event[None]("OVER")
MISSING: Final = Event[None]("MISSING")
