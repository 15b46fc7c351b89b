"""Overlay: the states of machines over a game, drawn by Ursina."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define

from fsmkit import Fsm
from fsmkit.engines.panda3d.overlay import Overlay as PandaOverlay
from fsmkit.engines.ursina.keys import send_keys


@define(eq=False)
class Overlay(PandaOverlay):
    """Shows over a game the state of each machine, and the diagram of one of them in a corner.

    A label over each thing has the names of the machine and of its state, in the state's colour,
    and for a second the event that led there. In the diagram the current state and the arrow that
    was taken last are lit. `key` shows and hides it all, `next_key` shows the diagram of the next
    machine; None for no such key. With `shown=False` it is hidden at first.

    The thing of a machine is its context, if that is an Entity or has a `position`, or the
    context's `transform`, `body`, `sprite`, `node` or `entity`; `thing` may be a function from a
    machine to it, or to None for no label. A label is above an entity, as the camera sees it. For
    things with a `position` of their own, `place` may turn it into a pixel, counted from the left
    and the top.

    `followed` is the machine of the diagram, by default the first one, or a function that returns
    it; `corner` is `"top right"`, `"top left"`, `"bottom right"` or `"bottom left"`, by default one
    in which no thing is. Raises ImportError if there is no Graphviz to draw the diagram; without it
    `diagram=False` shows the labels alone.

    It is drawn in every frame, until `stop` is called.
    """

    def _listen(self, switch: Fsm[Any]) -> Callable[[], None]:
        return send_keys(switch, self._keys)
