"""An overlay without an engine: each letter is 10 pixels wide, and nothing is drawn."""

from typing import Any

from attrs import define, field

from fsmkit.engines.parts.overlay import OverlayLook, StateOverlay


@define(eq=False)
class Sheet(StateOverlay):
    keys: Any = field(default=None, init=False)
    """The machine that an engine sends the keys to."""

    def _begin(self) -> None:
        self.keys = self._switch()

    def _width_of(self, text: str) -> float:
        return 10.0 * len(text)

    def frame(self) -> OverlayLook:
        return self.look(800.0, 600.0)
