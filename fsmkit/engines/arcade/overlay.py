"""Overlay: the states of machines over a game, drawn by Arcade."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import arcade
from attrs import define

from fsmkit.engines.pyglet import events
from fsmkit.engines.pyglet.overlay import Overlay as PygletOverlay
from fsmkit.space import Position, components


@define(eq=False)
class Overlay(PygletOverlay):
    """Shows over a game the state of each machine, and the diagram of one of them in a corner.

    A label over each thing has the names of the machine and of its state, in the state's colour,
    and for a second the event that led there. In the diagram the current state and the arrow that
    was taken last are lit. `key` shows and hides it all, `next_key` shows the diagram of the next
    machine; None for no such key. With `shown=False` it is hidden at first.

    The thing of a machine is its context, if that has a `position`, or the context's `transform`,
    `body`, `sprite`, `node` or `entity`; `thing` may be a function from a machine to it, or to None
    for no label. A position becomes a point of the window by the camera that was used last, or by
    `place`, as `place=camera.project`.

    `followed` is the machine of the diagram, by default the first one, or a function that returns
    it; `corner` is `"top right"`, `"top left"`, `"bottom right"` or `"bottom left"`, by default one
    in which no thing is. Raises ImportError if there is no Graphviz to draw the diagram; without it
    `diagram=False` shows the labels alone.

    The window draws it after every `on_draw`, until `stop` is called.
    """

    def _default_window(self) -> Any:
        return arcade.get_window()

    def _names(self) -> dict[str, int]:
        return events.names_of_keys(vars(arcade.key))

    def _note_camera(self) -> None:
        """The camera is asked for each position."""

    def _on_screen(self, _thing: Any, position: Position) -> Position:
        x, y, *_ = components(position)
        return self.window.current_camera.project((x, y))

    @contextmanager
    def _over_the_game(self) -> Iterator[None]:
        with self.window.default_camera.activate():
            yield
