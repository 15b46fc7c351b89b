"""The public names: in tables for the reference, and the modules that have them."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any, Final

MODULES: Final = (
    "fsmkit",
    "actions",
    "fsmkit.space",
    "fsmkit.timing",
    "fsmkit.sound",
    "fsmkit.testing",
    "fsmkit.diagram",
    "fsmkit.checking",
    "fsmkit.recording",
    "fsmkit.pathfinding",
    "fsmkit.goap",
    "fsmkit.classic",
    "fsmkit.inspector",
    "fsmkit.crowd",
    "fsmkit.crowd.library",
    "actions.easing",
    "fsmkit.curves",
)
"""The modules whose public names must be documented, the more general ones first."""


def public_names(module: str) -> list[str]:
    """Return the names in `__all__`, or else those that the module itself defines."""
    contents = vars(import_module(module))
    own = [
        name
        for name, thing in contents.items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module
    ]
    return list(contents.get("__all__", own))


def table(_page: Path, module: str) -> str:
    """`names MODULE`: its public names, and what each of them is."""
    home = import_module(module)
    rows = [f"| `{name}` | {summary(getattr(home, name))} |" for name in public_names(module)]
    return "\n".join([f"| `{module}` | |", "| --- | --- |", *rows])


def summary(thing: Any) -> str:
    """Return the first line of a docstring of our own; of a constant, what it is."""
    if thing is Any:
        return "a type"
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", r"\|")
    if isinstance(thing, str | float):
        return f"`{thing!r}`"
    return "a type" if getattr(thing, "__origin__", None) or "|" in str(thing) else "a constant"
