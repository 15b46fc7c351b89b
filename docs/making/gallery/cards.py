"""The gallery: a card for each action, in short on one page and in full on one for each group."""

from __future__ import annotations

import ast
import inspect
from contextlib import redirect_stdout
from enum import Enum
from functools import cache
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

from making.gallery import facts
from making.gallery.strip import Strip
from making.gallery.table import TABLE
from making.library import GROUPS, slug
from making.places import DOCS, link

import actions
from fsmkit import FsmAction
from fsmkit.introspection import action_facts
from fsmkit.svg.theme import DARK, LIGHT

PICTURES: Final = DOCS / "_static" / "gallery"
PAGES: Final = DOCS / "gallery"


def cards(page: Path, group: str) -> tuple[str, dict[Path, str]]:
    """`gallery GROUP`: the cards of a group in full; without one, all in short."""
    if not group:
        return "\n\n".join(section(page, title) for title in GROUPS), {}
    purpose, names = next(each for title, each in GROUPS.items() if slug(title) == group)
    files = {path: text for name in names for path, text in pictures(name).items()}
    return "\n\n".join([purpose, *(card(page, name) for name in names)]), files


def section(page: Path, title: str) -> str:
    """Return the short cards of a group, below its heading."""
    purpose, names = GROUPS[title]
    target = PAGES / f"{slug(title)}.md"
    shorts = [short(page, target, name) for name in names]
    return "\n\n".join([f"## {title}", purpose, *shorts])


def short(page: Path, target: Path, name: str) -> str:
    """Return a card in short: the picture, what the action does, and what it may be found by."""
    there = f"{link(page, target)}#{name.lower()}"
    told = [f"Playmaker: {', '.join(TABLE[name].playmaker)}."] if TABLE[name].playmaker else []
    kind = getattr(actions, name)
    action = facts.shown_action(name, scene(name).fsm)
    if action is not None:
        told += [f"Sends {codes(sent)}." for sent in [sent_by(action, kind)] if sent]
        told += [f"Takes {codes(taken)}." for taken in [facts.takes(action)] if taken]
    words = " ".join([*told, f"[Parameters and example]({there})"])
    return "\n\n".join(
        [
            f"### `{name}`",
            f"[{image(page, name)}]({there})",
            action_facts.purpose(getattr(actions, name)),
            words,
        ]
    )


def card(page: Path, name: str) -> str:
    """Return a card in full."""
    kind = getattr(actions, name)
    parts = [
        f"## `{name}`",
        image(page, name),
        action_facts.purpose(getattr(actions, name)),
        f"```python\n{example(name)}\n```",
        table(kind),
        facts_of(name),
    ]
    return "\n\n".join(part for part in parts if part)


