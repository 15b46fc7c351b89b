"""Resuming a machine in a state: by the name of the state and the seconds it has been in it.

For a database in which the state is one column. What a snapshot knows beyond that, the memory of
actions, delayed events, nested machines, begins anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm, FsmAction, FsmError, FsmState
from fsmkit.core.checks import arguments
from fsmkit.introspection import run_state, walk
from fsmkit.introspection.nesting import made_children, own_machines
from fsmkit.introspection.run_state import ActionState, RunState
from fsmkit.recording import action_fields
from fsmkit.recording.action_paths import title


def resume_in(machine: Fsm[Any], state: FsmState[Any] | str, *, seconds: float = 0.0) -> None:
    """Put a machine into `state` as if it had entered it `seconds` ago; no callback is called.

    So a state that sends a mail when it is entered does not send it again. Its actions count as
    entered, and those that finish at once as finished. A `TimedWait` and a `SendEvent` with a delay
    have waited for `seconds`; other actions remember what they remember when they are made, without
    what their `on_enter` would have added. The time of the machine is `seconds`; no event led to
    the state, none is delayed, and nothing is suspended.

    Observers are notified by `restored`. An error changes nothing: UnknownStateError, ValueError
    unless `seconds` is finite and not negative, and FsmError for a state that one number cannot
    describe, as it runs a machine, other actions or a movement: save a `snapshot` of that one. The
    same inside a callback of the machine.

    >>> from fsmkit import Fsm
    >>> order = Fsm("Order")
    >>> _ = order.add_state("Open"), order.add_state("Paid")
    >>> resume_in(order, "Paid", seconds=3600.0)
    >>> order.current_state.name, order.time_in_state
    ('Paid', 3600.0)
    """
    arguments.instance(machine, "machine", Fsm, "an Fsm")
    seconds = arguments.seconds(seconds, f"Fsm {machine.name!r}: seconds")
    found = machine._find_state_(state)
    entered = [action for action in walk.own_actions(found) if action.enabled]
    memories = [(action, _remembered_after(action, seconds)) for action in entered]
    run_state.check_run_state(machine, RunState())
    machines = [*walk.machines(machine)]
    times = {fsm: fsm.time for fsm in machines}
    for fsm in machines:
        run_state.write_run_state(fsm, _run(found, seconds) if fsm is machine else RunState())
        for action in [*walk.actions(fsm)]:
            for child in made_children(action):
                action.nested.release(child)
            action_fields.assign(action, action_fields.initial_values(action))
    for action, values in memories:
        action_fields.assign(action, values)
    run_state.tell_restored(times)


def _run(state: FsmState[Any], seconds: float) -> RunState:
    actions = dict(walk.paths(state))
    own = {int(path): action for path, action in actions.items() if "/" not in path}
    counting = {index for index, each in own.items() if each.enabled and not each.background}
    done = {index for index, each in own.items() if each.enabled and each.finishes == "at once"}
    marks = {
        path: ActionState(enabled=each.enabled, finished="/" not in path and int(path) in done)
        for path, each in actions.items()
    }
    return RunState(
        state=state.name,
        time=seconds,
        entered=[index for index, each in own.items() if each.enabled],
        taking_part=len(counting),
        finished=len(counting & done),
        actions={state.name: marks},
    )


def _remembered_after(action: FsmAction[Any], seconds: float) -> Mapping[str, object]:
    """Return what an action remembers `seconds` after it was entered, beside initial values."""
    if action.finishes == "at once":
        return {}
    remembered_after = getattr(action, "_remembered_after_", None)
    if remembered_after is not None:
        values: Mapping[str, object] = remembered_after(seconds)
        return values
    kind = type(action)
    is_begun_on_enter = action_fields.is_ours(kind) and action_fields.fields_of(kind).remembered
    if own_machines(action) or action.children or is_begun_on_enter:
        raise FsmError(
            f"Fsm {action.fsm.name!r}: {title(action)} cannot be resumed by the seconds alone, as "
            "it has more to remember. Save a snapshot() and restore() that, or start() the machine."
        )
    return {}
