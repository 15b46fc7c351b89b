"""The checksum of a snapshot, by which accidental damage is known.

It is that of the values, so it outlives any program that reads and writes JSON: the order of keys,
blanks, and whether two seconds are written as `2` or `2.0` do not count. Nor does what a game has
put beside the snapshot's own entries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from fsmkit.recording.snapshots.errors import SnapshotError, damaged

CHECKSUM: Final = "checksum"
COVERED: Final = ("format", "version", "outermost", "machines", "definitions", "randoms")
"""The entries that a snapshot consists of."""

HOLD_NUMBERS: Final = ("machines", "randoms")
"""Those with numbers that may be written as floats."""


def checksum_of(data: Mapping[str, Any]) -> str:
    """Return the checksum of a snapshot.

    >>> one, other = {"version": 2, "machines": [1]}, {"machines": [1.0], "version": 2}
    >>> checksum_of(one) == checksum_of(other)
    True
    """
    content = {entry: data.get(entry) for entry in COVERED}
    for entry in HOLD_NUMBERS:
        content[entry] = _normal(content[entry])
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:16]


def check_sum(data: Mapping[str, Any]) -> None:
    """Raise SnapshotError if the data has a checksum and it is not the right one."""
    if CHECKSUM not in data:
        return
    try:
        is_right = data[CHECKSUM] == checksum_of(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise damaged("it holds what JSON cannot hold") from error
    if not is_right:
        raise SnapshotError(
            "The snapshot is damaged: its checksum does not match. "
            f"If you have edited it on purpose, remove its {CHECKSUM!r}."
        )


def _normal(value: Any) -> Any:
    """Return JSON in which equal numbers are written alike."""
    kind = type(value)
    if kind is dict:
        return {key: _normal(each) for key, each in value.items()}
    if kind is list:
        return [_normal(each) for each in value]
    return int(value) if kind is float and value.is_integer() else value
