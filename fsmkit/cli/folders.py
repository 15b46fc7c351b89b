"""Folders as targets: the files in them that have a function `build`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from fsmkit.cli.errors import CommandError
from fsmkit.cli.targets import DEFAULT_FUNCTION


def expanded(target: str) -> list[str]:
    """Return the targets that a folder stands for: its files with a function `build`.

    Any other target stands for itself. Raises CommandError for a folder without such files.
    """
    folder = Path(target)
    if not (target and folder.is_dir()) or _has_build(folder / "__init__.py"):
        return [target]
    found = [str(path) for path in _python_files(folder) if _has_build(path)]
    if not found:
        raise CommandError(
            f"No .py file in the folder {target!r} has a function {DEFAULT_FUNCTION!r} without "
            "arguments. Name a file, and the function in it: FILE.py:FUNCTION."
        )
    return found


def _python_files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and those below it, without hidden ones and environments."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # it may not be read
        return
    yield from (path for path in entries if path.suffix == ".py" and path.is_file())
    for path in entries:
        is_apart = path.is_symlink() or path.name.startswith((".", "__"))
        if not is_apart and path.is_dir() and not (path / "pyvenv.cfg").exists():
            yield from _python_files(path)


def _has_build(path: Path) -> bool:
    """Return True if a file seems to have the default function, without running it."""
    try:
        source = path.read_bytes()
        body = ast.parse(source).body if DEFAULT_FUNCTION.encode() in source else []
    except OSError:
        return False
    except (SyntaxError, ValueError):
        return True  # loading it will say what is wrong
    return any(_defines_build(statement) for statement in body)


def _defines_build(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        arguments = statement.args
        needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
        needed += sum(default is None for default in arguments.kw_defaults)
        return statement.name == DEFAULT_FUNCTION and not needed
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(name, ast.Name) and name.id == DEFAULT_FUNCTION for name in targets)
