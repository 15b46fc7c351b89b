"""Observers: the interface through which every tool watches a running machine.

An observer is any object with some of these methods; `Observer` is a base to derive from.

| method | when it is called |
| --- | --- |
| `state_entered(fsm, state, event)` | the state has become current; before its first `on_enter` |
| `state_exited(fsm, state)` | after the exits |
| `state_suspended(fsm, state)` | after `on_suspend`, in place of the exits |
| `state_resumed(fsm, state)` | after `on_resume`; the state is current again |
| `event_sent(fsm, event, data, outcome)` | an event has been sent; `outcome` says what it led to |
| `action_entered(action)` | after `on_enter` |
| `action_finished(action)` | after the first `finish()` or `fail()` in a visit |
| `action_exited(action)` | after `on_exit` |
| `update_begun(fsm, dt)`, `update_ended(fsm)` | around one update |
| `error_raised(fsm, error)` | before it is raised or turned into `ERROR` |
| `restored(fsm, time)` | a snapshot was restored; `time` is that of the machine before |
| `replaced(fsm, successor)` | after a hot reload: `successor` goes on in its place |

| outcome | what happened to the event |
| --- | --- |
| `"changed"` | a change of state was decided |
| `"queued"` | it is queued for the state that was decided; its final outcome is reported later |
| `"consumed"` | an action took it |
| `"refused"` | every guard of its transitions refused, here or in a nested machine |
| `"ignored"` | a global transition leads to the state that is current, here or there |
| `"ignored"` | it is not known here, and the machine has `on_unhandled="ignore"` |
| `"unhandled"` | it is not known here |

`fsm.observe(observer, nested=True)` also attaches the observer to nested machines, while each of
them runs; this includes machines that start later, such as that of a `RunFsm` in a state not
entered yet. A method with a similar name, such as `state_exit`, or with other arguments raises
TypeError.

Observers only watch. To act, an observer posts an event (`fsm.post_event`); any other call that
would change the machine raises FsmError. An exception of an observer never changes what the machine
does: it is raised once the external call has settled, together with those of the machine.

A tool that records or holds calls has one more method:
`intercept(fsm, call, arguments, carry_out)`. It is called instead of `start`, `stop`, `send_event`,
`offer_event`, `post_event`, `send_event_after`, `update`, `begin_work` and `post_result`, from
callbacks as well, with the name of the method and its arguments by name. It returns the result of
`carry_out(**arguments)`. If there are several tools, the last one attached is called first.

A tool that measures has the method `instrument(callback)`. It is called with each function that the
machine is about to call, and returns the function to call instead. The machine calls a callback of
an action with the action, and a guard or an effect with the state and the data. `instrument` must
not raise. `action.nested.report_calls()` reports the calls of children.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from fsmkit.core.checks.observer_methods import HOOKS, check_methods

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction
    from fsmkit.core.fsm import Fsm
    from fsmkit.core.state import FsmState

__all__ = ["Observer"]


class Observer:
    """A base class for observers: all methods, with types. Those not overridden cost nothing.

    >>> from fsmkit import Fsm
    >>> class Log(Observer):
    ...     def state_entered(self, fsm, state, event):
    ...         print(fsm.name, "is in", state.name)
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off")
    >>> detach = lamp.observe(Log())
    >>> lamp.start()
    Lamp is in Off
    """

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Called when the state has become current, before its first `on_enter`."""

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Called after the exits."""

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Called when the state is suspended, after its `on_suspend`."""

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Called when the suspended state is current again, after its `on_resume`."""

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Called with the outcome of an event."""

    def action_entered(self, action: FsmAction[Any]) -> None:
        """Called after `on_enter`."""

    def action_finished(self, action: FsmAction[Any]) -> None:
        """Called after `finish()`, the first time in a visit."""

    def action_exited(self, action: FsmAction[Any]) -> None:
        """Called after `on_exit`."""

    def update_begun(self, fsm: Fsm[Any], dt: float) -> None:
        """Called before an update of `dt` seconds."""

    def update_ended(self, fsm: Fsm[Any]) -> None:
        """Called after an update."""

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Called before an error is raised or turned into `ERROR`."""

    def restored(self, fsm: Fsm[Any], time: float) -> None:
        """Called when a snapshot was restored, after all of its machines are in place.

        `time` is the time of the machine before; no callback of an action was called.
        """

    def replaced(self, fsm: Fsm[Any], successor: Fsm[Any]) -> None:
        """Called when a hot reload has put `successor` in the place of the machine.

        Observers stay with the machine that they were attached to. One that wants to go on attaches
        itself: `successor.observe(self)`. One that `build()` attaches is there already.
        """

    def __init_subclass__(cls, **options: Any) -> None:
        """Raise TypeError for a method that is misspelt, or takes other arguments."""
        super().__init_subclass__(**options)
        check_methods(cls, vars(cls), has=vars(cls).__contains__)


for _name in HOOKS.keys() & vars(Observer).keys():
    _method = vars(Observer)[_name]
    if isinstance(_method, FunctionType):
        _method.does_nothing = True  # type: ignore[attr-defined]  # the core does not call it
