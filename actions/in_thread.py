"""InThread: run a function in a thread while the state lasts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import Attribute, define, field

from actions.parts.functions import is_function
from actions.parts.parameters import ContextT, Function
from actions.parts.work import Handle, Work

if TYPE_CHECKING:
    from concurrent.futures import Executor


def _is_pool(_action: InThread[Any], _attribute: Attribute[Any], pool: object) -> None:
    if pool is not None and not callable(getattr(pool, "submit", None)):
        raise TypeError(
            f"InThread: pool must be a ThreadPoolExecutor of concurrent.futures, got {pool!r}."
        )


@define(eq=False, repr=False, slots=False)
class InThread(Work[ContextT]):
    """Run `function`, which takes the state or nothing, in a thread of `pool`.

    For what takes long and must not hold up the game: a path, a file, a request. It is begun on
    enter. What it returns comes at the beginning of an update: this action finishes, with it as the
    data of its `finish_event` and of `FINISHED`, and has it as `result`. What it raises is raised
    in `on_update`, so it leads where `ERROR` leads, and `Retry` begins anew.

    A machine belongs to one thread: let the function read what does not change meanwhile, and
    return what it has found. When the state is exited before it was begun, it is not run; else its
    result is dropped. `pool` is a `ThreadPoolExecutor`, by default one that all share; if its
    threads are all busy, the work waits. While the state is suspended it goes on, and the result
    waits. A recording keeps the result, and a replay runs nothing. A copy of the machine, and one
    restored from a snapshot, begins the work anew in its first update.

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

    def begin(self, tell: Callable[[Handle], None]) -> Handle:
        pool = self.pool if self.pool is not None else _shared_pool()
        future = pool.submit(self.function, self.state)  # type: ignore[arg-type]  # takes the state
        future.add_done_callback(tell)
        return future


@cache
def _shared_pool() -> Executor:
    """The pool of all that are given none, made when it is first needed."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(thread_name_prefix="fsmkit")
