"""The actions of the library by name, and the import of a name in a file."""

from __future__ import annotations

import ast
import importlib
from typing import Any

from fsmkit import FsmAction
from fsmkit.editing.refusal import RefusedEditError, meant
from fsmkit.editing.source import Replacement, SourceFile


def library_action(name: str) -> type[FsmAction[Any]]:
    """Return an action of the library. Raises RefusedEditError if there is none."""
    actions = importlib.import_module("actions")  # the library imports us
    kind = getattr(actions, name) if name in actions.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, FsmAction)):
        raise RefusedEditError(f"there is no action {name!r}{meant(name, actions.__all__)}")
    return kind


def imported(source: SourceFile, module: str, name: str) -> tuple[Any, ...]:
    """Return the expression for a name of a module in a file, and the pieces that import it."""
    for node in source.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == module:
                    return (f"{alias.asname or module}.{name}",)
    froms = [node for node in source.tree.body if isinstance(node, ast.ImportFrom)]
    own = [node for node in froms if node.module == module and not node.level]
    for node in own:
        for alias in node.names:
            if alias.name in (name, "*"):
                return (alias.asname or name,)
    if any(_binds(node, name) for node in source.tree.body):
        raise RefusedEditError(f"{name} is something else here", source.place(source.tree))
    return (name, _among(source, own[0], name) if own else _line(source, froms, module, name))


def _among(source: SourceFile, node: ast.ImportFrom, name: str) -> Replacement:
    before = [alias for alias in node.names if alias.name < name]
    is_below = node.names[0].lineno != node.lineno
    indent = source.newline + " " * node.names[0].col_offset if is_below else " "
    if before:
        return source.behind_alias(before[-1], f",{indent}{name}")
    return source.before_alias(node.names[0], f"{name},{indent}")


def _line(source: SourceFile, froms: list[ast.ImportFrom], module: str, name: str) -> Replacement:
    imports = [each for each in source.tree.body if isinstance(each, (ast.Import, ast.ImportFrom))]
    ours = [each for each in froms if (each.module or "").partition(".")[0] == "fsmkit"]
    code = f"from {module} import {name}"
    if ours or imports:
        first = (ours or imports)[0]
        return source.line_above(first, code) if ours else source.line_below(imports[-1], code)
    raise RefusedEditError("it has no import to stand beside", source.place(source.tree))


def _binds(node: ast.stmt, name: str) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name == name
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name) == name for alias in node.names)
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == name for target in node.targets
    )
