"""Cover: how often tests took the states and transitions of machines, and a report of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit import BACK, Fsm
from fsmkit.diagram import to_svg
from fsmkit.diagram.wording import function_text
from fsmkit.introspection.shape import MachineShape, TransitionShape, machine_shape
from fsmkit.recording.usage import StateName, Usage, Way
from fsmkit.svg.theme import FONTS, LIGHT
from fsmkit.terminal.console import padded, width

ANY_STATE: Final = ""
"""The source of a global transition."""

Arrow: TypeAlias = tuple[str, str, str | None]
"""A transition: the name of its state or group, its event and its target, None for `BACK`.

Transitions that differ in nothing but their guards are one arrow.
"""

STYLE: Final = f"""\
body {{ font: 15px/1.5 {FONTS}; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  color: {LIGHT.ink}; background: {LIGHT.page}; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.15rem; margin: 2.5rem 0 .25rem; }}
h2 small, td small {{ color: {LIGHT.soft}; font-weight: 400; }}
table {{ border-collapse: collapse; }} td {{ padding: .2rem 1.5rem .2rem 0; }}
li {{ color: {LIGHT.warning}; }} svg {{ border-radius: 8px; }}
"""


@define
class MachineCover:
    """The states and transitions taken by the machines that one line of a program makes."""

    place: str
    """The file and the line, such as `guard.py:14`."""
    names: dict[str, None] = field(factory=dict)
    """The names of these machines, each once."""
    shape: MachineShape = field(factory=lambda: MachineShape((), ()))
    """The shape of the machine with the most transitions; functions are replaced by their names."""
    states: Counter[str] = field(factory=Counter)
    """State -> how often it was entered or resumed."""
    declared: dict[Arrow, None] = field(factory=dict)
    """The transitions, each once."""
    taken: Counter[Arrow] = field(factory=Counter)
    """Transition -> how often it was taken; of a group, or a global one, by the states left."""

    @property
    def title(self) -> str:
        first = ", ".join([*self.names][:3])
        return first if len(self.names) <= 3 else f"{first} and {len(self.names) - 3} more"

    @property
    def arrows(self) -> dict[Arrow, int]:
        """Transition -> how often it was taken: one of a state rather than one that it shares."""
        counts = dict.fromkeys(self.declared, 0)
        for arrow, count in self.taken.items():
            counts[self._declared_arrow(arrow)] += count
        return counts

    @property
    def missed_arrows(self) -> list[Arrow]:
        return [arrow for arrow, count in self.arrows.items() if not count]

    @property
    def missed_states(self) -> list[str]:
        """The states that were never entered."""
        return [state for state, count in self.states.items() if not count]

    def read(self, machine: Fsm[Any]) -> None:
        self._add_shape(machine_shape(machine, function=function_text, with_actions=False))
        self.names[machine.name] = None

    def knows(self, arrow: Arrow) -> bool:
        """Return True if there is such a transition, perhaps of a group, or a global one."""
        return self._declared_arrow(arrow) in self.declared

    def usage(self, name: str) -> Usage:
        """Return the counts as those of recordings, to be drawn with a machine of that name."""
        taken = {Way(name, *arrow): count for arrow, count in self.taken.items()}
        entered = {StateName(name, state): count for state, count in self.states.items()}
        return Usage(entered=entered, taken=taken)

    def _declared_arrow(self, arrow: Arrow) -> Arrow:
        source, event, target = arrow
        groups = [each.name for each in self.shape.groups if source in each.states]
        possible: list[Arrow] = [(owner, event, target) for owner in (source, *groups, ANY_STATE)]
        return next((each for each in possible if each in self.declared), possible[-1])

    def add(self, other: MachineCover) -> None:
        self._add_shape(other.shape)
        self.declared |= other.declared
        self.names |= other.names
        self.states.update(other.states)
        self.taken.update(other.taken)

    def _add_shape(self, shape: MachineShape) -> None:
        transitions = [*_transitions(shape)]
        if len(transitions) >= len([*_transitions(self.shape)]):
            self.shape = shape
        for state in shape.states:
            self.states.setdefault(state.name, 0)
        for source, each in transitions:
            self.declared[source, each.event, each.target] = None


@define
class Cover:
    machines: dict[str, MachineCover] = field(factory=dict)

    @property
    def arrows(self) -> int:
        return sum(len(each.arrows) for each in self.machines.values())

    @property
    def taken(self) -> int:
        return self.arrows - sum(len(each.missed_arrows) for each in self.machines.values())

    @property
    def percent(self) -> float:
        """The share of transitions that were taken; 100 without transitions."""
        return 100.0 * self.taken / self.arrows if self.arrows else 100.0

    def __iter__(self) -> Iterator[MachineCover]:
        yield from sorted(self.machines.values(), key=lambda each: _order(each.place))

    def of(self, place: str) -> MachineCover:
        return self.machines.setdefault(place, MachineCover(place))

    def of_those(self, texts: Sequence[str]) -> Cover:
        """Return the cover of machines with one of the texts in a name or in their place."""
        found = {
            place: machine
            for place, machine in self.machines.items()
            if not texts or any(text in part for text in texts for part in (place, *machine.names))
        }
        return Cover(found)

    def add(self, other: Cover) -> None:
        for machine in other.machines.values():
            self.of(machine.place).add(machine)


def _order(place: str) -> tuple[str, int]:
    file, _, line = place.rpartition(":")
    return file, int(line) if line.isdigit() else 0


def _transitions(shape: MachineShape) -> Iterator[tuple[str, TransitionShape]]:
    return ((source or ANY_STATE, each) for source, each in shape.all_transitions())


def summary(cover: Cover, texts: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table: each machine, and what the tests missed of it.

    `texts` are those by which the machines were selected.
    """
    machines = [*cover]
    if not machines:
        wanted = " or ".join(map(repr, texts))
        where = f" with {wanted} in its name or its place" if texts else ""
        yield f"No machine{where} was started."
        return
    rows = [(m.title, *_shares(m), m.place) for m in machines]
    columns = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for machine, row in zip(machines, rows, strict=True):
        yield "  ".join(map(padded, row, columns)).rstrip()
        yield from (f"    {each}" for each in _misses(machine))
    yield total(cover)


