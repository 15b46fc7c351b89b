"""Parts that are a block of text: code of the repository, the help of a command, a docstring."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent

from making.places import ROOT


def code(_page: Path, arguments: str) -> str:
    """`code FILE [NAME...]`: a file without its docstring, or what these names are in it."""
    name, *wanted = arguments.split()
    return shown_code(ROOT / name, *wanted)


def shown_code(path: Path, *wanted: str) -> str:
    """Return the code of a file as a block, which says whose it is if it is whole."""
    source = path.read_text("utf-8")
    if wanted:
        shown = "\n\n\n".join(definition(source, name) for name in wanted)
        return f"```py\n{shown}\n```"
    mark = f"<!-- from: {path.relative_to(ROOT).as_posix()} -->"
    return f"{mark}\n\n```py\n{without_docstring(source)}\n```"


def without_docstring(source: str) -> str:
    """Return the code below the docstring of a module."""
    first = ast.parse(source).body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    lines = source.splitlines()[first.end_lineno if is_docstring else 0 :]
    return "\n".join(lines).strip()


def definition(source: str, path: str) -> str:
    """Return what a name of a module, or of a class in it, is defined as. Raises ValueError."""
    body = ast.parse(source).body
    for name in path.split("."):
        found = [each for each in body if name in names_of(each)]
        if not found:
            raise ValueError(f"nothing in it is named {path!r}.")
        body = getattr(found[0], "body", [])
    decorators = getattr(found[0], "decorator_list", [])
    first = min(each.lineno for each in (found[0], *decorators))
    return dedent("\n".join(source.splitlines()[first - 1 : found[0].end_lineno]))


def names_of(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines."""
    match statement:
        case ast.FunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.Assign():
            return [each.id for each in statement.targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def file(_page: Path, name: str) -> str:
    """`file FILE`: Markdown that lies in a file of its own."""
    return (ROOT / name).read_text("utf-8")


def docstring(_page: Path, module: str) -> str:
    """`docstring MODULE`: the docstring of a module, which is Markdown."""
    return inspect.getdoc(import_module(module)) or ""


def command_help(_page: Path, command: str) -> str:
    """`help COMMAND`: what `fsmkit COMMAND --help` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "fsmkit", command, "--help"],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    return f"```console\n$ fsmkit {command} --help\n{done.stdout}```"
