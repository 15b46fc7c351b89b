"""The callbacks and happenings of promise.py: `world_of` makes one occur in the other."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from promise import Cell
from promise_world import Listener, Means, Oops, Witness, World

from actions import DelegateAction, Parallel
from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction

STEP = 0.1

Call: TypeAlias = Callable[[], object]
"""The call from outside in which it happens."""


def world_of(cell: Cell, *, catches: bool = False) -> tuple[World, Call]:
    """Return a world for `cell`, and the call that makes it happen there."""
    for_ever = cell.happening == "sends endlessly"
    world = World(HAPPENINGS[cell.happening], happens_for_ever=for_ever, catches=catches)
    start, call = CALLBACKS[cell.callback](world)
    a, b, c, _ = world.means.fsm.states.values()
    if cell.happening == "raises, with ERROR":
        world.means.fsm.add_global_transition(ERROR, b)
    if cell.happening == "finishes twice":
        a.add_transition(FINISHED, b)
        b.add_transition(FINISHED, c)
    if cell.happening == "fails twice":
        a.add_transition(FAILED, b)
        b.add_transition(FAILED, c)
    start()
    return world, call


# What happens


def _raise(_means: Means) -> None:
    raise Oops


def _send(*events: str) -> Callable[[Means], None]:
    def send(means: Means) -> None:
        for event in events:
            means.fsm.send_event(event)

    return send


def _send_then_raise(means: Means) -> None:
    means.fsm.send_event("GO")
    raise Oops


def _start(number: int) -> Callable[[Means], None]:
    return lambda means: means.fsm.start(list(means.fsm.states)[number])


def _finish_twice(means: Means) -> None:
    means.finish()
    means.finish()


def _fail_twice(means: Means) -> None:
    means.fail()
    means.fail()


HAPPENINGS: dict[str, Callable[[Means], object]] = {
    "raises": _raise,
    "raises, with ERROR": _raise,
    "sends one": _send("GO"),
    "sends two": _send("GO", "ON"),
    "there and back": _send("GO", "HOME"),
    "sends, then raises": _send_then_raise,
    "interrupts": _send("INTERRUPT"),
    "stops": lambda means: means.fsm.stop(),
    "restarts": _start(0),
    "starts elsewhere": _start(2),
    "calls update": lambda means: means.fsm.update(STEP),
    "removes itself": lambda means: means.remove(),
    "finishes twice": _finish_twice,
    "fails twice": _fail_twice,
    "sends endlessly": lambda means: means.send_again(),
}


# Where it happens: each returns how the machine begins, and the call that comes then


def _nothing() -> None:
    pass


def _means_of(subject: FsmAction, fsm: Fsm, event: str) -> Means:
    """The means of a callback that `event` leads to."""
    return Means(
        fsm,
        send_again=partial(fsm.send_event, event),
        finish=subject.finish,
        fail=subject.fail,
        remove=lambda: subject.state.remove_action(subject),
    )


def _act(world: World, subject: FsmAction, event: str) -> Fsm:
    """Have `subject` be the action of A that acts."""
    world.means = _means_of(subject, world.outer, event)
    world.inhabit(world.outer, subject)
    return world.outer


def _in_enter(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world, {"enter": world.happen}), "AGAIN")
    return _nothing, fsm.start


def _in_update(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world, {"update": world.happen}), "AGAIN")
    return fsm.start, partial(fsm.update, STEP)


def _in_exit(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world, {"exit": world.happen}), "LEAVE")
    return fsm.start, partial(fsm.send_event, "LEAVE")


def _in_on_event(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Listener(world, {"on_event": world.happen}), "HEARD")
    return fsm.start, partial(fsm.send_event, "HEARD")


def _in_delegate(world: World) -> tuple[Call, Call]:
    fsm = _act(world, DelegateAction(on_update=world.happen), "AGAIN")
    return fsm.start, partial(fsm.update, STEP)


def _in_guard(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world), "CHECK")
    a = fsm.states["A"]
    a.add_transition("CHECK", "D", when=world.happen)
    world.means.remove = lambda: a.remove_transition("CHECK")
    return fsm.start, partial(fsm.send_event, "CHECK")


def _in_effect(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world), "CROSS")
    a = fsm.states["A"]
    a.add_transition("CROSS", "D", do=world.happen)
    world.means.remove = lambda: a.remove_transition("CROSS")
    return fsm.start, partial(fsm.send_event, "CROSS")


def _in_on_suspend(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world, {"on_suspend": world.happen}), "INTERRUPT")
    return fsm.start, partial(fsm.send_event, "INTERRUPT")


def _in_on_resume(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world, {"on_resume": world.happen}), "INTERRUPT")
    returner = fsm.states["D"].add_action(Witness(world))

    def interrupt() -> None:
        fsm.send_event("INTERRUPT")

    def send_for_ever() -> None:
        returner.reactions["enter"] = lambda: world.is_over or fsm.send_event("RETURN")
        interrupt()

    def begin() -> None:
        fsm.start()
        interrupt()

    world.means.send_again = send_for_ever
    return begin, partial(fsm.send_event, "RETURN")


def _in_nested(world: World) -> tuple[Call, Call]:
    inner = world.build("Inner", "abcd")
    subject = Witness(world, {"update": world.happen})
    world.inhabit(inner, subject)
    world.nest(inner)
    world.means = _means_of(subject, inner, "AGAIN")
    return world.outer.start, partial(world.outer.update, STEP)


def _in_nested_for_host(world: World) -> tuple[Call, Call]:
    inner = Fsm("Inner")
    inner.add_state("a")
    world.inhabit(inner, Witness(world, {"update": world.happen}))
    world.means = _means_of(world.nest(inner), world.outer, "AGAIN")
    return world.outer.start, partial(world.outer.update, STEP)


def _in_child(world: World) -> tuple[Call, Call]:
    child = Witness(world, {"update": world.happen})
    fsm = _act(world, Parallel(child), "AGAIN")
    world.means = _means_of(child, fsm, "AGAIN")
    return fsm.start, partial(fsm.update, STEP)


def _in_observer(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Witness(world), "LEAVE")

    class Observer:
        def event_sent(self, fsm: Fsm, event: str, data: object, outcome: str) -> None:
            if event == "LEAVE":
                world.happen()

    def begin() -> None:
        fsm.start()
        world.means.remove = fsm.observe(Observer())

    return begin, partial(fsm.send_event, "LEAVE")


def _in_posted(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Listener(world, {"on_event": world.happen}), "HEARD")
    world.means.send_again = partial(fsm.post_event, "HEARD")

    def begin() -> None:
        fsm.start()
        fsm.post_event("HEARD")

    return begin, partial(fsm.update, STEP)


def _in_delayed(world: World) -> tuple[Call, Call]:
    fsm = _act(world, Listener(world, {"on_event": world.happen}), "HEARD")
    world.means.send_again = partial(fsm.send_event_after, 0.0, "HEARD")

    def begin() -> None:
        fsm.start()
        fsm.send_event_after(STEP, "HEARD")

    return begin, partial(fsm.update, STEP)


CALLBACKS: dict[str, Callable[[World], tuple[Call, Call]]] = {
    "enter": _in_enter,
    "update": _in_update,
    "exit": _in_exit,
    "on_event": _in_on_event,
    "delegate": _in_delegate,
    "guard": _in_guard,
    "effect": _in_effect,
    "on_suspend": _in_on_suspend,
    "on_resume": _in_on_resume,
    "nested": _in_nested,
    "nested, for its host": _in_nested_for_host,
    "child": _in_child,
    "observer": _in_observer,
    "posted": _in_posted,
    "delayed": _in_delayed,
}
