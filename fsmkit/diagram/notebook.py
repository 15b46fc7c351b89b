"""show: a picture in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

from attrs import frozen
from typing_extensions import Unpack

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.options import PictureOptions, view
from fsmkit.diagram.svg import drawn
from fsmkit.diagram.text import text_of, to_text


@frozen(repr=False)
class Picture:
    """A picture that shows itself: as SVG in a notebook, as text elsewhere."""

    svg: str
    text: str

    def _repr_svg_(self) -> str:
        """Return the SVG, for a notebook."""
        return self.svg

    def __repr__(self) -> str:
        return self.text


def bundle(machines: Fsm[Any] | FsmGroup) -> dict[str, str]:
    """Return what a notebook shows of machines that are the last line of a cell.

    It is MIME type -> content, for IPython: the picture, or where there is no Graphviz, that of
    `to_text`. Their `repr` remains what a console shows.
    """
    try:
        return {"image/svg+xml": show(machines).svg}
    except ImportError:
        return {"text/html": f"<pre>{escape(to_text(machines))}</pre>"}


def show(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[PictureOptions]) -> Picture:
    """Return a picture of `machine` as it is now, for the last line of a notebook cell.

    Its `svg` is the picture; printed, it is that of `to_text`. The options are those of `to_svg`.
    Raises ImportError if there is no Graphviz, see `to_svg`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> show(fsm)
    Lamp
    ├─○ Off  (start)
    │   └─ PRESS ─→ On
    └─○ On
    """
    wishes = view("show", options, PictureOptions)
    graph = wishes.graph(machine)
    svg = drawn(wishes.arranged(graph), wishes.theme, wishes.look)
    return Picture(svg, text_of(graph, wishes.look))
