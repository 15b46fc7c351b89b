"""py_trees: behaviour trees, which have neither events nor transitions.

Where a workload sends events, a table of the program says which leaf is wanted, and a selector of
guarded leaves is ticked. The crowd has the tree that py_trees is made for: a guarded chase before a
sequence of patrol and wait. A selector starts the new leaf before it stops the old one, and a leaf
may be terminated once more after it has ended, so each asks whether it is running.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from contestant import Blueprint, Contestant, Crowd, Run
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import EternalGuard
from workloads import (
    FRAME,
    GUARD_TRANSITIONS,
    REACH,
    RUN_SPEED,
    SIGHT,
    WALK_SPEED,
    Counts,
    Npc,
    Record,
    World,
    crowd_numbers,
)


class Switch:
    """A selector of leaves of which the one that is wanted runs."""

    __slots__ = ("tree", "wanted")

    def __init__(self, wanted: str, leaves: list[Behaviour]) -> None:
        self.wanted = wanted
        self.tree = Selector(
            "Switch", memory=False, children=[self.while_wanted(leaf) for leaf in leaves]
        )

    def while_wanted(self, leaf: Behaviour) -> EternalGuard:
        name = leaf.name
        return EternalGuard(name, leaf, lambda: self.wanted == name)

    def start(self) -> None:
        self.tree.tick_once()


class CountLeft(Behaviour):
    def __init__(self, counts: Counts) -> None:
        super().__init__("Left")
        self.counts = counts

    def initialise(self) -> None:
        self.counts.entered += 1

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.counts.exited += 1


class CountRight(Behaviour):
    def __init__(self, counts: Counts) -> None:
        super().__init__("Right")
        self.counts = counts

    def initialise(self) -> None:
        self.counts.entered += 1

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.counts.exited += 1


PING_PONG_TABLE: Final = {("Left", "PING"): "Right", ("Right", "PONG"): "Left"}


def ping_pong() -> Run:
    counts = Counts()
    machine = Switch("Left", [CountLeft(counts), CountRight(counts)])
    machine.start()

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.wanted = PING_PONG_TABLE[machine.wanted, "PING"]
            machine.tree.tick_once()
            machine.wanted = PING_PONG_TABLE[machine.wanted, "PONG"]
            machine.tree.tick_once()

    return Run(counts, play)


class Clock:
    """The duration of the frame, for the leaves of a tree to read."""

    __slots__ = ("delta_time",)

    def __init__(self) -> None:
        self.delta_time = 0.0


class DoFirst(Behaviour):
    def __init__(self, counts: Counts) -> None:
        super().__init__("DoFirst")
        self.counts = counts

    def update(self) -> Status:
        self.counts.first += 1
        return Status.RUNNING


class DoSecond(Behaviour):
    def __init__(self, counts: Counts) -> None:
        super().__init__("DoSecond")
        self.counts = counts

    def update(self) -> Status:
        self.counts.second += 1
        return Status.RUNNING


class AddSeconds(Behaviour):
    def __init__(self, counts: Counts, clock: Clock) -> None:
        super().__init__("AddSeconds")
        self.counts = counts
        self.clock = clock

    def update(self) -> Status:
        self.counts.seconds += self.clock.delta_time
        return Status.RUNNING


def frames() -> Run:
    counts = Counts()
    clock = Clock()
    tree = Parallel(
        "Busy",
        policy=ParallelPolicy.SuccessOnAll(synchronise=False),
        children=[DoFirst(counts), DoSecond(counts), AddSeconds(counts, clock)],
    )

    def play(count: int) -> None:
        for _ in range(count):
            clock.delta_time = FRAME
            tree.tick_once()

    return Run(counts, play)


class Sleep(Behaviour):
    def __init__(self, record: Record) -> None:
        super().__init__("Sleep")
        self.record = record

    def initialise(self) -> None:
        self.record.state = "Sleep"
        self.record.entered += 1

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.record.exited += 1


class Patrol(Behaviour):
    def __init__(self, record: Record) -> None:
        super().__init__("Patrol")
        self.record = record

    def initialise(self) -> None:
        self.record.state = "Patrol"
        self.record.entered += 1

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.record.exited += 1


class Chase(Behaviour):
    def __init__(self, record: Record) -> None:
        super().__init__("Chase")
        self.record = record

    def initialise(self) -> None:
        self.record.state = "Chase"
        self.record.entered += 1

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.record.exited += 1


class Attack(Behaviour):
    def __init__(self, record: Record) -> None:
        super().__init__("Attack")
        self.record = record

    def initialise(self) -> None:
        self.record.state = "Attack"
        self.record.entered += 1

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.record.exited += 1


class Flee(Behaviour):
    def __init__(self, record: Record) -> None:
        super().__init__("Flee")
        self.record = record

    def initialise(self) -> None:
        self.record.state = "Flee"
        self.record.entered += 1

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.record.exited += 1


GUARD_TABLE: Final = {(source, event): target for source, event, target in GUARD_TRANSITIONS}


def build_guard(record: Record) -> Switch:
    return Switch(
        "Sleep", [Sleep(record), Patrol(record), Chase(record), Attack(record), Flee(record)]
    )


def send_to_guard(machine: Switch, event: str) -> None:
    machine.wanted = GUARD_TABLE[machine.wanted, event]
    machine.tree.tick_once()


def guards() -> Blueprint:
    return Blueprint(build_guard, Switch.start, send_to_guard)


class HunterLeaf(Behaviour):
    """A leaf that is entered in one frame and works from the next one on."""

    def __init__(self, name: str, npc: Npc, clock: Clock) -> None:
        super().__init__(name)
        self.npc = npc
        self.clock = clock
        self.is_new = False

    def initialise(self) -> None:
        self.is_new = True
        self.enter()

    def enter(self) -> None:
        """Do what is done once, when the leaf begins."""

    def update(self) -> Status:
        if self.is_new:
            self.is_new = False
            return Status.RUNNING
        return self.work()

    def work(self) -> Status:
        """Do what is done in a frame."""
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        if self.status is Status.RUNNING:
            self.npc.exits += 1


class PatrolLeaf(HunterLeaf):
    def enter(self) -> None:
        self.npc.patrols += 1
        self.npc.heading = -self.npc.heading
        self.npc.time_left = self.npc.patrol_time

    def work(self) -> Status:
        dt = self.clock.delta_time
        self.npc.x += self.npc.heading * WALK_SPEED * dt
        self.npc.time_left -= dt
        return Status.SUCCESS if self.npc.time_left <= 0.0 else Status.RUNNING


class WaitLeaf(HunterLeaf):
    def enter(self) -> None:
        self.npc.waits += 1
        self.npc.time_left = self.npc.wait_time

    def work(self) -> Status:
        self.npc.time_left -= self.clock.delta_time
        return Status.SUCCESS if self.npc.time_left <= 0.0 else Status.RUNNING


class ChaseLeaf(HunterLeaf):
    def enter(self) -> None:
        self.npc.chases += 1

    def work(self) -> Status:
        self.npc.run_to_player(RUN_SPEED * self.clock.delta_time)
        return Status.RUNNING


def hunter(npc: Npc, clock: Clock) -> Selector:
    chase = ChaseLeaf("Chase", npc, clock)
    stroll = Sequence(
        "Stroll",
        memory=True,
        children=[PatrolLeaf("Patrol", npc, clock), WaitLeaf("Wait", npc, clock)],
    )
    return Selector(
        "Hunter",
        memory=False,
        children=[EternalGuard("Is the player near?", chase, near_player(npc, chase)), stroll],
    )


def near_player(npc: Npc, chase: ChaseLeaf) -> Callable[[], bool]:
    """Make a check that loses the player only farther away than it noticed it."""

    def is_near() -> bool:
        reach = REACH if chase.status is Status.RUNNING else SIGHT
        return npc.distance_to_player() < reach

    return is_near


def crowd(size: int) -> Crowd:
    world = World()
    clock = Clock()
    npcs = [Npc(world, number) for number in crowd_numbers(size)]
    trees = [hunter(npc, clock) for npc in npcs]
    for tree in trees:
        tree.tick_once()

    def step(dt: float) -> None:
        clock.delta_time = dt
        for tree in trees:
            tree.tick_once()
            if tree.status is Status.SUCCESS:  # the stroll is over: begin the next one at once
                tree.tick_once()

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution="py-trees",
    imports="import py_trees",
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="has no events: a table of the program says which leaf of the tree is wanted",
)
