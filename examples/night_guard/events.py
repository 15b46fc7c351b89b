"""The events that the machines of the night send each other, and themselves."""

from typing import Final

NOISE: Final = "NOISE"
"""To all guards: someone makes a noise; the data is the noise."""

RING: Final = "RING"
"""To the siren: the data is where the thief is."""

ALARM: Final = "ALARM"
"""From the siren to all guards, with the same data."""

GATE_UP: Final = "GATE_UP"
"""To all: the jewels are taken, the way out is open."""

ARREST: Final = "ARREST"
"""To all: the thief is caught."""

ESCAPE: Final = "ESCAPE"
"""To all: the thief is out."""

SEEN: Final = "SEEN"
CERTAIN: Final = "CERTAIN"
LOST: Final = "LOST"
LISTENED: Final = "LISTENED"
ARRIVED: Final = "ARRIVED"
NOBODY: Final = "NOBODY"
CORNER: Final = "CORNER"
GOT_HIM: Final = "GOT_HIM"

RUN: Final = "RUN"
SNEAK: Final = "SNEAK"
STOP: Final = "STOP"

TAKEN: Final = "TAKEN"
NEAR: Final = "NEAR"
CLEAR: Final = "CLEAR"

LEFT: Final = "LEFT"
RIGHT: Final = "RIGHT"
UP: Final = "UP"
DOWN: Final = "DOWN"
ENTER: Final = "ENTER"
LEAVE: Final = "LEAVE"
PAUSE: Final = "PAUSE"
MUTE: Final = "MUTE"
F1: Final = "F1"
F2: Final = "F2"
F3: Final = "F3"
F5: Final = "F5"
"""What the player asks for."""

AWAY: Final = "AWAY"
"""To the stage: the player looks at another window."""

TELL: Final = "TELL"
"""To the hint: the data is the text to show."""

OVER: Final = "OVER"
MISSING: Final = "MISSING"
