"""InThread: run a function in a thread while the state lasts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.parameters import ContextT, Function, is_function
from actions.parts.work import Handle, Work

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
    raised in `on_update`, so it leads where `ERROR` leads, and `Retry` tries again.

    A machine belongs to one thread: let the function read only data that does not change meanwhile,
    and return its findings. If the state is exited before the function has started, it is not run;
    later its result is dropped. `pool` is a `ThreadPoolExecutor`, by default a shared one; if all
    its threads are busy, the work is queued. While the state is suspended it continues, and the
    result is held. A recording keeps the result, and a replay runs nothing. A copy of the machine,
    and one restored from a snapshot, restarts the work in its first update.

    Raises TypeError for a function that takes something else, and for async ones.

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

    def begin(self, report: Callable[[Handle], None]) -> Handle:
        pool = self.pool if self.pool is not None else _shared_pool()
        future = pool.submit(self.function, self.state)  # type: ignore[arg-type]  # takes the state
        future.add_done_callback(report)
        return future


@cache
def _shared_pool() -> Executor:
    """The default pool, made when it is first needed."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(thread_name_prefix="fsmkit")
