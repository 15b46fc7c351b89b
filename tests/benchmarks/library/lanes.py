"""Events that are not the plainest, and machines that are watched, beside the plainest event.

Every machine changes its state by one event; the plainest is unguarded, in a state with one action
that does nothing. A watched machine has one exit and one enter callback.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from measuring import Trial
from trials import Idle

from actions import OnEvent, Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmAction, FsmGroup
from fsmkit.recording import History, Recording


class Entered:
    """The least an observer can do."""

    def state_entered(self, *news: object) -> None:
        pass


class Intercepts:
    """An observer that stands in every call, and lets it pass."""

    def intercept(
        self, fsm: Fsm[Any], call: str, arguments: dict[str, Any], carry_out: Callable[..., Any]
    ) -> Any:
        return carry_out(**arguments)


class Called(FsmAction):
    """An action with an enter and an exit callback, which do nothing."""

    def on_enter(self) -> None:
        pass

    def on_exit(self) -> None:
        pass


def two_states(
    action: Callable[[], FsmAction[Any]] = Idle,
    *,
    extra: Callable[[], FsmAction[Any]] | None = None,
    **way: Any,
) -> Fsm[None]:
    """Make a machine of two states; `way` is what its transitions for X are like."""
    fsm: Fsm[None] = Fsm("Lane", on_unhandled="ignore")
    one, two = fsm.add_state("One"), fsm.add_state("Two")
    for state, target in ((one, two), (two, one)):
        state.add_action(action())
        if extra is not None:
            state.add_action(extra())
        state.add_transition("X", target, **way)
    fsm.start()
    return fsm


def by_x(fsm: Fsm[None]) -> Callable[[], object]:
    return lambda: fsm.send_event("X")


def globally() -> Callable[[], object]:
    fsm: Fsm[None] = Fsm("Lane")
    for name, event in (("One", "X"), ("Two", "Y")):
        state = fsm.add_state(name)
        state.add_action(Idle())
        fsm.add_global_transition(event, state)
    fsm.start("Two")
    return lambda: (fsm.send_event("X"), fsm.send_event("Y"))


def grouped() -> Callable[[], object]:
    fsm: Fsm[None] = Fsm("Lane")
    for name in ("One", "Two"):
        fsm.add_state(name).add_action(Idle())
    fsm.add_group("Ones", "One").add_transition("X", "Two")
    fsm.add_group("Twos", "Two").add_transition("X", "One")
    fsm.start()
    return by_x(fsm)


def broadcast() -> Callable[[], object]:
    group = FsmGroup(two_states() for _ in range(10))
    return lambda: group.broadcast("X")


def suspending() -> Callable[[], object]:
    fsm: Fsm[None] = Fsm("Lane")
    one, two = fsm.add_state("One"), fsm.add_state("Two")
    for state in (one, two):
        state.add_action(Idle())
    one.add_transition("X", two, suspend=True)
    two.add_transition("Y", BACK)
    fsm.start()
    return lambda: (fsm.send_event("X"), fsm.send_event("Y"))


def later(send: Callable[[Fsm[None]], object]) -> Callable[[], object]:
    fsm = two_states()
    return lambda: (send(fsm), fsm.update(0.01))


def handled() -> Callable[[], object]:
    fsm = two_states(extra=lambda: OnEvent("HIT", lambda: None))
    return lambda: fsm.send_event("HIT")


def unhandled() -> Callable[[], object]:
    fsm = two_states()
    return lambda: fsm.send_event("UNKNOWN")


def restarted() -> Callable[[], object]:
    fsm = two_states()
    return fsm.start


def watched(watch: Callable[[Fsm[None]], object]) -> Callable[[], object]:
    fsm = two_states(Called)
    kept = watch(fsm)
    return lambda: fsm.send_event("X") and kept


WAITS: Final = {"extra": lambda: Sequence(TimedWait(9.0), TimedWait(9.0))}
PLAIN: Final = "plain"
Lane: TypeAlias = tuple[Callable[[], Callable[[], object]], int]
"""What makes a machine ready, and how many events are sent by a call of what it returns."""
LANES: Final[dict[str, Lane]] = {
    PLAIN: (lambda: by_x(two_states()), 1),
    "guarded (`when=`)": (lambda: by_x(two_states(when=lambda: True)), 1),
    "with an effect (`do=`)": (lambda: by_x(two_states(do=lambda: None)), 1),
    "global": (globally, 2),
    "of a group of states": (grouped, 1),
    "broadcast to a group, each": (broadcast, 10),
    "handled in place by `OnEvent`": (handled, 1),
    "unhandled, ignored": (unhandled, 1),
    "beside a `Sequence`": (lambda: by_x(two_states(**WAITS)), 1),
    "guarded, beside a `Sequence`": (lambda: by_x(two_states(when=lambda: True, **WAITS)), 1),
    "posted, with its update": (lambda: later(lambda fsm: fsm.post_event("X")), 1),
    "delayed, with its update": (lambda: later(lambda fsm: fsm.send_event_after(0.0, "X")), 1),
    "suspending, and `BACK`": (suspending, 2),
    "`start()` again": (restarted, 1),
}
WATCHERS: Final[dict[str, Lane]] = {
    "nobody": (lambda: watched(lambda fsm: None), 1),
    "an observer of `state_entered`": (lambda: watched(lambda fsm: fsm.observe(Entered())), 1),
    "a `History`": (lambda: watched(History), 1),
    "an observer with `intercept`": (lambda: watched(lambda fsm: fsm.observe(Intercepts())), 1),
    "a `Recording` in memory": (lambda: watched(Recording), 1),
}


def prepare_lane(lane: Lane, count: int) -> Trial:
    """Make a machine ready to send `count` events of its kind."""
    make, events = lane
    call = make()
    call()

    def send() -> None:
        for _ in range(count // events):
            call()

    return Trial(count // events * events, send, lambda: None)
