"""Strip: a small picture of what an action does."""

from __future__ import annotations

from typing import Any, Protocol

from fsmkit import Fsm
from fsmkit.svg.theme import Theme


class Strip(Protocol):
    """A picture that was made by running a machine."""

    @property
    def fsm(self) -> Fsm[Any]:
        """The machine that was run."""
        ...

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        ...

    def drawn(self, theme: Theme) -> str:
        """Return the picture as SVG."""
        ...
