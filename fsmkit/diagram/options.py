"""The options of pictures, and the model of a picture that they give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final, Literal, TypeAlias, TypedDict

from attrs import Attribute, field, frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.checking import Finding, check
from fsmkit.diagram.arranging import arranged
from fsmkit.diagram.choosing import (
    PictureError,
    around_state,
    one_machine,
    to_depth,
    without_loose_ends,
)
from fsmkit.diagram.found import with_findings
from fsmkit.diagram.graph import Graph
from fsmkit.diagram.legend import runs_text, with_legend
from fsmkit.diagram.reading import read
from fsmkit.diagram.recorded import Recorded, usage_from, with_usage
from fsmkit.diagram.theme import DARK, LIGHT, Theme

Direction: TypeAlias = Literal["TB", "LR", "BT", "RL"]

DIRECTIONS: Final = ("TB", "LR", "BT", "RL")


class TextOptions(TypedDict, total=False):
    """The options of every picture."""

    actions: bool
    """Show the actions of each state, with their parameters."""
    notes: Mapping[str, str] | None
    """Additional lines, by the name of the state."""
    findings: bool | Iterable[Finding]
    """What `check` returned, or True: what it returns now."""
    recordings: Recorded | Iterable[Recorded] | None
    """One or several: a `Recording`, `History`, `Chronicle`, `Usage`, or the path of a file."""
    senders: bool
    """Mark events that come from outside, and those that an action sends."""
    machine: str | None
    """The name of one machine to draw, such as `Guard/Arm`, with those inside it."""
    depth: int | None
    """How many levels of nested machines to draw; 0 for none."""
    around: str | None
    """The name of a state, to draw only it and its neighbours."""
    radius: int
    """How many arrows away the neighbours may be, default 1."""


class MermaidOptions(TextOptions, total=False):
    """The options of `to_mermaid`."""

    direction: Direction
    """Where arrows lead: to the bottom (`"TB"`), the right (`"LR"`), the top or the left."""


class PictureOptions(MermaidOptions, total=False):
    """The options of `to_svg`, `to_png`, `to_dot` and `show`; every picture takes the first nine.

    A state or machine that does not exist, and a wrong direction, depth or radius raise ValueError;
    things of another kind raise TypeError.
    """

    dark: bool
    """Use dark colours."""
    bundled: bool | None
    """Bundle arrows and shorten those that lead back. None: if there are more than 60 arrows."""


def _is_direction(_: View, attribute: Attribute[Any], value: object) -> None:
    if value not in DIRECTIONS:
        known = ", ".join(map(repr, DIRECTIONS))
        raise PictureError(f"{attribute.name} must be one of {known}, got {value!r}.")


def _is_number(_: View, attribute: Attribute[Any], value: object) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise TypeError(f"{attribute.name} must be a whole number, got {value!r}.")


def _is_name(_: View, attribute: Attribute[Any], value: object) -> None:
    if value is not None and not isinstance(value, str):
        what = "machine" if attribute.name == "machine" else "state"
        raise TypeError(f"{attribute.name} must be the name of a {what}, got {value!r}.")


@frozen
class Look:
    """What there is to a picture beside its model and its colours."""

    direction: Direction = "TB"
    senders: bool = False
    labels_on_top: bool = False
    """Whether the labels of an SVG are drawn after all arrows, so that none lies across them."""


@frozen(kw_only=True)
class View:
    """The options of one picture, checked."""

    actions: bool = False
    notes: Mapping[str, str] | None = None
    findings: bool | Iterable[Finding] = False
    recordings: Recorded | Iterable[Recorded] | None = None
    senders: bool = False
    machine: str | None = field(default=None, validator=_is_name)
    depth: int | None = field(default=None, validator=_is_number)
    around: str | None = field(default=None, validator=_is_name)
    radius: int = field(default=1, validator=_is_number)
    direction: Direction = field(default="TB", validator=_is_direction)
    dark: bool = False
    bundled: bool | None = None

    @property
    def theme(self) -> Theme:
        """The colours."""
        return DARK if self.dark else LIGHT

    @property
    def look(self) -> Look:
        """The direction and the signs."""
        return Look(self.direction, self.senders, labels_on_top=True)

    def arranged(self, graph: Graph) -> Graph:
        """Return a model, arranged to be laid out."""
        return arranged(graph, bundled=self.bundled)

    def graph(self, machine: Fsm[Any] | FsmGroup) -> Graph:
        """Return the model of `machine` with all that is wished for."""
        graph = read(
            machine,
            actions=self.actions,
            notes=self.notes,
            arms_as_one=self.bundled is not False,
            senders=True,
        )
        graph = without_loose_ends(graph)
        graph = with_findings(graph, self._findings(machine))
        recorded = ""
        if self.recordings is not None:
            usage = usage_from(self.recordings)
            graph = with_usage(graph, usage)
            recorded = runs_text(graph, usage)
        return with_legend(self._chosen(graph), recorded, senders=self.senders)

    def _findings(self, machine: Fsm[Any] | FsmGroup) -> Iterable[Finding]:
        if isinstance(self.findings, bool):
            return check(machine) if self.findings else ()
        if isinstance(self.findings, str) or not isinstance(self.findings, Iterable):
            raise TypeError(
                f"findings must be what check() returned, or True, got {self.findings!r}."
            )
        return self.findings

    def _chosen(self, graph: Graph) -> Graph:
        if self.machine is not None:
            graph = one_machine(graph, self.machine)
        if self.around is not None:
            graph = around_state(graph, self.around, self.radius)
        if self.depth is not None:
            graph = to_depth(graph, self.depth)
        return without_loose_ends(graph)


def view(function: str, options: Mapping[str, Any], taken: type[TextOptions]) -> View:
    """Return the options of a call. Raises TypeError for one that `function` does not take."""
    known = taken.__annotations__
    for name in options:
        if name not in known:
            close = get_close_matches(name, known, 1)
            meant = f"Did you mean {close[0]!r}? " if close else ""
            raise TypeError(
                f"{function}() has no option {name!r}. {meant}Its options: {', '.join(known)}."
            )
    return View(**options)
