"""Misuse that must end in an exception, never in a crash, whichever core runs."""

import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

import pytest
from every import every

from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.core.action import Callbacks
from fsmkit.core.definition import Definition
from fsmkit.core.run import Run
from fsmkit.core.visit import Visit

ODD_VALUES: tuple[Any, ...] = (None, 5, "x", (), (1,), [], {}, object(), (None, None))

JIT = getattr(sys, "_jit", None)  # from Python 3.14 on
HAS_JIT = JIT is not None and JIT.is_enabled()


class Wait(FsmAction):
    def on_enter(self) -> None:
        self.left = 1

    def on_update(self) -> None:
        self.left -= 1
        if self.left <= 0:
            self.finish()

    def on_exit(self) -> None:
        pass


class Listen(FsmAction):
    def on_event(self, event: str, data: object) -> bool:
        return event == "HEARD"


def lamp() -> Fsm:
    fsm = Fsm("Lamp", on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_action(Wait())
    on.add_action(Wait())
    on.add_action(Listen())
    off.add_transition("ON", on)
    off.add_transition(FINISHED, on)
    on.add_transition("OFF", off)
    fsm.start()
    return fsm


def use(fsm: Fsm) -> None:
    """Do everything with a machine that may be broken; exceptions are fine."""
    calls = [
        lambda: fsm.update(0.1),
        lambda: fsm.send_event("ON"),
        lambda: fsm.update(0.1),
        lambda: fsm.send_event("HEARD"),
        lambda: fsm.send_event("OFF"),
        lambda: fsm.states["Off"].actions[0].finish(),  # noqa: PLW0108  # looked up in the call
        lambda: fsm.add_state("Third"),
        lambda: fsm.states["Off"].add_transition("THIRD", fsm.states["On"]),
        lambda: fsm.states["Off"].add_action(Wait()),
        lambda: fsm.process_state_actions("on_exit", (), fsm.states["On"]),
        lambda: fsm.start("On"),
        fsm.stop,
    ]
    for call in calls:
        with suppress(Exception):  # whatever it is
            call()


SLOTS = sorted({*Run.__slots__, *Definition.__slots__})


@every("slot", [slot for slot in SLOTS if slot != "__weakref__"])
def test_a_machine_with_a_missing_or_odd_attribute(slot: str) -> None:
    fsm = lamp()
    delattr(fsm, slot)
    use(fsm)
    for value in ODD_VALUES:
        fsm = lamp()
        setattr(fsm, slot, value)
        use(fsm)


@pytest.mark.parametrize(
    "slot", ["_actions", "_transitions", "_callbacks", "_fsm", "_name", "final"]
)
def test_a_state_with_a_missing_or_odd_attribute(slot: str) -> None:
    for state in ("Off", "On"):
        fsm = lamp()
        delattr(fsm.states[state], slot)
        use(fsm)
        for value in ODD_VALUES:
            fsm = lamp()
            setattr(fsm.states[state], slot, value)
            use(fsm)


@every("slot", Visit.__slots__)
def test_a_visit_with_a_missing_or_odd_part(slot: str) -> None:
    fsm = lamp()
    delattr(fsm._visit_, slot)
    use(fsm)
    for value in (*ODD_VALUES, ((1, 2),), ((print,),)):
        fsm = lamp()
        setattr(fsm._visit_, slot, value)
        use(fsm)


@pytest.mark.parametrize("slot", [slot for slot in Callbacks.__slots__ if slot != "__weakref__"])
def test_callbacks_with_a_missing_or_odd_part(slot: str) -> None:
    def of_its_own() -> tuple[Fsm, Callbacks]:
        fsm = lamp()
        own = fsm._visit_.callbacks.among(range(len(fsm._visit_.actions)))
        fsm._visit_.callbacks = own
        for state in fsm.states.values():
            state._callbacks = own
        return fsm, own

    fsm, own = of_its_own()
    delattr(own, slot)
    use(fsm)
    for value in (*ODD_VALUES, ((1, 2),), ((print,),), ((print, 9),), ((print, "x"),)):
        fsm, own = of_its_own()
        setattr(own, slot, value)
        use(fsm)


@pytest.mark.parametrize("kind", [Fsm, FsmState, Wait])
def test_objects_that_were_never_initialised(kind: type) -> None:
    thing = kind.__new__(kind)
    for call in ("update", "send_event", "add_state", "add_action", "add_transition", "finish"):
        for arguments in ((), (0.1,), ("X",), ("X", thing), (thing,), ("on_exit", ())):
            with suppress(Exception):
                getattr(thing, call)(*arguments)
    bare = FsmState.__new__(FsmState)
    with pytest.raises(Exception):  # noqa: B017, PT011  # not a crash
        bare.add_action(Wait())


def test_methods_called_with_the_wrong_self() -> None:
    for method in (
        Fsm.update,
        Fsm.send_event,
        Fsm.add_state,
        FsmState.add_action,
        FsmAction.finish,
    ):
        for arguments in ((), (5,), (None, "X"), (lamp(),), ("X", 1.0, None)):
            with suppress(Exception):
                method(*arguments)
        with suppress(Exception):
            next(iter(method, None))  # calls it with no arguments at all


def test_an_action_may_have_other_bases_first() -> None:
    class Mixin:
        def __init__(self) -> None:
            self.mixed = True

    class Both(Mixin, FsmAction):
        def on_enter(self) -> None:
            self.fsm.context.append(self.mixed)

    fsm = Fsm("M", context=[])
    fsm.add_state("A").add_action(Both())
    fsm.start()
    assert fsm.context == [True]


def test_a_machine_with_a_walk_of_its_own_walks_it() -> None:
    class Loud(Fsm):
        def process_state_actions(self, phase: str, *others: Any) -> Any:
            walked.append(phase)
            return super().process_state_actions(phase, *others)

    walked: list[str] = []
    fsm = Loud("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Wait())
    a.add_transition("GO", b)
    fsm.start()
    fsm.update(0.1)
    fsm.send_event("GO")
    assert walked == ["on_exit", "on_enter", "on_update", "on_exit", "on_enter"]


def test_a_callback_that_breaks_its_own_machine() -> None:
    class Breaks(FsmAction):
        def __init__(self, slot: str) -> None:
            self.slot = slot

        def on_update(self) -> None:
            delattr(self.fsm, self.slot)

    for slot in SLOTS:
        if slot != "__weakref__":
            fsm = lamp()
            fsm.stop()
            fsm.states["Off"].add_action(Breaks(slot))
            fsm.start()
            use(fsm)


def test_machines_in_many_threads() -> None:
    def run() -> None:
        fsm = lamp()
        for _ in range(300):
            fsm.update(0.1)
            fsm.send_event("OFF")
        done.append(fsm.time)

    done: list[float] = []
    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4
    assert len(set(done)) == 1


@pytest.mark.slow
@pytest.mark.skipif(HAS_JIT, reason="the traces of CPython's JIT take memory, which is not ours")
def test_nothing_grows_over_many_machines() -> None:
    code = """
import gc, tracemalloc
from actions import TimedWait
from fsmkit import FINISHED, Fsm

def live():
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(TimedWait(0.1))
    b.add_action(TimedWait(0.1, "DONE"))
    a.add_transition(FINISHED, b)
    b.add_transition("DONE", a)
    fsm.start()
    for _ in range(5):
        fsm.update(0.1)
    fsm.send_event("NONE")

def size():
    gc.collect()
    return tracemalloc.get_traced_memory()[0]

tracemalloc.start()
for _ in range(200):
    live()
before = size()
for _ in range(10_000):
    live()
print(size() - before)
"""
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert int(printed) < 2000
