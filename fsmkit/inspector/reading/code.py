"""Code: the lines of code that belong to what a page shows, as data for the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from fsmkit import Fsm, FsmAction, FsmState, Transition
from fsmkit.core.words.parameters import parameters
from fsmkit.tooling.code_place import (
    CodePlace,
    is_file,
    is_ours,
    place_of_class,
    place_of_function,
    shown_path,
)
from fsmkit.tooling.places import Places

Line: TypeAlias = dict[str, str]
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
"""Those by which a browser would run something, or open a file itself."""


class Code:
    """Knows the lines of machines, as far as they are known, and writes them for the page.

    `places` are the lines that have added states, transitions and actions, if they were noted.
    With `editor`, a template that `checked_editor` has returned, each line has a link. `is_brief`
    shows the names of files without their folders, and no links.
    """

    def __init__(
        self, places: Places | None = None, editor: str | None = None, *, is_brief: bool = False
    ) -> None:
        self.places = places
        self._editor = None if is_brief else editor
        self._is_brief = is_brief
        self.line = lru_cache(maxsize=10_000)(self._line)

    def _line(self, place: CodePlace, function: str = "") -> Line:
        """Return a line for the page, such as `bullets.py:41 hit()`."""
        file, number = place
        name = Path(file).name
        shown = name if self._is_brief else shown_path(file)
        line = {"text": f"{name}:{number} {function}".strip(), "path": f"{shown}:{number}"}
        if self._editor is not None and is_file(file):
            line["link"] = _link(self._editor, file, number)
        return line

    def of_function(self, function: Callable[..., Any]) -> Line | None:
        """Return the line that defines a guard or an effect."""
        return self._or_none(place_of_function(function))

    def of_state(self, state: FsmState[Any]) -> Line | None:
        """Return the line that added a state."""
        return self._or_none(self.places.of(state) if self.places is not None else None)

    def of_transition(
        self, owner: Fsm[Any] | FsmState[Any], transition: Transition[Any]
    ) -> Line | None:
        """Return the line that added a transition: of a state, or a global one of a machine."""
        if self.places is None:
            return None
        return self._or_none(self.places.of_transition(owner, transition))

    def of_transition_parts(
        self, owner: Fsm[Any] | FsmState[Any], transition: Transition[Any]
    ) -> Iterator[Line]:
        """Yield the lines of a transition: where it was added, its guard, its effect."""
        if (line := self.of_transition(owner, transition)) is not None:
            yield {**line, "what": "added"}
        for what, function in ("guard", transition.when), ("effect", transition.do):
            if function is not None and (line := self.of_function(function)) is not None:
                yield {**line, "what": what}

    def of_action(self, action: FsmAction[Any]) -> Iterator[Line]:
        """Yield the lines of an action: where it was added, the functions it was given, its class.

        That of a class of our own library comes only where there is no other.
        """
        added = self.places.of(action) if self.places is not None else None
        functions = [*_functions(action)]
        kind = place_of_class(type(action))
        lines = [("added", added), *functions]
        if kind is not None and (not is_ours(kind.file) or not any(place for _, place in lines)):
            lines.append(("class", kind))
        for what, place in lines:
            if place is not None:
                yield {**self.line(place), "what": what}

    def sending_place(self, action: FsmAction[Any]) -> CodePlace | None:
        """Return the line that says most about an action that has sent an event itself."""
        added = self.places.of(action) if self.places is not None else None
        given = next((place for _, place in _functions(action) if place is not None), None)
        return added or given or place_of_class(type(action))

    def _or_none(self, place: CodePlace | None) -> Line | None:
        return None if place is None else self.line(place)


def checked_editor(editor: str | None) -> str | None:
    """Return the template of an editor: one of `EDITORS` by its name, or the template itself.

    Raises TypeError and ValueError.

    >>> checked_editor("vscode")
    'vscode://file/{path}:{line}'
    """
    if editor is None:
        return None
    if not isinstance(editor, str):
        raise TypeError(f"editor must be a text or None, got {editor!r}.")
    if editor in EDITORS:
        return EDITORS[editor]
    if _fields(editor) != {"path", "line"}:
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


def _fields(template: str) -> set[str]:
    """Return the names in braces; those with anything beside the name are taken as they are."""
    try:
        parsed = [*Formatter().parse(template)]
    except ValueError:  # braces that are not closed
        return set()
    return {
        f"{name}{'!' if how else ''}{':' if form else ''}"
        for _, name, form, how in parsed
        if name is not None
    }


def _functions(action: FsmAction[Any]) -> Iterator[tuple[str, CodePlace | None]]:
    """Yield the functions of the user that an action was given, by the names of its parameters."""
    for name, value in parameters(action).items():
        if callable(value) and not isinstance(value, (type, Fsm, FsmAction)):
            place = place_of_function(value)
            if place is not None and not is_ours(place.file):
                yield name, place
