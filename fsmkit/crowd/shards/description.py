"""Description: what a worker must have in common with the driver."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from random import Random
from struct import pack
from typing import Final

from attrs import frozen

from fsmkit.crowd.packages import np, numba
from fsmkit.crowd.shards.errors import ShardMismatchError

RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "sin": (-1e4, 1e4),
    "cos": (-1e4, 1e4),
    "tan": (-1e4, 1e4),
    "asin": (-1.0, 1.0),
    "acos": (-1.0, 1.0),
    "atan": (-1e3, 1e3),
    "atan2": (-1e3, 1e3),
    "exp": (-700.0, 700.0),
    "log": (1e-9, 1e9),
    "log2": (1e-9, 1e9),
    "log10": (1e-9, 1e9),
    "tanh": (-20.0, 20.0),
}
"""The functions whose results differ between processors -> the numbers that they are tried with."""

TRIALS: Final = 10_000
"""Results of each function. Two versions of a function differ in some of a thousand results."""


@frozen
class Description:
    """The versions, the host and the arithmetic of a process."""

    host: str
    versions: Mapping[str, str]
    arithmetic: Mapping[str, str]
    """Function -> a hash over many of its results."""


@cache
def describe() -> Description:
    """Describe this process."""
    return Description(
        platform.node(),
        {"fsmkit": version("fsmkit"), "numba": numba.__version__, "numpy": np.__version__},
        {name: _hash(name) for name in RANGES},
    )


def called_functions(text: str) -> list[str]:
    """Return those functions of `RANGES` that a text of loops calls, in the order of `RANGES`.

    >>> called_functions("a = math.sin(x) + math.exp(y) + math.sqrt(z)")
    ['sin', 'exp']
    """
    return [name for name in RANGES if re.search(rf"\bmath\.{name}\(", text)]


def check_alike(driver: Description, worker: Description, functions: Iterable[str]) -> None:
    """Raise ShardMismatchError unless the worker reckons as the driver does.

    All versions must be the same, and the results of `functions`.
    """
    for package, own in driver.versions.items():
        if worker.versions.get(package) != own:
            raise ShardMismatchError(
                f"All workers must have {package} {own}, as the driver on {driver.host!r} has; the "
                f"worker on {worker.host!r} has {worker.versions.get(package)}. Install the same."
            )
    unlike = [name for name in functions if worker.arithmetic[name] != driver.arithmetic[name]]
    if unlike:
        raise ShardMismatchError(
            f"The machine calls {', '.join(f'math.{name}' for name in unlike)}, and the worker on "
            f"{worker.host!r} gives other results than the driver on {driver.host!r}: another "
            "processor or another C library. Take hosts that are alike, or give exact=False: "
            "the last bits may differ then."
        )


def _hash(name: str) -> str:
    """Return a hash over results of a function of `math`, which compiled code calls as well."""
    draw, function = Random(name).uniform, getattr(math, name)
    low, high = RANGES[name]
    arguments = 2 if name == "atan2" else 1
    results = [function(*[draw(low, high) for _ in range(arguments)]) for _ in range(TRIALS)]
    return sha256(pack(f"<{TRIALS}d", *results)).hexdigest()
