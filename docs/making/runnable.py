"""The programs of the repository that run in a browser, and why the others do not."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from making.places import EXAMPLES, ROOT
from making.recipes import RECIPES

from fsmkit.cli.new import starting_texts
from fsmkit.inspector.browser.folder import PlayedProgram

FIRST: Final = "examples/first_guard.py"
"""What the playground shows if it is asked for nothing else."""

GROUPS: Final = {EXAMPLES: "Examples", EXAMPLES / "anywhere_else": "Loops"}
"""What the programs of a folder are listed under; a recipe under what it is about."""

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
    "fsmkit.editing": "it changes its code in a file",
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


def programs() -> list[PlayedProgram]:
    """Return the programs that run in a browser, the first one first."""
    found = [program(path) for path in every_program() if not why_not(path.read_text("utf-8"))]
    groups = [*GROUPS.values(), *RECIPES]
    found.sort(key=lambda each: (each.file != FIRST, groups.index(each.group)))
    return [*found, new_machine()]


def new_machine() -> PlayedProgram:
    """Return what `fsmkit new guard.py` writes: the beginning of a machine of one's own."""
    (path, source), (_, test) = starting_texts(Path("guard.py"))
    return PlayedProgram(f"new/{path.name}", "New machine", "", source, test)


def program(path: Path) -> PlayedProgram:
    """Return a program as the playground lists it."""
    source, file = path.read_text("utf-8"), path.relative_to(ROOT).as_posix()
    for group, names in RECIPES.items():
        if path.parent.name == "cookbook" and path.stem in names:
            title = (ast.get_docstring(ast.parse(source)) or path.stem).partition("\n")[0]
            return PlayedProgram(file, title.removesuffix("."), group, source)
    title = path.stem.replace("_", " ").capitalize()
    return PlayedProgram(file, title, GROUPS.get(path.parent, "Examples"), source)
