"""What the entries of a snapshot may hold: validators for the fields of records."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from fsmkit.recording.snapshots.errors import shown


def _must_be(what: str, is_right: Callable[[Any], bool]) -> Any:
    """Return a validator of attrs."""

    def validate(_record: object, attribute: Any, value: Any) -> None:
        if not is_right(value):
            raise ValueError(f"{attribute.name!r} must be {what}, got {shown(value)}")

    return validate


def _lists_of(*kinds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a test for a list of lists, each with values of these kinds."""

    def is_one(value: Any) -> bool:
        if not isinstance(value, list) or len(value) != len(kinds):
            return False
        return all(is_right(part) for is_right, part in zip(kinds, value, strict=True))

    return lambda value: isinstance(value, list) and all(map(is_one, value))


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not _flag(value) and value >= 0


def _finite(value: Any) -> bool:
    return isinstance(value, float | int) and not _flag(value) and isfinite(value)


def _seconds(value: Any) -> bool:
    return _finite(value) and value >= 0


def _counts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_count, value))


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _numbered(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value)) and _counts([*value.values()])


def _anything(_value: Any) -> bool:
    return True


is_text = _must_be("a str", _text)
is_text_or_none = _must_be("a str or null", lambda value: value is None or _text(value))
is_flag = _must_be("true or false", _flag)
is_finite = _must_be("a finite number", _finite)
is_seconds = _must_be("a finite number >= 0", _seconds)
is_count = _must_be("a whole number >= 0", _count)
are_counts = _must_be("a list of whole numbers >= 0", _counts)
are_texts = _must_be("a list of str", _texts)
is_mapping = _must_be("a mapping", lambda value: isinstance(value, dict))
are_numbered = _must_be("a mapping of names to whole numbers >= 0", _numbered)
are_events = _must_be("a list of [event, data]", _lists_of(_text, _anything))
are_delayed = _must_be(
    "a list of [seconds, event, data, keep]", _lists_of(_seconds, _text, _anything, _flag)
)
are_left_over = _must_be(
    "a list of [seconds left, event, data, keep]", _lists_of(_finite, _text, _anything, _flag)
)
