"""python-statemachine: a class of states and events, whose callbacks are found by their names.

An update is an event too, with an internal transition from the state to itself.
"""

from __future__ import annotations

from contestant import Blueprint, Contestant, Crowd, Run
from statemachine import State, StateMachine
from workloads import (
    FRAME,
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


class PingPong(StateMachine):
    left = State(initial=True)
    right = State()

    ping = left.to(right)
    pong = right.to(left)

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        super().__init__()

    def on_enter_left(self) -> None:
        self.counts.entered += 1

    def on_exit_left(self) -> None:
        self.counts.exited += 1

    def on_enter_right(self) -> None:
        self.counts.entered += 1

    def on_exit_right(self) -> None:
        self.counts.exited += 1


def ping_pong() -> Run:
    counts = Counts()
    machine = PingPong(counts)

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.ping()
            machine.pong()

    return Run(counts, play)


class Worker(StateMachine):
    idle = State(initial=True)
    busy = State()

    begin = idle.to(busy)
    end = busy.to(idle)
    update = busy.to.itself(  # type: ignore[no-untyped-call]  # it has no annotations
        internal=True, on=["do_first", "do_second", "add_seconds"]
    )

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        super().__init__()

    def do_first(self) -> None:
        self.counts.first += 1

    def do_second(self) -> None:
        self.counts.second += 1

    def add_seconds(self, dt: float) -> None:
        self.counts.seconds += dt


def frames() -> Run:
    counts = Counts()
    machine = Worker(counts)
    machine.begin()

    def play(count: int) -> None:
        for _ in range(count):
            machine.update(FRAME)

    return Run(counts, play)


class Guard(StateMachine):
    sleep = State(initial=True)
    patrol = State()
    chase = State()
    attack = State()
    flee = State()

    wake = sleep.to(patrol)
    tired = patrol.to(sleep)
    spotted = patrol.to(chase)
    lost = chase.to(patrol)
    reached = chase.to(attack)
    escaped = attack.to(chase)
    hurt = attack.to(flee)
    safe = flee.to(patrol)

    def __init__(self, record: Record) -> None:
        self.record = record
        super().__init__()

    def on_enter_sleep(self) -> None:
        self.record.state = "Sleep"
        self.record.entered += 1

    def on_exit_sleep(self) -> None:
        self.record.exited += 1

    def on_enter_patrol(self) -> None:
        self.record.state = "Patrol"
        self.record.entered += 1

    def on_exit_patrol(self) -> None:
        self.record.exited += 1

    def on_enter_chase(self) -> None:
        self.record.state = "Chase"
        self.record.entered += 1

    def on_exit_chase(self) -> None:
        self.record.exited += 1

    def on_enter_attack(self) -> None:
        self.record.state = "Attack"
        self.record.entered += 1

    def on_exit_attack(self) -> None:
        self.record.exited += 1

    def on_enter_flee(self) -> None:
        self.record.state = "Flee"
        self.record.entered += 1

    def on_exit_flee(self) -> None:
        self.record.exited += 1


def start_guard(machine: Guard) -> None:
    """Nothing to do: a machine enters its initial state when it is made."""


def send_to_guard(machine: Guard, event: str) -> None:
    machine.send(event.lower())


def guards() -> Blueprint:
    return Blueprint(Guard, start_guard, send_to_guard)


class Hunter(StateMachine):
    patrol = State(initial=True)
    wait = State()
    chase = State()

    tired = patrol.to(wait)
    rested = wait.to(patrol)
    spotted = patrol.to(chase) | wait.to(chase)
    lost = chase.to(patrol)
    update = (
        patrol.to.itself(internal=True, on="keep_patrolling")  # type: ignore[no-untyped-call]
        | wait.to.itself(internal=True, on="keep_waiting")  # type: ignore[no-untyped-call]
        | chase.to.itself(internal=True, on="keep_chasing")  # type: ignore[no-untyped-call]
    )

    def __init__(self, npc: Npc) -> None:
        self.npc = npc
        super().__init__()

    def on_enter_patrol(self) -> None:
        self.npc.patrols += 1
        self.npc.heading = -self.npc.heading
        self.npc.time_left = self.npc.patrol_time

    def keep_patrolling(self, dt: float) -> None:
        npc = self.npc
        if npc.distance_to_player() < SIGHT:
            self.spotted()
            return
        npc.x += npc.heading * WALK_SPEED * dt
        npc.time_left -= dt
        if npc.time_left <= 0.0:
            self.tired()

    def on_exit_patrol(self) -> None:
        self.npc.exits += 1

    def on_enter_wait(self) -> None:
        self.npc.waits += 1
        self.npc.time_left = self.npc.wait_time

    def keep_waiting(self, dt: float) -> None:
        npc = self.npc
        if npc.distance_to_player() < SIGHT:
            self.spotted()
            return
        npc.time_left -= dt
        if npc.time_left <= 0.0:
            self.rested()

    def on_exit_wait(self) -> None:
        self.npc.exits += 1

    def on_enter_chase(self) -> None:
        self.npc.chases += 1

    def keep_chasing(self, dt: float) -> None:
        npc = self.npc
        if npc.distance_to_player() >= REACH:
            self.lost()
        else:
            npc.run_to_player(RUN_SPEED * dt)

    def on_exit_chase(self) -> None:
        self.npc.exits += 1


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [Npc(world, number) for number in crowd_numbers(size)]
    machines = [Hunter(npc) for npc in npcs]

    def step(dt: float) -> None:
        for machine in machines:
            machine.update(dt)

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution="python-statemachine",
    imports="from statemachine import State, StateMachine",
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="has no update: a frame is an event with an internal transition",
)
