"""The programs of the repository that run in a browser, and why the others do not."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from making.places import EXAMPLES, ROOT
from making.recipes import RECIPES

from fsmkit.inspector.browser.folder import Program

FIRST: Final = "examples/light_bulb.py"
"""What the playground shows if it is asked for nothing else."""

THERE: Final = sys.stdlib_module_names | {
    "actions",
    "attr",
    "attrs",
    "fsmkit",
    "typing_extensions",
}

REASONS: Final = {
    "asyncio": "it has an event loop of its own",
    "multiprocessing": "it starts processes",
    "signal": "it listens to signals",
    "socket": "it opens a socket",
    "subprocess": "it starts processes",
    "threading": "it starts a thread",
    "fsmkit.crowd": "it is compiled with numba",
    "fsmkit.engines": "it needs an engine",
    "fsmkit.exploring": "it starts processes",
    "fsmkit.inspector": "it is inspected there as it is",
    "fsmkit.pytest_plugin": "it is for pytest",
    "fsmkit.reloading": "it reads its code again from a file",
}
"""What a program may not import, and why; a module within one of these neither."""


def why_not(source: str) -> str:
    """Return why a program cannot run in a browser; "" if it can.

    What it imports decides, wherever it does so.
    """
    for module in imports(source):
        for name in prefixes(module):
            if name in REASONS:
                return f"{REASONS[name]} ({module})"
        if module.partition(".")[0] not in THERE:
            return f"it needs {module}"
    return ""


def imports(source: str) -> Iterator[str]:
    """Yield the names of all modules that a program imports, and of what it takes from them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def prefixes(module: str) -> Iterator[str]:
    """Yield "a", "a.b" and "a.b.c" for "a.b.c"."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count])


def every_program() -> list[Path]:
    """Return all programs that a page shows, whether they run in a browser or not."""
    folders = (EXAMPLES, EXAMPLES / "cookbook", EXAMPLES / "anywhere_else")
    return [path for folder in folders for path in sorted(folder.glob("*.py"))]


def programs() -> list[Program]:
    """Return the programs that run in a browser, the first one first."""
    found = [program(path) for path in every_program() if not why_not(path.read_text("utf-8"))]
    groups = [*GROUP_TITLES.values(), *RECIPES]
    return sorted(found, key=lambda each: (each.file != FIRST, groups.index(each.group)))


GROUP_TITLES: Final = {
    EXAMPLES: "Examples",
    EXAMPLES / "anywhere_else": "Loops",
}


def program(path: Path) -> Program:
    """Return a program as the playground lists it."""
    source = path.read_text("utf-8")
    file = path.relative_to(ROOT).as_posix()
    groups = [group for group, names in RECIPES.items() if path.stem in names]
    if path.parent.name == "cookbook" and groups:
        first = (ast.get_docstring(ast.parse(source)) or path.stem).partition("\n")[0]
        return Program(file, first.removesuffix("."), groups[0], source)
    title = path.stem.replace("_", " ").capitalize()
    return Program(file, title, GROUP_TITLES.get(path.parent, "Examples"), source)
