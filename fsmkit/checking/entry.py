"""EntryEffects: what happens for certain when a state is entered, before any time passes."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking.emissions import CallbackReading, Emissions
from fsmkit.checking.names_in_code import enabled_actions, ending, given_functions
from fsmkit.checking.reading.code_state import Deed
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.transitions import Transitions
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import may_take, sent_events
from fsmkit.introspection.nesting import fixed_children


@frozen
class InstantChange:
    """The change away from a state that is exited as soon as it is entered."""

    state: FsmState[Any]
    event: str
    targets: tuple[FsmState[Any], ...]
    """The states that it leads to, as the guards say: to one of them for certain."""
    is_certain: bool
    """True if nothing in the state could decide otherwise."""
    suspends: bool
    """True if the state may be suspended rather than exited, and so be resumed."""


@frozen
class Entered:
    event: str | None = None
    """The event that it sends then, which leads away."""
    is_unclear: bool = False
    """True if it may or may not send such an event then."""
    ends: bool = False
    """True if it finishes then."""
    is_certain: bool = True
    """False if code runs that could do something else."""


class EntryEffects:
    def __init__(self, transitions: Transitions, emissions: Emissions) -> None:
        self._transitions = transitions
        self._emissions = emissions
        self._changes: dict[FsmState[Any], InstantChange | None] = {}

    def change_of(self, state: FsmState[Any]) -> InstantChange | None:
        """Return the change that entering `state` leads to at once.

        None without such a change, or if it is unknown which.
        """
        if state not in self._changes:
            self._changes[state] = self._change_of(state)
        return self._changes[state]

    def ends_at_once(self, state: FsmState[Any], action: FsmAction[Any]) -> bool:
        return action.background or self._enter(state, action).ends

    def _change_of(self, state: FsmState[Any]) -> InstantChange | None:
        is_certain, all_end = True, True
        for action in enabled_actions(state):
            entered = self._enter(state, action)
            is_certain = is_certain and entered.is_certain
            if entered.is_unclear:
                return None
            if entered.event is not None:
                return self._change_by(state, entered.event, is_certain)
            all_end = all_end and (action.background or entered.ends)
        return self._change_by(state, FINISHED, is_certain) if all_end else None

    def _change_by(
        self, state: FsmState[Any], event: str, is_certain: bool
    ) -> InstantChange | None:
        targets = self._transitions.certain_targets(state, event)
        if not targets or may_take(state, event):
            return None
        suspends = any(transition.suspend for transition in self._transitions.of(state, event))
        return InstantChange(state, event, tuple(targets), is_certain, suspends)

    def _enter(self, state: FsmState[Any], action: FsmAction[Any]) -> Entered:
        if not fixed_children(action):
            return self._enter_alone(state, action)
        if not is_of_library(type(action)):
            return self._enter_unknown(state, action)
        return self._enter_composite(state, action)

    def _enter_alone(self, state: FsmState[Any], action: FsmAction[Any]) -> Entered:
        reading = self._emissions.on_enter(action)
        if self._may_fail(action, reading) and self._transitions.of(state, FAILED):
            is_sure = _fails(action, reading.done) and not self._read(state, reading)
            return Entered(FAILED if is_sure else None, not is_sure, is_certain=is_sure)
        is_finished = ("finish", id(action), None) in reading.done
        ends = is_finished or ending(action) == "at once"
        is_certain = _decides_nothing(reading, state.fsm, action)
        declared = self._leading(state, sent_events(action)) if not comes_later(action) else []
        if self._leading(state, _sent_perhaps(action)):
            return Entered(is_unclear=True)
        read = self._read(state, reading)
        if not (declared or read):
            return Entered(ends=ends, is_certain=is_certain)
        if _is_sent(action, declared, ends=ends) and not read:
            return Entered(declared[0], is_certain=is_certain)
        if len(read) == 1 and ("sent", state.fsm, read[0]) in reading.done and not declared:
            return Entered(read[0], is_certain=is_certain)
        return Entered(is_unclear=True, is_certain=is_certain)

    def _enter_composite(self, state: FsmState[Any], action: Any) -> Entered:
        """Enter those of its children that are entered with it, until one of them leads away."""
        if not hasattr(action, "entered_first"):
            return self._enter_unknown(state, action)
        first = action.entered_first(lambda child: self.ends_at_once(state, child))
        at_least = action.entered_first(lambda child: self._may_end_at_once(state, child))
        is_certain = not _tries_again(action)
        for child in first:
            entered = self._enter(state, child)
            is_certain = is_certain and entered.is_certain
            is_entered = any(each is child for each in at_least)  # no Race is over before
            is_taken = entered.event == FAILED  # perhaps: by this action, or one inside
            if entered.is_unclear or is_taken or (entered.event and not is_entered):
                return Entered(is_unclear=True, is_certain=is_certain)
            if entered.event is not None:
                return Entered(entered.event, is_certain=is_certain)
        ends = ending(action) == "at once"
        is_over = bool(first) and any(map(stays, first))
        met = (member for child in first for member in walk.actions(child, "enabled"))
        known = {id(action), *map(id, met)}
        rest = [each for each in walk.actions(action, "enabled") if id(each) not in known]
        if not is_over and any(self._may_lead_away(state, each) for each in rest):
            return Entered(is_unclear=True, is_certain=is_certain)
        own = self._leading(state, sent_events(action)) if not comes_later(action) else []
        if own and not is_over:
            is_sent = ends and own == [action.finish_event]
            return Entered(own[0] if is_sent else None, not is_sent, is_certain=is_certain)
        return Entered(ends=ends, is_certain=is_certain)

    def _may_fail(self, action: FsmAction[Any], reading: CallbackReading) -> bool:
        """Return True if it may fail then; actions of the library declare whether they may."""
        return _fails(action, reading.maybe) and self._emissions.may_fail(action) is not False

    def _may_end_at_once(self, state: FsmState[Any], action: FsmAction[Any]) -> bool:
        return ending(action) is None or self.ends_at_once(state, action)

    def _enter_unknown(self, state: FsmState[Any], action: FsmAction[Any]) -> Entered:
        if any(self._may_lead_away(state, member) for member in walk.actions(action, "enabled")):
            return Entered(is_unclear=True)
        members = [*walk.actions(action, "enabled")]
        is_certain = all(
            _decides_nothing(self._emissions.on_enter(member), state.fsm, member)
            for member in members
        )
        return Entered(ends=ending(action) == "at once", is_certain=is_certain)

    def _may_lead_away(self, state: FsmState[Any], action: FsmAction[Any]) -> bool:
        events = (*sent_events(action), *_sent_perhaps(action))
        declared = () if comes_later(action) else events
        reading = self._emissions.on_enter(action)
        fails = self._may_fail(action, reading) and bool(self._leading(state, [FAILED]))
        return fails or bool(self._leading(state, declared) or self._read(state, reading))

    def _leading(self, state: FsmState[Any], events: Any) -> list[str]:
        return [event for event in events if self._transitions.of(state, event)]

    def _read(self, state: FsmState[Any], reading: CallbackReading) -> list[str | None]:
        """Return the events that code may send when it is entered; None: one that is not known."""
        sent = [
            each.event
            for each in reading.sent
            if each.receiver is state.fsm and each.how in ("now", "offered") and not each.is_later
        ]
        leading = (event for event in sent if event is None or self._transitions.of(state, event))
        return list(dict.fromkeys(leading))


def comes_later(action: FsmAction[Any]) -> bool:
    """Return True for an action of the library that sends nothing before some time has passed."""
    if not is_of_library(type(action)) or hasattr(action, "end"):  # whose ends may be equal
        return False
    amounts = (getattr(action, name, None) for name in ("duration", "delay"))
    return any(isinstance(amount, (int, float)) and amount > 0 for amount in amounts)


def stays(action: FsmAction[Any]) -> bool:
    """Return True if an action does not finish when it is entered, for certain."""
    return ending(action) == "never" or (comes_later(action) and not action.children)


def _is_sent(action: FsmAction[Any], events: list[str], *, ends: bool) -> bool:
    """Return True if the first of the events that lead away is sent when `action` is entered.

    That holds for the finish_event of an action that finishes at once, and for the only event of an
    action with a `delay` of zero. Of several events that may be sent, none is certain.
    """
    if not ends or len(events) != 1:
        return False
    has_no_delay = getattr(action, "delay", None) == 0.0
    return events == [action.finish_event] or (has_no_delay and sent_events(action) == (*events,))


def _sent_perhaps(action: Any) -> tuple[str, ...]:
    """Return what an action of the library sends to a machine that a function names, maybe here."""
    return (action.event,) if is_of_library(type(action)) and callable(_receiver(action)) else ()


def _receiver(action: Any) -> object:
    return getattr(action, "to", None)


def _tries_again(action: FsmAction[Any]) -> bool:
    """Return True for a Retry of code of the game's own: it goes on after an error of that."""
    return hasattr(action, "tries") and any(
        given_functions(member) or not is_of_library(type(member))
        for child in walk.own_actions(action)
        for member in walk.actions(child, "enabled")
    )


def _decides_nothing(reading: CallbackReading, machine: Fsm[Any], action: FsmAction[Any]) -> bool:
    """Return True if code that runs on entering leads nowhere else than by the events it sends.

    Another machine that is started or sent an event may answer at once, by any event.
    """
    return (
        reading.is_complete
        and not _reaches_others(action)
        and all(sent.receiver is machine for sent in reading.sent)
        and not any(
            verb in ("start", "stop", "fail") or (verb == "finish" and receiver != id(action))
            for verb, receiver, _ in reading.maybe
        )
    )


def _fails(action: FsmAction[Any], deeds: frozenset[Deed]) -> bool:
    return ("fail", id(action), None) in deeds


def _reaches_others(action: Any) -> bool:
    receiver, group = _receiver(action), getattr(action, "group", None)
    is_reaching = receiver is not None or group is not None
    return bool(action.machines) or (is_reaching and is_of_library(type(action)))
