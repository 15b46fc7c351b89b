"""The options of pictures, and the model of a picture that they give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, TypedDict

from attrs import Attribute, field, frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.checking import Finding, check
from fsmkit.core.checks import arguments
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.diagram import selection
from fsmkit.diagram.annotations import (
    Recorded,
    usage_from,
    with_findings,
    with_legend,
    with_usage,
)
from fsmkit.diagram.arrangement import arranged
from fsmkit.diagram.graph import Graph
from fsmkit.diagram.model_reader import read
from fsmkit.diagram.positions import PlacesByMachine, Positions, checked, with_positions
from fsmkit.diagram.selection import PictureError
from fsmkit.svg.theme import DARK, LIGHT, Theme

Direction: TypeAlias = Literal["TB", "LR", "BT", "RL"]

DIRECTIONS: Final = ("TB", "LR", "BT", "RL")


class TextOptions(TypedDict, total=False):
    """The options of every picture."""

    actions: bool
    """Show the actions of each state, with their parameters."""
    notes: Mapping[str, str] | None
    """Additional lines, by the name of a state."""
    findings: bool | Iterable[Finding]
    """The findings that `check` returned, or True to check now."""
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
    values of a wrong type raise TypeError.
    """

    dark: bool
    """Use dark colours."""
    bundled: bool | None
    """Bundle arrows and shorten those that lead back. None: if there are more than 60 arrows."""
    positions: Positions | None
    """Where states are kept: the name of a state and its centre (x, y), in points from the upper
    left corner of its machine, y to the bottom; for machines inside others, the name of a machine
    and such a mapping. Not for a picture `around` a state."""


def check_direction(_: object, attribute: Attribute[Any], value: object) -> None:
    arguments.choice(value, attribute.name, DIRECTIONS, PictureError)


def _check_name(_: View, attribute: Attribute[Any], value: object) -> None:
    if value is not None:
        kind = "machine" if attribute.name == "machine" else "state"
        arguments.instance(value, attribute.name, str, f"the name of a {kind}")


def _check_depth(_: View, attribute: Attribute[Any], value: object) -> None:
    if value is not None:
        arguments.integer(value, attribute.name, least=0)


def _read_positions(positions: Positions | None) -> PlacesByMachine:
    return {} if positions is None else checked(positions)


def _check_radius(_: View, attribute: Attribute[Any], value: object) -> None:
    arguments.integer(value, attribute.name, least=1)


@frozen
class PictureLook:
    direction: Direction = "TB"
    senders: bool = False
    labels_on_top: bool = False
    """Whether the labels of an SVG are drawn after all arrows, so that no arrow crosses them."""
    is_compact: bool = False
    """True for states that are close together, without a title and without labels of arrows."""
    taken: str = ""
    """The id of the arrow that was taken last, which is lit."""


@frozen(kw_only=True)
class View:
    """The options of one picture, checked. Raises ValueError or TypeError for a wrong one."""

    actions: bool = False
    notes: Mapping[str, str] | None = None
    findings: bool | Iterable[Finding] = False
    recordings: Recorded | Iterable[Recorded] | None = None
    senders: bool = False
    machine: str | None = field(default=None, validator=_check_name)
    depth: int | None = field(default=None, validator=_check_depth)
    around: str | None = field(default=None, validator=_check_name)
    radius: int = field(default=1, validator=_check_radius)
    direction: Direction = field(default="TB", validator=check_direction)
    dark: bool = False
    bundled: bool | None = None
    positions: PlacesByMachine = field(default=None, converter=_read_positions)

    @property
    def theme(self) -> Theme:
        return DARK if self.dark else LIGHT

    @property
    def look(self) -> PictureLook:
        return PictureLook(self.direction, self.senders, labels_on_top=True)

    def arranged(self, graph: Graph) -> Graph:
        return arranged(graph, bundled=self.bundled)

    def graph(self, machine: Fsm[Any] | FsmGroup) -> Graph:
        whole = selection.without_loose_ends(
            read(
                machine,
                actions=self.actions,
                notes=self.notes,
                arms_as_one=self.bundled is not False,
                senders=True,
            )
        )
        if self.findings is not False:
            findings = check(machine) if self.findings is True else self.findings
            whole = with_findings(whole, findings)
        usage = None
        if self.recordings is not None:
            usage = usage_from(self.recordings)
            whole = with_usage(whole, usage)
        if self.positions:
            placed = with_positions(whole, self.positions)
            whole = placed if self.around is None else whole
        return with_legend(self._selected(whole), usage, senders=self.senders)

    def _selected(self, graph: Graph) -> Graph:
        if self.machine is not None:
            graph = selection.one_machine(graph, self.machine)
        if self.around is not None:
            graph = selection.around_state(graph, self.around, self.radius)
        if self.depth is not None:
            graph = selection.to_depth(graph, self.depth)
        return selection.without_loose_ends(graph)


def view_of(function: str, options: Mapping[str, Any], taken: type[TextOptions]) -> View:
    """Return the options of a call. Raises TypeError for one that `function` does not take."""
    check_options(function, options, taken.__annotations__)
    return View(**options)


def check_options(function: str, options: Iterable[str], known: Collection[str]) -> None:
    """Check the names of options. Raises TypeError for one that `function` does not take."""
    for name in options:
        if name not in known:
            raise TypeError(
                f"{function}() has no option {name!r}. {did_you_mean(name, known)}Its options: "
                f"{', '.join(known)}."
            )
