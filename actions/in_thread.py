"""InThread: run a function in a thread while the state lasts."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import copy_context
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.parameters import ContextT, Function, is_function
from actions.parts.work import Handle, Work, is_choice
from fsmkit import FsmError

if TYPE_CHECKING:
    from concurrent.futures import Executor


def _is_pool(_action: InThread[Any], _attribute: Attribute[Any], pool: object) -> None:
    if pool is not None and not callable(getattr(pool, "submit", None)):
        raise TypeError(
            f"InThread: pool must be a ThreadPoolExecutor of concurrent.futures, got {pool!r}."
        )


@define_action
class InThread(Work[ContextT]):
    """Run `function`, which takes the state or nothing, in a thread of `pool`.

    For slow work that must not block the game: a path, a file, a request. It is submitted on enter.
    Its result arrives at the beginning of an update: this action finishes, and the result becomes
    its `result` and the data of its `finish_event` and of `FINISHED`. An error of the function is
    raised in `on_update`, so it leads where `ERROR` leads, and `Retry` tries again. An error of a
    class in `fails_on` (one class or several) is an expected answer: this action fails, with the
    error as the reason.

    A machine belongs to one thread: let the function read only data that does not change meanwhile,
    and return its result. It sees the context variables of the caller, as in `asyncio.to_thread`.
    If the state is exited before the function has started, the function does not run; after that,
    its result is dropped. `pool` is a `ThreadPoolExecutor`, by default a shared one; if all its
    threads are busy, the work is queued.

    Nothing stops a thread. While the state is suspended the function goes on, and its result is
    held. A function that moves something must check itself whether it still may.
    `suspended="go on"` says that you know this; `check` asks for it if a state with an `InThread`
    may be suspended.

    A recording contains the result, so a replay runs nothing. The work is restarted in the first
    update of a copied machine, of one restored from a snapshot, and of one in the child of a fork.
    The child gets a new shared pool; create your own `pool` there again.

    Raises TypeError for a function that takes something else, and for async ones, and for
    `fails_on` with anything but subclasses of Exception, ValueError for another `suspended`, and
    FsmError on enter if the threads of `pool` were left behind by a fork.

    >>> import time
    >>> from fsmkit import FINISHED, Fsm
    >>> fsm = Fsm("Player")
    >>> think, move = fsm.add_state("Think"), fsm.add_state("Move")
    >>> _ = think.add_action(InThread(lambda: sum(range(1000))))
    >>> _ = think.add_transition(FINISHED, move)
    >>> fsm.start()
    >>> while fsm.current_state is think:
    ...     fsm.update(1 / 60)
    ...     time.sleep(0.001)
    >>> fsm.event_data
    499500
    """

    function: Function[ContextT] = field(validator=is_function)
    pool: Executor | None = field(default=None, kw_only=True, validator=_is_pool)
    suspended: Literal["go on"] | None = field(default=None, kw_only=True, validator=is_choice)

    choices: ClassVar[tuple[str, ...]] = ("go on",)

    def begin(self, report: Callable[[Handle], None]) -> Handle:
        pool = self.pool if self.pool is not None else _shared_pool()
        self._check_threads(pool)
        function: Any = self.function  # it takes the state by now
        future = pool.submit(copy_context().run, function, self.state)
        future.add_done_callback(report)
        return future

    def _check_threads(self, pool: Executor) -> None:
        """Raise FsmError for a pool whose threads a fork has left behind: it would wait forever."""
        threads = getattr(pool, "_threads", ())
        if _forks and threads and not any(thread.is_alive() for thread in threads):
            raise FsmError(
                f"{self.state}: the threads of the pool of InThread are in the process that was "
                "forked. Make a pool in this one, or use the shared one."
            )


@cache
def _shared_pool() -> Executor:
    """The default pool, made when it is first needed."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(thread_name_prefix="fsmkit")


_forks: list[None] = []
"""Not empty in a process that was forked."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared_pool.cache_clear)
    os.register_at_fork(after_in_child=lambda: _forks.append(None))
