"""compile_lock: one process compiles a text, and others wait for what it leaves in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: everybody compiles
    fcntl = None  # type: ignore[assignment]


@contextmanager
def compile_lock(path: Path) -> Iterator[None]:
    """Hold the lock in the file at `path`; the system takes it from a process that ends.

    Where files cannot be locked, nobody waits.
    """
    with ExitStack() as stack:
        if fcntl is not None:
            with suppress(OSError):
                file = stack.enter_context(path.open("ab"))
                fcntl.flock(file, fcntl.LOCK_EX)
        yield
