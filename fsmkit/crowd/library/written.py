"""Functions whose text is written here, as they have as many lines as there are waypoints."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from fsmkit.crowd.randomness import random


def written_function(name: str, lines: Sequence[str]) -> Callable[..., Any]:
    """The function with this text, which can be read like one in a file."""
    text = "\n".join(lines) + "\n"
    file = f"<fsmkit.crowd.library {name} {sha256(text.encode()).hexdigest()[:8]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"math": math, "random": random, "__name__": __name__}
    exec(compile(text, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function
