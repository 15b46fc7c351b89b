"""The C# framework that fsmkit's model comes from, ported line by line.

The behaviour is kept, faults included: a change takes effect inside the callback that sends the
event, later actions of the walk are skipped only if the current state is another one afterwards,
and chains recurse. Names are Python's; classes are plain ones, as C#'s are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import ClassVar, TypeAlias

logger = logging.getLogger(__name__)


class Time:
    """The engine's clock, which is global there: seconds since the last frame."""

    delta_time: ClassVar[float] = 0.0


class FsmAction:
    """One thing that a state does; made for one state."""

    def __init__(self, owner: FsmState) -> None:
        self._owner = owner

    def get_owner(self) -> FsmState:
        return self._owner

    def on_enter(self) -> None:
        """Called when the state is entered."""

    def on_update(self) -> None:
        """Called in every frame while the state is the current one."""

    def on_exit(self) -> None:
        """Called before the state is exited."""


class FsmState:
    """Actions, and transitions to other states."""

    def __init__(self, name: str, owner: Fsm) -> None:
        self._name = name
        self._owner = owner
        self._transition_map: dict[str, FsmState] = {}
        self._action_list: list[FsmAction] = []

    @property
    def name(self) -> str:
        return self._name

    def add_transition(self, event_id: str, destination_state: FsmState) -> None:
        assert event_id not in self._transition_map, (
            f"The state {self._name} already has a transition for {event_id}."
        )
        self._transition_map[event_id] = destination_state

    def get_transition(self, event_id: str) -> FsmState | None:
        return self._transition_map.get(event_id)

    def add_action(self, action: FsmAction) -> None:
        assert action not in self._action_list, "The state already has this action."
        assert action.get_owner() is self, "The action belongs to another state."
        self._action_list.append(action)

    def get_actions(self) -> Iterable[FsmAction]:
        return self._action_list

    def send_event(self, event_id: str) -> None:
        self._owner.send_event(event_id)


StateActionProcessor: TypeAlias = Callable[[FsmAction], None]


class Fsm:
    """The states by name, and the current one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._current_state: FsmState | None = None
        self._state_map: dict[str, FsmState] = {}

    @property
    def name(self) -> str:
        return self._name

    def add_state(self, name: str) -> FsmState:
        assert name not in self._state_map, f"The machine already has a state {name}."
        new_state = FsmState(name, self)
        self._state_map[name] = new_state
        return new_state

    def _process_state_actions(
        self, state: FsmState, action_processor: StateActionProcessor
    ) -> None:
        state_on_invoke = self._current_state

        actions = state.get_actions()
        for action in actions:
            action_processor(action)

            if self._current_state is not state_on_invoke:
                break

    def start(self, state_name: str) -> None:
        state = self._state_map.get(state_name)
        assert state is not None, f"There is no state {state_name}."
        self._change_to_state(state)

    def _change_to_state(self, state: FsmState) -> None:
        if self._current_state is not None:
            self._exit_state(self._current_state)

        self._current_state = state
        self._enter_state(self._current_state)

    def _enter_state(self, state: FsmState) -> None:
        self._process_state_actions(state, lambda action: action.on_enter())

    def _exit_state(self, state: FsmState) -> None:
        current_state_on_invoke = self._current_state

        def exit_action(action: FsmAction) -> None:
            action.on_exit()
            if self._current_state is not current_state_on_invoke:
                raise RuntimeError("The state must not change while it is being exited.")

        self._process_state_actions(state, exit_action)

    def update(self) -> None:
        if self._current_state is None:
            return

        self._process_state_actions(self._current_state, lambda action: action.on_update())

    def get_current_state(self) -> FsmState | None:
        return self._current_state

    def send_event(self, event_id: str) -> None:
        if self._current_state is None:
            logger.warning("%s has no current state. Has it been started?", self._name)
            return

        transition_state = self._current_state.get_transition(event_id)
        if transition_state is None:
            logger.warning(
                "The current state %s has no transition for event %s.",
                self._current_state.name,
                event_id,
            )
        else:
            self._change_to_state(transition_state)
