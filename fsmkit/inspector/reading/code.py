"""Code: the lines of code that belong to what a page shows, with links to an editor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from fsmkit import Fsm, FsmAction, FsmState, Transition
from fsmkit.core.checks import arguments
from fsmkit.core.words.parameters import parameters
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import (
    CodePlace,
    is_file,
    is_ours,
    place_of_class,
    place_of_function,
    shown_path,
)
from fsmkit.introspection.definition_sites import DefinitionSites

CodeLine: TypeAlias = dict[str, str]
"""A line of code on the page: its `text`, the `path` that a click copies, a `link` if there is an
editor to open, and `what` the line is of, where there are several."""

EDITORS: Final = {
    "vscode": "vscode://file/{path}:{line}",
    "vscodium": "vscodium://file/{path}:{line}",
    "cursor": "cursor://file/{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "pycharm": "pycharm://open?file={path}&line={line}",
    "sublime": "subl://open?url=file://{path}&line={line}",
}
"""The addresses that open a line in an editor."""

UNSAFE_SCHEMES: Final = {"about", "blob", "data", "file", "filesystem", "javascript", "vbscript"}
"""The schemes by which a browser would run something, or open a file itself."""


class Code:
    """Looks up the lines of code of machines, where known, and formats them for the page.

    `places` are the lines that have added states, transitions and actions, if they were noted.
    With `editor`, a template that `checked_editor` has returned, each line has a link. `is_brief`
    shows the names of files without their folders, and no links.
    """

    def __init__(
        self,
        places: DefinitionSites | None = None,
        editor: str | None = None,
        *,
        is_brief: bool = False,
    ) -> None:
        self.places = places
        self._noted = places if places is not None else DefinitionSites()
        self._editor = None if is_brief else editor
        self._is_brief = is_brief
        self.line = lru_cache(maxsize=10_000)(self._line)

    def _line(self, place: CodePlace, function: str = "") -> CodeLine:
        """Return a line for the page, such as `bullets.py:41 hit()`."""
        file, number = place
        name = Path(file).name
        shown = name if self._is_brief else shown_path(file)
        line = {"text": f"{name}:{number} {function}".strip(), "path": f"{shown}:{number}"}
        if self._editor is not None and is_file(file):
            line["link"] = _link(self._editor, file, number)
        return line

    def of_function(self, function: Callable[..., Any]) -> CodeLine | None:
        place = place_of_function(function)
        return None if place is None else self.line(place)

    def of_state(self, state: FsmState[Any]) -> CodeLine | None:
        place = self._noted.of(state)
        return None if place is None else self.line(place)

    def of_transition(
        self, owner: walk.TransitionOwner, transition: Transition[Any]
    ) -> Iterator[CodeLine]:
        """Yield the lines of a transition: where it was added, its guard, its effect.

        `owner` is the state it leads from, or the machine of a global transition.
        """
        yield from self._lines(("added", self._noted.of_transition(owner, transition)))
        for what, function in (("guard", transition.when), ("effect", transition.do)):
            if function is not None:
                yield from self._lines((what, place_of_function(function)))

    def of_action(self, action: FsmAction[Any]) -> Iterator[CodeLine]:
        """Yield the lines of an action: where it was added, the functions it was given, its class.

        The line of a class of our own library comes only if there is no other line.
        """
        lines = [("added", self._noted.of(action)), *_functions(action)]
        kind = place_of_class(type(action))
        if kind is not None and (not is_ours(kind.file) or not any(place for _, place in lines)):
            lines.append(("class", kind))
        yield from self._lines(*lines)

    def sending_place(self, action: FsmAction[Any]) -> CodePlace | None:
        """Return the line that says most about an action that has sent an event itself."""
        given = next((place for _, place in _functions(action)), None)
        return self._noted.of(action) or given or place_of_class(type(action))

    def _lines(self, *places: tuple[str, CodePlace | None]) -> Iterator[CodeLine]:
        for what, place in places:
            if place is not None:
                yield {**self.line(place), "what": what}


def checked_editor(editor: str | None) -> str | None:
    """Return the template of an editor: one of `EDITORS` by its name, or the template itself.

    Raises TypeError and ValueError.

    >>> checked_editor("vscode")
    'vscode://file/{path}:{line}'
    """
    if editor is None:
        return None
    arguments.instance(editor, "editor", str, "a str or None")
    if editor in EDITORS:
        return EDITORS[editor]
    if _names_in_braces(editor) != {"path", "line"}:
        raise ValueError(
            f"editor must be one of {', '.join(EDITORS)}, or an address that contains {{path}} and "
            f"{{line}} and nothing else in braces, such as {EDITORS['vscode']!r}; got {editor!r}."
        )
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", editor)
    if scheme is None or scheme[1] in UNSAFE_SCHEMES or not editor.isprintable():
        raise ValueError(
            "editor must be the address of a program, such as "
            f"{EDITORS['vscode']!r}; got {editor!r}."
        )
    return editor


def _link(template: str, file: str, line: int) -> str:
    """Fill in a template; a slash in front of `{path}` is the first one of the path."""
    path = quote(Path(file).as_posix(), safe="/:")
    if "/{path}" in template and "//{path}" not in template:
        path = path.removeprefix("/")
    return template.format(path=path, line=line)


def _names_in_braces(template: str) -> set[str]:
    """Return the names in braces, together with any conversion or format that follows them."""
    try:
        parsed = [*Formatter().parse(template)]
    except ValueError:  # an open brace
        return set()
    return {
        f"{name}{'!' if how else ''}{':' if form else ''}"
        for _, name, form, how in parsed
        if name is not None
    }


def _functions(action: FsmAction[Any]) -> Iterator[tuple[str, CodePlace]]:
    for name, value in parameters(action).items():
        if callable(value) and not isinstance(value, (type, Fsm, FsmAction)):
            place = place_of_function(value)
            if place is not None and not is_ours(place.file):
                yield name, place


def code_map(machine: Fsm[Any], names: Mapping[Fsm[Any], str], code: Code) -> dict[str, Any]:
    """Return the lines of a machine and those nested in it, each by its name.

    For each: `states`, `events` by the state that has transitions for them, with the lines of each
    of these in order, and `actions` by state and place. Unknown lines are left out.
    """
    return {names[each]: _lines_of(each, code) for each in walk.machines(machine)}


def _lines_of(machine: Fsm[Any], code: Code) -> dict[str, Any]:
    states = walk.states(machine)
    lines = {state.name: code.of_state(state) for state in states}
    events = {state.name: _of_events(state, code) for state in states}
    events |= {group.name: _of_events(group, code) for group in walk.groups(machine)}
    return {
        "states": {name: line for name, line in lines.items() if line is not None},
        "events": {**events, "": _of_events(machine, code)},  # the global ones have no state
        "actions": {state.name: _of_actions(state, code) for state in states},
    }


def _of_events(owner: walk.TransitionOwner, code: Code) -> dict[str, list[list[CodeLine]]]:
    found = {
        event: [list(code.of_transition(owner, each)) for each in same]
        for event, same in walk.table(owner).items()
    }
    return {event: lines for event, lines in found.items() if any(lines)}


def _of_actions(state: FsmState[Any], code: Code) -> dict[str, list[CodeLine]]:
    lines = {place: list(code.of_action(action)) for place, action in walk.paths(state)}
    return {place: own for place, own in lines.items() if own}
