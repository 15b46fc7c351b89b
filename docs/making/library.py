"""The library of actions by its groups."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from making.names import summary

from fsmkit.introspection.action_groups import ACTION_GROUPS as GROUPS


def faults(actions: Iterable[str]) -> list[str]:
    """Return the faults of `GROUPS`, one sentence each."""
    grouped = [name for _, names in GROUPS.values() for name in names]
    known = set(actions)
    return [
        *(
            f"{name} is in no group of fsmkit/introspection/action_groups.py."
            for name in sorted(known - set(grouped))
        ),
        *(f"{name} is not (or no longer) an action." for name in grouped if name not in known),
        *(f"{name} is in two groups." for name in sorted(set(grouped)) if grouped.count(name) > 1),
    ]


def overview(_page: Path, _arguments: str) -> str:
    """`actions`: a table of all actions by their groups, with what each of them does.

    A group leads to its page in the gallery, which is whole in the repository, too.
    """
    actions = import_module("actions")
    lines = []
    for title, (_, names) in GROUPS.items():
        page = f"{slug(title)}.md"
        reference = f"[reference](reference/actions_{page})"
        lines.append(f"| **[{title}](gallery/{page})** | {reference} |")
        lines += (f"| `{name}` | {summary(getattr(actions, name))} |" for name in names)
    return "\n".join(["| action | what it does |", "| --- | --- |", *lines])


def directives(_page: Path, group: str) -> str:
    """`action-directives GROUP`: what has Sphinx print the docstrings of a group."""
    actions = import_module("actions")
    purpose, names = next(each for title, each in GROUPS.items() if slug(title) == group)
    kinds = {
        name: "class" if isinstance(getattr(actions, name), type) else "data" for name in names
    }
    lines = "\n\n".join(f".. auto{kind}:: actions.{name}" for name, kind in kinds.items())
    return f"{purpose}\n\n```{{eval-rst}}\n{lines}\n```"


def slug(title: str) -> str:
    """Return a title as part of the name of a file."""
    return title.lower().replace(" ", "_")
