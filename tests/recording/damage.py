"""Damage: ways to spoil a snapshot, by the byte and by the value."""

import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 99, 10**9, -(10**9), 10**400, 0.5, -0.5, 1e308, -1e308,
    float("nan"), float("inf"), "", "x", "A", "0", "X", [], [0], [[]], [1, "x"], {}, {"x": 1},
    {"$tuple": []}, {"$tuple": [1.0, "x"]}, {"$float": "nan"}, {"$set": [[]]}, {"$delayed": [0, 9]},
    {"$machine": 0}, {"$machine": 5}, {"$random": -1}, {"$parameter": ["x"]}, {"$past": [1, "x"]},
    {"$unknown": 1}, {"$action": [0, "A", "0"]}, {"$timer": [1.0, "x"]},
    {"$numpy": ["int8", [9], []]},
)  # fmt: skip
"""Values of every kind, most of them out of place wherever they are put."""


def flipped(content: bytes, rng: Random) -> bytes:
    """Return the file with a few of its bytes changed."""
    spoilt = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
    return bytes(spoilt)


def cut_off(content: bytes, rng: Random) -> bytes:
    """Return the beginning of the file."""
    return content[: rng.randrange(len(content))]


def blanked(content: bytes, rng: Random) -> bytes:
    """Return the file with a stretch of zeros, as a crash may leave it."""
    begin = rng.randrange(len(content))
    end = min(len(content), begin + rng.randint(1, 200))
    return content[:begin] + bytes(end - begin) + content[end:]


BY_THE_BYTE: tuple[Callable[[bytes, Random], bytes], ...] = (flipped, cut_off, blanked)


def spoil(data: Any, rng: Random) -> str:
    """Change one value somewhere in the data, or take it away; return what was done."""
    places = [*_places(data)]
    if not places:
        return "nothing is left to damage"
    holder, key = rng.choice(places)
    before = holder[key]
    chance = rng.random()
    if chance < 0.15:
        del holder[key]
        return f"removed {key!r} ({_text(before)})"
    if chance < 0.25 and isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
        return f"renamed {key!r}"
    if chance < 0.5 and type(before) in (int, float):
        after = rng.choice(
            [-before, before + 1, before - 1, before * 10**6, 10**9, -1, str(before)]
        )
    elif chance < 0.6:
        other, place = rng.choice(places)
        after = json.loads(json.dumps(other[place]))
    else:
        after = deepcopy(rng.choice(ODD))
    holder[key] = after
    return f"{key!r}: {_text(before)} became {_text(after)}"


def _places(data: Any) -> Any:
    """Yield all places in JSON, as the container and the key or index there."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in [*items]:
        yield data, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _text(value: Any) -> str:
    return repr(value)[:60]
