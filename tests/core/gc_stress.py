"""A program: machines into which the garbage collector calls back, at any allocation.

Every container allocation collects (`gc.set_threshold(1)`), and every callback leaves garbage whose
finalizer, or whose weak reference's callback, acts on the machine: it finishes, adds and removes
actions, sends events, starts and stops. CPython 3.11 collects inside allocations, so this happens
between any two steps of the kernel. The program ends with "survived" if each entered action was
exited once.
"""

import gc
import random
import sys
import weakref
from contextlib import suppress

from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmError

EVENTS = ("GO", "HIT", "OVER", "UNKNOWN")


class Garbage:
    """An object in a cycle; its finalizer meddles with a machine."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.me = self

    def __del__(self) -> None:
        self.world.meddle()


class Node:
    """An object in a cycle whose weak reference meddles."""


class Leaves(FsmAction):
    """Leaves garbage in every callback, and finishes or sends an event now and then."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.is_entered = False

    def on_enter(self) -> None:
        assert not self.is_entered
        self.is_entered = True
        self.world.litter()

    def on_update(self) -> None:
        self.world.litter()
        if self.world.random.random() < 0.3:
            self.finish()
        elif self.world.random.random() < 0.2:
            self.fsm.send_event(self.world.random.choice(EVENTS))

    def on_exit(self) -> None:
        assert self.is_entered
        self.is_entered = False
        self.world.litter()


class Listens(Leaves):
    """Is offered events as well."""

    def on_event(self, event: str, data: object) -> bool:
        self.world.litter()
        return event == "HIT" and self.world.random.random() < 0.5


class World:
    """A machine, and what meddles with it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made: list[Leaves] = []
        self.is_over = False
        self.references: list[weakref.ref[Node]] = []
        self.fsm = Fsm("M", on_unhandled="ignore")
        states = [self.fsm.add_state(name) for name in "ABC"]
        for state in states:
            for _ in range(3):
                state.add_action(self.action())
        for here, there in ((0, 1), (1, 2), (2, 0)):
            states[here].add_transition("GO", states[there])
        states[0].add_transition(FINISHED, states[1])
        states[1].add_transition(FINISHED, states[2], when=self.guard)
        states[2].add_transition("HIT", states[0], suspend=True)
        self.fsm.add_global_transition("OVER", BACK)

    def guard(self) -> bool:
        self.litter()
        return True

    def action(self) -> Leaves:
        kind = Listens if self.random.random() < 0.3 else Leaves
        self.made.append(kind(self))
        return self.made[-1]

    def litter(self) -> None:
        if self.is_over or self.random.random() < 0.5:
            return
        if self.random.random() < 0.5:
            Garbage(self)
        else:
            node = Node()
            vars(node)["me"] = node
            self.references = [*self.references[-5:], weakref.ref(node, lambda _: self.meddle())]

    def meddle(self) -> None:
        if self.is_over:
            return
        state = self.random.choice([*self.fsm.states.values()])
        act = self.random.choice(
            (
                lambda: [action.finish() for action in state.actions],
                lambda: state.add_action(self.action()) if len(state.actions) < 6 else None,
                lambda: state.remove_action(self.random.choice(state.actions)),
                lambda: self.fsm.send_event(self.random.choice(EVENTS)),
                self.fsm.stop,
                lambda: self.fsm.start(state),
            )
        )
        with suppress(FsmError, IndexError):
            act()

    def run(self, calls: int) -> None:
        for _ in range(calls):
            with suppress(FsmError, RecursionError):
                if not self.fsm.is_running:
                    self.fsm.start()
                self.random.choice(
                    (
                        lambda: self.fsm.update(0.1),
                        lambda: self.fsm.update(0.1),
                        lambda: self.fsm.send_event(self.random.choice(EVENTS)),
                    )
                )()
        self.is_over = True
        self.fsm.stop()
        assert not [action for action in self.made if action.is_entered]


def main(machines: int) -> None:
    for seed in range(machines):
        world = World(seed)
        gc.set_threshold(1)
        world.run(calls=60)
        gc.set_threshold(700)
    print("survived")


if __name__ == "__main__":
    main(int(sys.argv[1]))
