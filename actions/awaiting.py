"""Await: run an async function while the state lasts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import CORO_CREATED, getcoroutinestate, isawaitable, iscoroutine
from typing import Any, ClassVar, Literal

from attrs import field

from actions.definition import define_action
from actions.parts.parameters import ContextT, TakesNothing, takes_state
from actions.parts.work import Handle, Work, is_choice
from fsmkit import FsmError, FsmState
from fsmkit.timing import await_at_end


@define_action
class Await(Work[ContextT]):
    """Run `function`, an async function that takes the state or nothing, as a task of asyncio.

    The machine must be updated inside a running loop: by `fsmkit.timing.run_async`, or by your own
    task. The task starts on enter. Its result arrives at the beginning of an update: this action
    finishes, and the result becomes its `result` and the data of its `finish_event` and of
    `FINISHED`. An error of the task is raised in `on_update`, so it leads where `ERROR` leads, and
    `Retry` tries again. An error of a class in `fails_on` (one class or several) is an expected
    answer: this action fails, with the error as the reason. When the state is exited, the task is
    cancelled, and `run_async` awaits its end.

    When the state is suspended, the task is cancelled too, and started again when the state is
    resumed: a robot does not drive on after an emergency stop. If the task must not run twice, such
    as a payment, `suspended="go on"` lets it continue; its result is held until the state is
    resumed. `suspended="begin again"` states the default explicitly: `check` asks for one of the
    two if a state with an `Await` may be suspended.

    A recording contains the result, so a replay awaits nothing. The task is restarted in the first
    update of a copied machine, of one restored from a snapshot, and of one that goes on in another
    loop because its own has ended.

    Raises FsmError on enter if no loop is running, ValueError if `suspended` is anything else,
    TypeError for a function that takes something else or does not return an awaitable, and for
    `fails_on` with anything but subclasses of Exception.

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
    suspended: Literal["begin again", "go on"] | None = field(
        default=None, kw_only=True, validator=is_choice
    )

    choices: ClassVar[tuple[str, ...]] = ("begin again", "go on")

    def on_suspend(self) -> None:
        if self.suspended != "go on":
            self.cancel_for_now()

    def on_resume(self) -> None:
        if _has_loop():  # otherwise the next update begins it again, or says that there is none
            self.begin_again()

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

    def cancel(self, handle: Any) -> None:
        if not handle.get_loop().is_closed():
            handle.cancel()
            await_at_end(handle, self.fsm)

    def home_of(self, handle: Any) -> object:
        return handle.get_loop()

    def has_ended(self, home: Any) -> bool:
        return not home.is_running() and (home.is_closed() or _has_loop())

    def is_yet_to_begin(self, handle: Any) -> bool:
        work = handle.get_coro() if hasattr(handle, "get_coro") else None
        return iscoroutine(work) and getcoroutinestate(work) == CORO_CREATED

    def is_ending(self, home: Any) -> bool:
        import asyncio

        # At its end, asyncio.run() cancels whatever is left. If somebody else cancels the task,
        # there are others that are not being cancelled.
        return all(task.cancelling() for task in asyncio.all_tasks(home))


def _has_loop() -> bool:
    """Whether a loop of asyncio is running in this thread."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
