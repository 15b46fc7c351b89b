"""Imports: which files of a program a module consists of, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Final

from attrs import frozen

LIBRARIES: Final = "site-packages"
"""The folder whose files belong to no program."""


@frozen
class Source:
    """The file of a module, and the names of the modules of its program that it imports."""

    path: Path
    imports: frozenset[str]


def sources_of(module: ModuleType) -> dict[str, Source]:
    """Return the source of `module` and of what it imports from its own folder: name -> source.

    The folder is the one in which the import of the module itself begins: for `game.guards` the
    folder that `game` is in. A file that cannot be read or parsed counts as one without imports.
    """
    assert module.__file__ is not None
    path = Path(module.__file__)
    root = _root(module.__name__, path)
    found: dict[str, Source] = {}
    waiting = {module.__name__: path}
    while waiting:
        name, path = waiting.popitem()
        imported = {
            name: below
            for name in _imports(path, _package(name, path), root)
            if (below := file_of(name, root)) is not None
        }
        found[name] = Source(path, frozenset(imported))
        waiting.update((each, path) for each, path in imported.items() if each not in found)
    return found


def dependents(sources: Mapping[str, Source], changed: set[str]) -> set[str]:
    """Return the modules that have changed, and those that import one of them, by any way."""
    affected: set[str] = set()
    more = changed
    while more - affected:
        affected |= more
        more = {name for name, source in sources.items() if source.imports & affected}
    return affected


def file_of(name: str, root: Path) -> Path | None:
    """Return the file that `import name` finds in the folder `root`; None if there is none."""
    place = root.joinpath(*name.split("."))
    if LIBRARIES in place.relative_to(root).parts:
        return None
    for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
        if path.is_file():
            return path
    return None


def _root(name: str, path: Path) -> Path:
    parts = name.split(".")
    above = len(parts) if path.stem == "__init__" else len(parts) - 1
    tail = [*parts, "__init__"] if path.stem == "__init__" else parts
    is_regular = list(path.with_suffix("").parts[-len(tail) :]) == tail
    return path.parents[above] if is_regular else path.parent


def _package(name: str, path: Path) -> str:
    return name if path.stem == "__init__" else name.rpartition(".")[0]


def _imports(path: Path, package: str, root: Path) -> Iterator[str]:
    """Yield the names of modules that a file may import, wherever it does so."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            try:
                module = resolve_name("." * node.level + (node.module or ""), package)
            except ImportError:  # it leads out of the package
                continue
            for alias in node.names:
                below = f"{module}.{alias.name}"
                yield below if file_of(below, root) is not None else module


def missing_files(module: ModuleType, error: BaseException) -> Iterator[Path]:
    """Yield where the file would be that `error` has missed, if it would be in the same folder."""
    if isinstance(error, ModuleNotFoundError) and error.name and module.__file__ is not None:
        place = _root(module.__name__, Path(module.__file__)).joinpath(*error.name.split("."))
        yield place / "__init__.py"
        yield place.with_name(f"{place.name}.py")