def total(cover: Cover) -> str:
    """Return the sum over all machines.

    >>> total(Cover())
    '0 of 0 transitions taken (100 %)'
    """
    share = int(cover.percent) if cover.taken < cover.arrows else 100  # 99.6 % is not all
    return f"{cover.taken} of {cover.arrows} transitions taken ({share} %)"


def _shares(machine: MachineCover) -> tuple[str, str]:
    return f"{_share(machine.states)} states", f"{_share(machine.arrows)} transitions"


def _misses(machine: MachineCover) -> Iterator[str]:
    yield from (f"never entered: {state}" for state in machine.missed_states)
    yield from (f"never taken: {arrow_text(arrow)}" for arrow in machine.missed_arrows)


def arrow_text(arrow: Arrow) -> str:
    """Return a transition in words.

    >>> arrow_text(("Patrol", "SPOTTED", "Chase"))
    'Patrol --SPOTTED--> Chase'
    """
    source, event, target = arrow
    place = "any state" if source == ANY_STATE else source
    return f"{place} --{event}--> {target if target is not None else 'back'}"


def _share(counts: Mapping[Any, int]) -> str:
    return f"{sum(count > 0 for count in counts.values())} of {len(counts)}"


def page(cover: Cover) -> str:
    """Return the page. Raises ImportError if there is no Graphviz, see `fsmkit.diagram`."""
    title = escape(total(cover))
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title>\n<style>\n{STYLE}</style>",
        f"<h1>{title}</h1>\n<table>",
        *map(_row, cover),
        "</table>",
        *(part for machine in cover for part in _section(machine)),
        "</html>\n",
    ]
    return "\n".join(parts)


def _row(machine: MachineCover) -> str:
    name = f'<a href="#{escape(machine.place)}">{escape(machine.title)}</a>'
    cells = (name, *_shares(machine), _small(machine.place))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _section(machine: MachineCover) -> Iterator[str]:
    place = machine.place
    yield f'<h2 id="{escape(place)}">{escape(machine.title)} {_small(place)}</h2>'
    yield f"<p>{', '.join(_shares(machine))}</p>"
    name = next(iter(machine.names))
    yield to_svg(_drawable(machine, name), recordings=machine.usage(name))
    if missed := [*_misses(machine)]:
        yield f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in missed)}</ul>"


def _small(text: str) -> str:
    return f"<small>{escape(text)}</small>"


def _drawable(machine: MachineCover, name: str) -> Fsm[Any]:
    drawn = Fsm[Any](name)
    for state in machine.shape.states:
        drawn.add_state(state.name, final=state.final, failed=state.failed)
    for group in machine.shape.groups:
        drawn.add_group(group.name, *group.states)
    sources = {**drawn.states, **drawn.groups}
    for source, each in _transitions(machine.shape):
        add = sources[source].add_transition if source else drawn.add_global_transition
        target = BACK if each.target is None else drawn.states[each.target]
        when, do = (_titled(text) if text else None for text in (each.when, each.do))
        add(each.event, target, when=when, do=do, suspend=each.suspend)
    return drawn


def _titled(text: Any) -> Callable[..., Any]:
    kind: Any = type(text, (), {"__call__": lambda self, state: None})  # noqa: ARG005
    function: Callable[..., Any] = kind()
    return function
