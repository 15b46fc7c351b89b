"""The cast of a random machine: actions, observers, and machines of a class of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, partialmethod
from typing import Any

from attrs import define, field
from random_world import Op, World, looks, shown

import actions as library
from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.observer import Observer


class Actor(FsmAction[Any]):
    """An action that does its operations; the callbacks are those of `actor_class`."""

    def __init__(
        self, world: World, name: str, scripts: dict[str, list[Op]], takes: tuple[str, ...]
    ) -> None:
        self.world = world
        self.name = name
        self.scripts = scripts
        self.takes = takes

    def act(self, callback: str) -> None:
        """What a callback does."""
        self.world.note(f"{callback} of {self.name}: {looks(self.fsm)}")
        self.world.run(self.scripts.get(callback, ()), self.fsm)

    def hear(self, event: str, data: object) -> object:
        """What `on_event` does."""
        self.world.note(f"{self.name} hears {event} with {shown(data)}: {looks(self.fsm)}")
        if event in self.takes:
            self.world.run(self.scripts.get("on_event", ()), self.fsm)
            return len(self.takes)
        return None

    def __repr__(self) -> str:
        return self.name


class Caller:
    """A callback that is not a function."""

    def __init__(self, callback: str) -> None:
        self.callback = callback

    def __get__(self, action: Actor | None, _owner: type) -> Callable[..., object]:
        return self if action is None else partial(self, action)

    def __call__(self, action: Actor, *event: Any) -> object:
        return action.hear(*event) if event else action.act(self.callback)


def method(callback: str) -> Callable[..., Any]:
    """A callback as a user writes it."""
    if callback == "on_event":
        return lambda self, event, data: self.hear(event, data)
    return lambda self: self.act(callback)


@cache
def actor_class(callbacks: tuple[str, ...], style: str) -> type[Actor]:
    """A class with those callbacks and no others, made in one of the ways that there are."""
    own: dict[str, Any] = {callback: method(callback) for callback in callbacks}
    if style == "callable objects":
        own = {callback: Caller(callback) for callback in callbacks}
    if style == "partial methods":
        own |= {c: partialmethod(Actor.act, c) for c in callbacks if c != "on_event"}
    if style == "a mixin":
        return type("Mixed", (type("Mixin", (), own), Actor), {})
    if style == "inherited":
        return type("Inheriting", (type("Parent", (Actor,), own),), {})
    if style == "slots":
        own["__slots__"] = ("unused",)
    return type("Acting", (Actor,), own)


STYLES = ("plain", "callable objects", "partial methods", "a mixin", "inherited", "slots")


@define(eq=False, repr=False)
class SlottedWait(library.TimedAction):
    """A timed action of a game's own, with slots."""

    duration: float
    world: World
    seen: list[float] = field(factory=list, init=False)

    def apply(self, progress: float) -> None:
        self.world.note(f"progress {progress:.6g}")


class Thing:
    """Something that can be moved; the journal says where to."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._position = (0.0, 0.0)

    @property
    def position(self) -> tuple[float, ...]:
        return self._position

    @position.setter
    def position(self, position: Sequence[float]) -> None:
        self._position = tuple(position)
        self.world.note(f"moved to {[round(each, 6) for each in position]}")

    def __repr__(self) -> str:
        return "Thing"


class Watching(Observer):
    """An observer that notes everything, and does its operations with every third thing."""

    def __init__(self, world: World, script: list[Op]) -> None:
        self.world = world
        self.script = script
        self.count = 0

    def see(self, what: str, fsm: Fsm[Any], *more: object) -> None:
        self.world.note(f"{type(self).__name__} sees {what} {[*map(shown, more)]} {looks(fsm)}")
        self.count += 1
        if self.count % 3 == 0:
            self.world.run(self.script, fsm)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self.see("state_entered", fsm, state, event)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.see("state_exited", fsm, state)

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        self.see("event_sent", fsm, event, data, outcome)

    def action_entered(self, action: FsmAction[Any]) -> None:
        self.see("action_entered", action.fsm, action)

    def action_finished(self, action: FsmAction[Any]) -> None:
        self.see("action_finished", action.fsm, action)

    def action_exited(self, action: FsmAction[Any]) -> None:
        self.see("action_exited", action.fsm, action)

    def update_begun(self, fsm: Fsm[Any], dt: float) -> None:
        self.see("update_begun", fsm, dt)

    def update_ended(self, fsm: Fsm[Any]) -> None:
        self.see("update_ended", fsm)

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        self.see("error_raised", fsm, error)


class Glancing:
    """An observer with a few of the methods, and of no particular class."""

    def __init__(self, world: World, script: list[Op]) -> None:
        self.watching = Watching(world, script)
        self.state_entered = self.watching.state_entered
        self.action_exited = self.watching.action_exited


class Idle(Observer):
    """An observer that overrides nothing that is ever called."""

    def __init__(self, world: World, script: list[Op]) -> None:
        pass

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        pass


class Intercepting(Watching):
    """An observer that is asked about calls, and keeps one in five from being made."""

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> object:
        self.count += 1
        self.world.note(f"intercepted {call} {arguments}")
        if self.count % 5 == 0:
            return False
        answer = carry_out(**arguments)
        self.world.note(f"{call} gave {answer!r}")
        return answer


OBSERVERS: dict[str, Callable[[World, list[Op]], object]] = {
    "watching": Watching,
    "glancing": Glancing,
    "idle": Idle,
    "intercepting": Intercepting,
}


class Walking(Fsm[Any]):
    """A machine that notes its walks and leaves out every third update."""

    def __init__(self, name: str, context: World, **options: Any) -> None:
        super().__init__(name, context, **options)
        self.walks = 0

    def process_state_actions(self, phase: str, *rest: Any, **named: Any) -> bool:
        """Walk, or do not."""
        self.walks += 1
        self.context.note(f"{self.name} walks for {phase}")
        if phase == "on_update" and self.walks % 3 == 0:
            return False
        return super().process_state_actions(phase, *rest, **named)


class Talking(Fsm[Any]):
    """A machine that notes the calls to it."""

    def start(self, state: Any = None) -> None:
        """Start."""
        self.context.note(f"{self.name} is started in {state}")
        super().start(state)

    def stop(self) -> None:
        """Stop."""
        self.context.note(f"{self.name} is stopped")
        super().stop()

    def send_event(self, event: str, data: object = None) -> bool:
        """Send."""
        self.context.note(f"{self.name} is sent {event} with {shown(data)}")
        return super().send_event(event, data)

    def update(self, dt: float) -> None:
        """Update."""
        self.context.note(f"{self.name} is updated by {dt}")
        super().update(dt)
