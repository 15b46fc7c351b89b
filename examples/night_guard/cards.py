"""The cards that come up over the darkened museum: the title, a pause, and the endings."""

from __future__ import annotations

from typing import Final

from attrs import frozen


@frozen
class Card:
    title: str
    lines: tuple[str, ...]
    offers_choice: bool = False
    """Whether the museum and the guards can be chosen on it."""


TITLE: Final = Card(
    "NIGHT GUARD",
    (
        "Take the three jewels, and get out through the gate.",
        "Running is loud, but not on carpets. Torches see far, but not through doors.",
    ),
    offers_choice=True,
)
PAUSED: Final = Card("PAUSED", ("P: go on", "Escape: back to the title"))
ENDINGS: Final = {
    "Escaped": Card("GOOD NIGHT", ("You are out, with all three jewels.", "Enter: once more")),
    "Caught": Card("CAUGHT", ("The night ends at the police station.", "Enter: once more")),
}
