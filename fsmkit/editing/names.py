"""The names that an edit may write: those of the file, but for functions of other libraries.

A machine runs the functions that its actions are given. Whoever may edit it must not be able to
have it run `os.abort` just because the file imports `os`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import reduce
from inspect import isroutine
from types import ModuleType
from typing import Any

from fsmkit.editing.refusal import RefusedEditError, meant
from fsmkit.editing.source import SourceFile
from fsmkit.introspection.code_place import is_of_user, is_ours


def check_name(name: str, source: SourceFile, known: Mapping[str, Any]) -> None:
    """Raise RefusedEditError unless a name, dotted or not, may be written into a file.

    `known` are the global names of the file, with their values.
    """
    first, *inside = name.split(".")
    bound = {*_bound(source.tree)}
    if first not in known and first not in bound:
        raise RefusedEditError(f"the file has no name {first!r}{meant(first, [*known, *bound])}")
    begin = known.get(first)
    value = reduce(lambda owner, each: getattr(owner, each, None), inside, begin)
    if _is_code(begin) and _is_code(value) and not _is_own(value):  # methods of objects are theirs
        raise RefusedEditError(f"`{name}` is code of another library")


def _bound(tree: ast.Module) -> Iterator[str]:
    """Yield the names that the code binds, in functions as well, but for those that it imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name


def _is_code(value: object) -> bool:
    return isinstance(value, (ModuleType, type)) or isroutine(value)


def _is_own(value: Any) -> bool:
    """Whether it is code of the user, or of fsmkit."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    file = getattr(sys.modules.get(name or ""), "__file__", None)
    return file is not None and (is_of_user(file) or is_ours(file))
