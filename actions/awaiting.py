"""Await: run an async function while the state lasts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable

from attrs import field

from actions.definition import define_action
from actions.parts.parameters import ContextT, TakesNothing, takes_state
from actions.parts.work import Handle, Work
from fsmkit import FsmError, FsmState
from fsmkit.timing import await_at_end


@define_action
class Await(Work[ContextT]):
    """Run `function`, an async function that takes the state or nothing, as a task of asyncio.

    The machine must be updated inside a running loop: by `fsmkit.timing.run_async`, or by a task of
    your own. The task is started on enter. Its result arrives at the beginning of an update: this
    action finishes, and the result becomes its `result` and the data of its `finish_event` and of
    `FINISHED`. An error of the task is raised in `on_update`, so it leads where `ERROR` leads, and
    `Retry` tries again. When the state is exited, the task is cancelled, and `run_async` awaits its
    end.

    While the state is suspended the task continues; the result is held until the state is resumed.
    A recording keeps the result, and a replay awaits nothing. A copy of the machine, and one
    restored from a snapshot, restarts the task in its first update.

    Raises FsmError on enter if no loop is running, TypeError for a function that takes something
    else or does not return an awaitable.

    >>> import asyncio
    >>> from actions import DelegateAction
    >>> from fsmkit import Fsm
    >>> from fsmkit.timing import run_async
    >>> async def ask(state):
    ...     await asyncio.sleep(0)
    ...     return f"hello {state.context}"
    >>> fsm = Fsm("Visitor", context="Ann")
    >>> knock, talk = fsm.add_state("Knock"), fsm.add_state("Talk")
    >>> _ = knock.add_action(Await(ask, finish_event="ANSWERED"))
    >>> _ = knock.add_transition("ANSWERED", talk)
    >>> _ = talk.add_action(DelegateAction(lambda state: print(state.fsm.event_data)))
    >>> _ = talk.add_action(DelegateAction(fsm.stop))
    >>> asyncio.run(run_async(fsm))
    hello Ann
    """

    function: (
        Callable[[FsmState[ContextT]], Awaitable[object]] | TakesNothing[Awaitable[object]]
    ) = field(validator=takes_state(awaitable=True))

    def begin(self, report: Callable[[Handle], None]) -> Handle:
        import asyncio  # here: it takes longer to import than all of fsmkit

        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise FsmError(
                f"{self.state}: Await must be entered while asyncio is running. Run the machine by "
                "fsmkit.timing.run_async(), or use InThread with a plain function."
            ) from None
        work = self.function(self.state)  # type: ignore[call-arg]  # takes the state by now
        if not isawaitable(work):
            raise TypeError(
                f"Await: function must return an awaitable, got {work!r}. Give an async "
                "function, or use InThread."
            )
        task = asyncio.ensure_future(work, loop=loop)
        task.add_done_callback(report)
        return task

    def cancel(self, handle: Handle) -> None:
        handle.cancel()
        await_at_end(handle)
