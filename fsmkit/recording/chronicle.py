"""Chronicle: the visits to states, the events and the errors of machines, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from fsmkit import FsmAction
from fsmkit.svg.notebook import notebook_picture


@frozen
class StateVisit:
    """A stay in a state. Times are in seconds.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off")
    >>> history = History(fsm)
    >>> fsm.start()
    >>> fsm.update(2.0)
    >>> fsm.stop()
    >>> [(visit.state, visit.start, visit.end) for visit in history.visits]
    [('Off', 0.0, 2.0)]
    """

    machine: str
    state: str
    start: float
    end: float | None
    """None while it lasts."""
    event: str | None
    """The event that led there; None after a start."""
    sender: str = ""
    """The action that sent the event, as `Patrol.actions[0] (SendEventWhen)`; empty if it came
    from outside."""
    suspended: Sequence[str] = ()
    """The states that were suspended meanwhile, the last one last."""
    resumed: bool = False
    """True if it goes on with an earlier visit, which was suspended."""


@frozen
class SentEvent:
    """An event and its outcome. The time is in seconds.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> fsm = Fsm("Lamp", on_unhandled="ignore")
    >>> _ = fsm.add_state("Off")
    >>> history = History(fsm)
    >>> fsm.start()
    >>> _ = fsm.send_event("PRESS")
    >>> [(event.event, event.outcome, event.time) for event in history.events]
    [('PRESS', 'unhandled', 0.0)]
    """

    machine: str
    time: float
    state: str
    """The state it was sent in; empty if the machine was not running."""
    event: str
    data: object
    outcome: str
    """`"changed"`, `"queued"`, `"consumed"`, `"refused"`, `"ignored"` or `"unhandled"`."""
    sender: str = ""


@frozen
class RaisedError:
    r"""An exception that a callback raised. The time is in seconds.

    >>> from fsmkit import Fsm, FsmAction
    >>> from fsmkit.recording import History
    >>> class Fail(FsmAction):
    ...     def on_enter(self):
    ...         raise ValueError("no oil")
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("On").add_action(Fail())
    >>> history = History(fsm)
    >>> try:
    ...     fsm.start()
    ... except ValueError:
    ...     print([str(each.error).partition("\n")[0] for each in history.errors])
    ['ValueError: no oil']
    """

    machine: str
    time: float
    state: str
    error: str
    """Its type and message, and the notes that say where it was raised."""


@frozen
class Chronicle:
    """The visits, events and errors of some machines from `start` to `end`, in seconds.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> history = History(fsm)
    >>> fsm.start()
    >>> fsm.update(2.0)
    >>> fsm.send_event("PRESS")
    True
    >>> chronicle = history.chronicle()
    >>> [visit.state for visit in chronicle.visits], chronicle.end
    (['Off', 'On'], 2.0)
    """

    machines: Sequence[str]
    """Their names; that of a nested machine begins with the outer machine's name and a slash."""
    visits: Sequence[StateVisit]
    events: Sequence[SentEvent]
    errors: Sequence[RaisedError]
    start: float
    end: float

    _repr_mimebundle_ = notebook_picture("fsmkit.recording.timeline.notebook:bundle")


def checked_chronicle(chronicle: object) -> Chronicle:
    """Return `chronicle`; raise TypeError for anything else, such as what one is taken from."""
    if isinstance(chronicle, Chronicle):
        return chronicle
    advice = " Pass what its chronicle() returns." if hasattr(chronicle, "chronicle") else ""
    if not advice:
        advice = " Attach a History to a machine, and pass what its chronicle() returns."
    raise TypeError(f"chronicle must be a Chronicle, got {chronicle!r}.{advice}")


def sender_title(action: FsmAction[Any] | None) -> str:
    """Return a readable name of an action with its place; empty without an action."""
    if action is None:
        return ""
    if action.state is None:
        return type(action).__name__
    places = [index for index, other in enumerate(action.state.actions) if other is action]
    place = f"[{places[0]}]" if places else ""
    return f"{action.state.name}.actions{place} ({type(action).__name__})"
