"""The values that an edit may write: literals, and names of the user's code."""

from __future__ import annotations

import ast
import inspect
import keyword
from math import isfinite
from typing import Any, Final

from attrs import frozen

from fsmkit import FsmAction
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.source import SourceFile

LITERALS: Final = (bool, int, float, str, type(None))


@frozen
class Name:
    """A name in the user's code, dotted or not, in place of a literal: `guard.body`."""

    text: str

    def __attrs_post_init__(self) -> None:
        parts = self.text.split(".")
        if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            raise RefusedEditError(f"{self.text!r} is neither a literal nor a name")
        if any(part.startswith("__") for part in parts):
            raise RefusedEditError(f"{self.text!r} is a name of Python's own")


@frozen
class AsWritten:
    """A value as somebody has typed it: a literal, a text without quotes, or a name."""

    text: str

    def for_parameter(self, kind: type[FsmAction[Any]], parameter: str) -> object:
        """Return what it stands for: text where the parameter takes text."""
        try:
            return ast.literal_eval(self.text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return self.text if _takes_text(kind, parameter) else Name(self.text)


def value_for(value: object, kind: type[FsmAction[Any]], parameter: str) -> object:
    return value.for_parameter(kind, parameter) if isinstance(value, AsWritten) else value


def _takes_text(kind: type[FsmAction[Any]], parameter: str) -> bool:
    found = inspect.signature(kind).parameters.get(parameter)
    return found is not None and "str" in str(found.annotation)


def written(value: object, source: SourceFile) -> str:
    """Return a literal, or a name, as code. Raises RefusedEditError for anything else."""
    if isinstance(value, Name):
        return value.text
    if isinstance(value, str):
        return source.quoted(str(value))
    if isinstance(value, (list, tuple)):
        inside = ", ".join(written(each, source) for each in value)
        comma = "," * (len(value) == 1)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{comma})"
    if type(value) not in LITERALS or (isinstance(value, float) and not isfinite(value)):
        raise RefusedEditError(
            f"{value!r} is not a finite number, a text, True, False, None or a tuple"
        )
    return repr(value)