def table(kind: Any) -> str:
    """Return the parameters of an action as a table, or the members of an Enum."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "One of " + codes([str(member) for member in kind]) + "."
    rows = [
        f"| `{each.name}` | {each.kind} | {each.meaning} |"
        for each in (facts.parameters(kind) if isinstance(kind, type) else ())
    ]
    head = ["| parameter | type | meaning |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows]) if rows else ""


def facts_of(name: str) -> str:
    """Return when an action finishes, its events, and what Playmaker calls it."""
    kind, lines = getattr(actions, name), []
    action = facts.shown_action(name, scene(name).fsm)
    if action is not None:
        lines += [f"**Finishes** {finishes(action, kind)}"]
        if sent := sent_by(action, kind):
            lines += [f"**Sends** {codes(sent)}."]
        if taken := taken_by(action, kind):
            lines += [f"**Takes** {taken}."]
    called = ", ".join(TABLE[name].playmaker) or "none"
    lines += [f"**In Playmaker** {called}.", f"**In the reference** `{name}`."]
    return "\n".join(f"- {line}" for line in lines)


def finishes(action: FsmAction[Any], kind: type) -> str:
    """Return when an action finishes, as its code and its docstring say it."""
    ending = facts.ending(action, kind)
    first, *others = facts.said_of_finishing(kind, ending.otherwise) or [""]
    is_known = ending.usually in (facts.FINISHES["at once"], facts.FINISHES["in time"])
    if first.startswith("Finishes ") and not is_known:
        return " ".join([first.removeprefix("Finishes "), *others])
    variants = [f"with `{what}` {when}" for what, when in ending.otherwise.items()]
    return " ".join(["; ".join([ending.usually, *variants]) + ".", first, *others]).strip()


def sent_by(action: FsmAction[Any], kind: type) -> list[str]:
    """Return the parameters whose events an action sends."""
    has_event = "finish_event" in inspect.signature(kind.__init__).parameters
    return [*facts.sends(action, kind), *(["finish_event"] if has_event else [])]


def taken_by(action: FsmAction[Any], kind: type[FsmAction[Any]]) -> str:
    """Return what an action takes, in words; nothing if it takes no event."""
    if taken := facts.takes(action):
        return codes(taken)
    if action.machines:
        return "what the machines inside know"
    if isinstance(action, actions.Composite):
        return "what the actions inside take"
    return "what its code waits for" if kind.on_event is not FsmAction.on_event else ""


def codes(names: list[str]) -> str:
    """Return names as inline code."""
    *others, last = (f"`{name}`" for name in names)
    return f"{', '.join(others)} and {last}" if others else last


def image(page: Path, name: str) -> str:
    """Return the strip of an action as an image."""
    return f"![{scene(name).alt}]({link(page, PICTURES / f'{name}.svg')})"


def pictures(name: str) -> dict[Path, str]:
    """Return the two pictures of an action, light and dark."""
    strip = scene(name)
    return {
        PICTURES / f"{name}.svg": strip.drawn(LIGHT),
        PICTURES / f"{name}_dark.svg": strip.drawn(DARK),
    }


@cache
def scene(name: str) -> Strip:
    """Run the scene of an action."""
    with redirect_stdout(StringIO()):
        return TABLE[name].scene()


def example(name: str) -> str:
    """Return what a scene builds before it is run and drawn, with the imports that it needs."""
    function = TABLE[name].scene
    source = dedent(inspect.getsource(function))
    [definition] = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    built = [each for each in definition.body if not isinstance(each, ast.Return)]
    used = {node.id for each in built for node in ast.walk(each) if isinstance(node, ast.Name)}
    room = "\n" * (3 if isinstance(built[0], DEFINITIONS) else 2)
    return f"{imports(function, used)}{room}{spaced(source.splitlines(), built)}"


def spaced(lines: list[str], statements: list[ast.stmt]) -> str:
    """Return statements of a function as code of a module: with room around its definitions."""
    parts: list[str] = []
    last = statements[0].lineno - 1
    was_definition = False
    for statement in statements:
        decorators = getattr(statement, "decorator_list", [])
        first = min(each.lineno for each in (statement, *decorators))
        is_definition = isinstance(statement, DEFINITIONS)
        if parts and (is_definition or was_definition):
            parts.append("\n")
        elif parts and not "".join(lines[last : first - 1]).strip() and first - 1 > last:
            parts.append("")
        parts.append("\n".join(lines[first - 1 : statement.end_lineno]))
        last, was_definition = statement.end_lineno or last, is_definition
    return dedent("\n".join(parts))


DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def imports(function: Any, used: set[str]) -> str:
    """Return the imports of the module of a function, of what is used."""
    module = ast.parse(inspect.getsource(inspect.getmodule(function)))  # type: ignore[arg-type]
    blocks: list[list[str]] = [[], [], []]
    for statement in module.body:
        match statement:
            case ast.Import(names=[ast.alias(name=name)]) if name in used:
                blocks[0].append(f"import {name}")
            case ast.ImportFrom(module=str(origin), names=names):
                wanted = sorted((a.name for a in names if a.name in used), key=str.lower)
                if wanted:
                    blocks[_rank(origin)].append(_import(origin, wanted))
    return "\n\n".join("\n".join(sorted(block)) for block in blocks if block)


def _rank(origin: str) -> int:
    package = origin.partition(".")[0]
    return {"attrs": 1, "actions": 2, "fsmkit": 2}.get(package, 0)


def _import(origin: str, names: list[str]) -> str:
    line = f"from {origin} import {', '.join(names)}"
    return line if len(line) <= 80 else f"from {origin} import (\n    {', '.join(names)},\n)"
