"""LiveDiagram: the diagram of a machine at work, as a small PNG that is drawn in the background.

Graphviz takes some hundredths of a second for a picture, in a process of its own: the game goes on
meanwhile, and each picture is drawn once.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from struct import unpack
from typing import Any, Final

from attrs import define, evolve, field, frozen

from fsmkit import Fsm
from fsmkit.diagram.arrangement import arranged
from fsmkit.diagram.dot import dot_of
from fsmkit.diagram.graph import clusters_of, state_id, taken_edge_id
from fsmkit.diagram.layout import png_of, program
from fsmkit.diagram.model_reader import read
from fsmkit.diagram.picture_options import PictureLook
from fsmkit.diagram.selection import around_current
from fsmkit.engines.parts.trail import Trail
from fsmkit.introspection.nesting import MachineNames
from fsmkit.svg.theme import DARK

DOTS_PER_INCH: Final = 56.0
"""Names of states are 11 pixels high."""

GROUND: Final = evolve(DARK, page=f"{DARK.page}b0")
"""The game is seen through it."""

MOST_STATES: Final = 25
"""Of a larger machine only the neighbours of the current state are drawn, as in the inspector."""

MOST_PICTURES: Final = 100


@frozen(eq=False)
class DiagramImage:
    png: bytes = field(repr=False)

    @property
    def size(self) -> tuple[int, int]:
        """Its width and height in pixels, from the header of the PNG."""
        width, height = unpack(">II", self.png[16:24])
        return width, height


@define(eq=False)
class LiveDiagram:
    _images: OrderedDict[str, DiagramImage] = field(factory=OrderedDict, init=False)
    """Text in the DOT language, which has all that is seen -> its picture."""
    _wanted: str = field(default="", init=False)
    _seen: tuple[Trail, int] | None = field(default=None, init=False)
    """The trail that is wanted, and its version."""
    _image: DiagramImage | None = field(default=None, init=False)
    _worker: ThreadPoolExecutor = field(
        factory=lambda: ThreadPoolExecutor(1, "fsmkit-overlay"), init=False
    )
    _drawing: tuple[str, Future[bytes]] | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        program()  # raises ImportError if there is none

    def image_of(self, trail: Trail) -> DiagramImage | None:
        """Return the picture of a machine in its states, or an earlier one until it is drawn."""
        if self._seen != (trail, trail.version):
            self._seen = trail, trail.version
            self._wanted = _dot_of(trail)
        self._take()
        if (known := self._images.get(self._wanted)) is not None:
            self._images.move_to_end(self._wanted)
            self._image = known
        else:
            self._draw()
        return self._image

    def wait(self) -> None:
        """Wait until the picture that was asked for last has been drawn."""
        while self._drawing is not None:
            self._drawing[1].exception()
            self._take()
            if self._wanted not in self._images:
                self._draw()

    def _draw(self) -> None:
        """Have the picture drawn, once the one before is."""
        if self._drawing is None:
            task = self._worker.submit(png_of, self._wanted, DOTS_PER_INCH)
            self._drawing = self._wanted, task

    def _take(self) -> None:
        """Keep the picture that has been drawn; raises what drawing it has raised."""
        if self._drawing is not None and self._drawing[1].done():
            (dot, task), self._drawing = self._drawing, None
            self._images[dot] = DiagramImage(task.result())
            if len(self._images) > MOST_PICTURES:
                self._images.popitem(last=False)


def _dot_of(trail: Trail) -> str:
    machine, change = trail.machine, trail.change
    names = {each: name for name, each, _ in MachineNames().add([machine])}
    graph = read(machine, arms_as_one=True)
    if sum(len(cluster.nodes) for cluster in clusters_of(graph)) > MOST_STATES:
        graph = around_current(graph, _current(names), 1)
    taken = ""
    if change is not None and change.machine in names:
        target = None if change.is_back else change.target
        source = change.machine.states.get(change.source)
        taken = taken_edge_id(names[change.machine], source, target, change.event)
    return dot_of(arranged(graph), GROUND, PictureLook(is_compact=True, taken=taken))


def _current(names: dict[Fsm[Any], str]) -> list[str]:
    return [
        state_id(name, machine.current_state.name)
        for machine, name in names.items()
        if machine.current_state is not None
    ]
