"""Pictures of GOAP data sets: the actions of each, and which data set extends which.

A box for each data set, and an arrow from it to each that it extends, with the preconditions that
this adds to the actions there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from attrs import field, frozen

from fsmkit.core.checks import arguments
from fsmkit.diagram.dot import bracketed, first_lines
from fsmkit.diagram.graph import edge_id, machine_id
from fsmkit.diagram.labels import box_label, lines_label
from fsmkit.diagram.layout import png_of, svg_of, with_labels_on_top
from fsmkit.diagram.picture_options import Direction, check_direction, check_options
from fsmkit.diagram.svg import finished
from fsmkit.diagram.text import INDENT, fitted, tree
from fsmkit.diagram.wording import one_line
from fsmkit.svg.theme import DARK, LIGHT, Theme
from fsmkit.terminal.console import printable

if TYPE_CHECKING:  # imported when needed: pictures of machines do not need it
    from fsmkit.goap import DataSet, Extension, GoapAction

NO_ACTIONS: Final = "no actions of its own"
EMPTY: Final = "There are no data sets to draw. Give at least one."


class DataSetOptions(TypedDict, total=False):
    """The options of `datasets_to_svg`, `datasets_to_png` and `datasets_to_dot`."""

    facts: bool
    """Show the preconditions and effects of each action."""
    dark: bool
    """Use dark colours."""
    direction: Direction
    """Where arrows lead: to the bottom (`"TB"`), the right (`"LR"`), the top or the left."""


def datasets_to_svg(datasets: Iterable[DataSet], **options: Unpack[DataSetOptions]) -> str:
    """Return data sets as an SVG picture with tooltips: their actions, and which extends which.

    `facts=True` shows the preconditions and effects of each action, `dark=True` uses dark colours,
    and `direction` is where arrows lead: `"TB"` (default), `"LR"`, `"BT"` or `"RL"`.

    Raises DataSetError, as `actions_of` does, if the data sets do not fit together, TypeError for
    anything but data sets, and ImportError if there is no Graphviz, see `fsmkit.diagram`.

    >>> from fsmkit.goap import DataSet, GoapAction
    >>> needs = DataSet("Needs", [GoapAction("Eat", 2, {"food": True}, {"hungry": False})])
    >>> datasets_to_svg([needs])[:4]
    '<svg'
    """
    view = _view_of("datasets_to_svg", datasets, options)
    names = ", ".join(printable(dataset.name) for dataset in view.datasets)
    return with_labels_on_top(finished(svg_of(view.dot()), view.tooltips(), names, view.theme))


def datasets_to_png(datasets: Iterable[DataSet], **options: Unpack[DataSetOptions]) -> bytes:
    """Return data sets as a PNG picture; otherwise like `datasets_to_svg`.

    >>> from fsmkit.goap import DataSet, GoapAction
    >>> needs = DataSet("Needs", [GoapAction("Eat", 2, {"food": True}, {"hungry": False})])
    >>> datasets_to_png([needs])[1:4]
    b'PNG'
    """
    return png_of(_view_of("datasets_to_png", datasets, options).dot())


def datasets_to_dot(datasets: Iterable[DataSet], **options: Unpack[DataSetOptions]) -> str:
    """Return data sets in the DOT language of Graphviz; otherwise like `datasets_to_svg`.

    >>> from fsmkit.goap import DataSet, GoapAction
    >>> needs = DataSet("Needs", [GoapAction("Eat", 2, {"food": True}, {"hungry": False})])
    >>> datasets_to_dot([needs])[:7]
    'digraph'
    """
    return _view_of("datasets_to_dot", datasets, options).dot()


def datasets_to_text(datasets: Iterable[DataSet], *, facts: bool = False) -> str:
    """Return data sets as text: the actions of each with their costs, and what it extends.

    >>> from fsmkit.goap import DataSet, Extension, GoapAction
    >>> eat = GoapAction("Eat", 2, {"food": True}, {"hungry": False})
    >>> needs = DataSet("Needs", [eat])
    >>> student = DataSet("Student", [], [Extension("Needs", {"in_class": False})])
    >>> print(datasets_to_text([student, needs]))
    Student
    └─ extends Needs, needs not in_class
    <BLANKLINE>
    Needs
    └─ Eat 2
    >>> print(datasets_to_text([needs], facts=True))
    Needs
    └─ Eat 2: food → not hungry
    """
    return text_of_datasets(datasets, facts=facts)


def text_of_datasets(
    datasets: Iterable[DataSet], *, facts: bool, columns: int = sys.maxsize
) -> str:
    """Return the same; a line that does not fit into the columns goes on below."""
    return "\n\n".join(
        "\n".join(_text_of(each, columns, facts=facts)) for each in _checked(datasets)
    )


def _view_of(function: str, datasets: Iterable[DataSet], options: DataSetOptions) -> _DataSetView:
    check_options(function, options, DataSetOptions.__annotations__)
    return _DataSetView(datasets, **options)


def _checked(datasets: Any) -> tuple[DataSet, ...]:
    from fsmkit.goap import DataSet, actions_of

    if isinstance(datasets, str | DataSet) or not isinstance(datasets, Iterable):
        raise TypeError(f"The data sets must be a list of them, got {datasets!r}.")
    known = tuple(datasets)
    for each in known:
        arguments.instance(each, "Each data set", DataSet, "a DataSet")
    if not known:
        raise ValueError(EMPTY)
    for each in known:
        actions_of(each.name, known)
    return known


@frozen
class _DataSetView:
    datasets: tuple[DataSet, ...] = field(converter=_checked)
    facts: bool = False
    dark: bool = False
    direction: Direction = field(default="TB", validator=check_direction)

    @property
    def theme(self) -> Theme:
        return DARK if self.dark else LIGHT

    def dot(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def tooltips(self) -> dict[str, str]:
        tips: dict[str, str] = {}
        for dataset in self.datasets:
            tips[machine_id(dataset.name)] = "\n".join(_about(dataset, self.datasets))
            for extension in dataset.extensions:
                needs = facts_text(extension.preconditions)
                tips[_arrow_id(dataset, extension)] = (
                    f"{dataset.name} extends {extension.dataset}{f' if {needs}' if needs else ''}"
                )
        return tips

    def _lines(self) -> Iterator[str]:
        yield from first_lines(self.theme)
        if self.direction != "TB":
            yield "  graph" + bracketed(rankdir=self.direction)
        for dataset in self.datasets:
            yield f"  {self._box(dataset)}"
        for dataset in self.datasets:
            for extension in dataset.extensions:
                yield f"  {self._arrow(dataset, extension)}"
        yield "}"

    def _box(self, dataset: DataSet) -> str:
        id_ = machine_id(dataset.name)
        lines = [action_line(action, facts=self.facts) for action in dataset.actions]
        label = box_label(printable(dataset.name), lines or [(NO_ACTIONS, "")], self.theme)
        return f'"{id_}"' + bracketed(f"<{label}>", id=id_, class_="dataset")

    def _arrow(self, dataset: DataSet, extension: Extension) -> str:
        lines = [printable(fact_text(*fact)) for fact in extension.preconditions.items()]
        label = f"<{lines_label(lines, self.theme)}>" if lines else ""
        ends = f'"{machine_id(dataset.name)}" -> "{machine_id(extension.dataset)}"'
        return ends + bracketed(label, id=_arrow_id(dataset, extension), class_="extends")


def action_line(action: GoapAction, *, facts: bool) -> tuple[str, str]:
    """Return the name of an action, and its cost, … if that is a function.

    With `facts` its preconditions and effects follow.
    """
    cost = "…" if callable(action.cost) else f"{action.cost:g}"
    if not facts:
        return one_line(action.name), cost
    needs, makes = facts_text(action.preconditions), facts_text(action.effects)
    return one_line(action.name), f"{cost}: {needs}{' ' * bool(needs)}→ {makes}".rstrip()


def facts_text(facts: Mapping[str, Any]) -> str:
    """Return preconditions or effects in words: `axe, not hungry`."""
    return printable(", ".join(fact_text(fact, value) for fact, value in facts.items()))


def fact_text(fact: str, value: object) -> str:
    """Return a condition or an effect in words.

    >>> from fsmkit.goap import add, at_least
    >>> fact_text("axe", True), fact_text("axe", False), fact_text("ore", 3)
    ('axe', 'not axe', 'ore: 3')
    >>> fact_text("ore", at_least(3)), fact_text("ore", add(2)), fact_text("ore", add(-1))
    ('ore at least 3', 'ore +2', 'ore -1')
    """
    from fsmkit.goap.facts import Add, Minimum

    if isinstance(value, Minimum):
        return f"{fact} at least {value.amount}"
    if isinstance(value, Add):
        return f"{fact} {value.amount:+}"
    return fact if value is True else f"not {fact}" if value is False else f"{fact}: {value}"


def _arrow_id(dataset: DataSet, extension: Extension) -> str:
    return edge_id(machine_id(dataset.name), machine_id(extension.dataset))


def _about(dataset: DataSet, datasets: Iterable[DataSet]) -> Iterator[str]:
    """Yield the name, and all actions with those of extensions, as an agent has them."""
    from fsmkit.goap import actions_of

    yield str(dataset)
    for action in actions_of(dataset.name, datasets):
        yield " ".join(action_line(action, facts=True))


def _text_of(dataset: DataSet, columns: int, *, facts: bool) -> Iterator[str]:
    yield from fitted(printable(dataset.name), columns)
    lines = [" ".join(action_line(action, facts=facts)) for action in dataset.actions]
    for extension in dataset.extensions:
        needs = facts_text(extension.preconditions)
        condition = f", needs {needs}" if needs else ""
        lines.append(f"extends {one_line(extension.dataset)}{condition}")
    branches = (fitted(f" {line}", columns - 2, INDENT * 2) for line in lines or [NO_ACTIONS])
    yield from tree([*map(list, branches)])
