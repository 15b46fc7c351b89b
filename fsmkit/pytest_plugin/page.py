"""The page with a picture of each machine, and what was missed of it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from fsmkit.diagram import to_svg
from fsmkit.pytest_plugin.cover import Cover, MachineCover
from fsmkit.pytest_plugin.outline import drawable
from fsmkit.pytest_plugin.summary import arrows_taken, misses, states_taken, total
from fsmkit.recording.usage import StateName, Usage, Way

STYLE: Final = """\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  color: #16202c; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; }
h2 small, td small { color: #566273; font-weight: 400; }
table { border-collapse: collapse; } td { padding: .2rem 1.5rem .2rem 0; }
li { color: #8f5600; } svg { border-radius: 8px; }
"""


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
    cells = (name, states_taken(machine), arrows_taken(machine), _small(machine.place))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _section(machine: MachineCover) -> Iterator[str]:
    place = machine.place
    yield f'<h2 id="{escape(place)}">{escape(machine.title)} {_small(place)}</h2>'
    yield f"<p>{states_taken(machine)}, {arrows_taken(machine)}</p>"
    yield to_svg(drawable(machine.outline), recordings=usage_of(machine))
    if missed := [*misses(machine)]:
        yield f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in missed)}</ul>"


def usage_of(machine: MachineCover) -> Usage:
    """Return what was taken, for a picture of the machine."""
    name = machine.outline["name"]
    taken = {Way(name, *arrow): count for arrow, count in machine.taken.items()}
    entered = {StateName(name, state): count for state, count in machine.states.items()}
    return Usage(entered=entered, taken=taken)


def _small(text: str) -> str:
    return f"<small>{escape(text)}</small>"
