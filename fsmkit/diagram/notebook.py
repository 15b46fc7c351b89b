"""show: a picture in a notebook."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.svg import to_svg
from fsmkit.diagram.text import to_text


@frozen(repr=False)
class Picture:
    """A picture that shows itself: as SVG in a notebook, as text anywhere else."""

    svg: str
    text: str

    def _repr_svg_(self) -> str:
        """What a notebook asks for."""
        return self.svg

    def __repr__(self) -> str:
        return self.text


def show(machine: Fsm[Any] | FsmGroup, *, actions: bool = False, dark: bool = False) -> Picture:
    """`machine` as it is now, to be the last line of a cell in a notebook.

    `svg` of what is returned is the picture, and printed it is the one of `to_text`. Raises
    ImportError if there is no Graphviz, see `to_svg`.
    """
    return Picture(to_svg(machine, actions=actions, dark=dark), to_text(machine, actions=actions))
