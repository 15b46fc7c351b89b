"""The values that an edit may write: literals, and names of the user's code."""

from __future__ import annotations

import ast
import inspect
import keyword
from collections.abc import Mapping
from enum import Enum
from math import isfinite
from types import NoneType
from typing import Any, Final

from attrs import frozen

from fsmkit import FsmAction
from fsmkit.editing.action_forms import module_of_choice
from fsmkit.editing.names import check_name
from fsmkit.editing.refusal import RefusedEditError
from fsmkit.editing.source import SourceFile
from fsmkit.introspection.action_facts import is_number, takes_text

LARGEST: Final = 2**63

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
class LibraryName:
    """A name of the library, which the file may have to import: `Space.SELF`."""

    module: str
    name: str
    attribute: str


@frozen
class AsWritten:
    """A value as somebody has typed it: a literal, a string without quotes, or a name."""

    text: str

    def for_parameter(self, kind: type[FsmAction[Any]], parameter: str) -> object:
        """Return what it stands for: text where the parameter takes text."""
        found = inspect.signature(kind).parameters.get(parameter)
        annotation = "" if found is None else str(found.annotation)
        is_text = takes_text(annotation)
        try:
            literal = ast.literal_eval(self.text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return self.text if is_text else self._name(found)
        if isinstance(literal, int) and abs(literal) > LARGEST:
            raise RefusedEditError(f"a whole number must be at most {LARGEST}")
        is_meant = isinstance(literal, (str, NoneType)) or is_number(annotation)
        return self.text if is_text and not is_meant else literal

    def _name(self, parameter: inspect.Parameter | None) -> Name | LibraryName:
        if parameter is not None and (module := module_of_choice(parameter, self.text)) is not None:
            name, _, attribute = self.text.partition(".")
            return LibraryName(module, name, attribute)
        return Name(self.text)


def code_for(value: object) -> str | None:
    """Return the code of a literal or a member of an Enum, for `AsWritten`; None for the rest.

    >>> code_for((1, 2.5)), code_for(float("nan"))
    ('(1, 2.5)', None)
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    try:
        code = repr(value)
        read = ast.literal_eval(code)
    except Exception:  # a user's repr
        return None
    return code if type(read) is type(value) and read == value else None


def value_for(value: object, kind: type[FsmAction[Any]], parameter: str) -> object:
    return value.for_parameter(kind, parameter) if isinstance(value, AsWritten) else value


def written(value: object, source: SourceFile, names: Mapping[str, Any]) -> str:
    """Return a literal, or a name, as code for a file with global `names`.

    Raises RefusedEditError for anything else.
    """
    if isinstance(value, Name):
        check_name(value.text, source, names)
        return value.text
    if isinstance(value, str):
        return source.quoted(str(value))
    if isinstance(value, (list, tuple)):
        inside = ", ".join(written(each, source, names) for each in value)
        comma = "," * (len(value) == 1)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{comma})"
    if isinstance(value, dict):
        pairs = [[written(part, source, names) for part in pair] for pair in value.items()]
        return f"{{{', '.join(map(': '.join, pairs))}}}"
    if type(value) not in LITERALS or (isinstance(value, float) and not isfinite(value)):
        raise RefusedEditError(
            f"{value!r} is not a finite number, a text, True, False, None or a tuple"
        )
    return repr(value)
