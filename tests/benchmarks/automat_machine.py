"""automat: inputs are methods of a protocol, outputs run on the transition.

There are no callbacks of a state: an output leaves the old state and enters the new one. A frame
is an input that loops; what it sends meanwhile is put off until it has returned.
"""

from __future__ import annotations

from typing import Protocol

from automat import TypeMachineBuilder
from contestant import Blueprint, Contestant, Crowd, Run
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

# --- ping-pong --------------------------------------------------------------------------------


class PingPong(Protocol):
    def ping(self) -> None: ...

    def pong(self) -> None: ...


class PingPongCore(Counts):
    __slots__ = ()

    def enter_left(self) -> None:
        self.entered += 1

    def exit_left(self) -> None:
        self.exited += 1

    def enter_right(self) -> None:
        self.entered += 1

    def exit_right(self) -> None:
        self.exited += 1


_ping_pong = TypeMachineBuilder(PingPong, PingPongCore)
_left = _ping_pong.state("left")
_right = _ping_pong.state("right")


@_left.upon(PingPong.ping).to(_right)
def _left_to_right(inputs: PingPong, core: PingPongCore) -> None:
    core.exit_left()
    core.enter_right()


@_right.upon(PingPong.pong).to(_left)
def _right_to_left(inputs: PingPong, core: PingPongCore) -> None:
    core.exit_right()
    core.enter_left()


new_ping_pong = _ping_pong.build()


def ping_pong() -> Run:
    core = PingPongCore()
    machine = new_ping_pong(core)
    core.enter_left()

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.ping()
            machine.pong()

    return Run(core, play)


# --- frames -----------------------------------------------------------------------------------


class Worker(Protocol):
    def begin(self) -> None: ...

    def end(self) -> None: ...

    def update(self, dt: float) -> None: ...


class WorkerCore(Counts):
    __slots__ = ()

    def do_first(self) -> None:
        self.first += 1

    def do_second(self) -> None:
        self.second += 1

    def add_seconds(self, dt: float) -> None:
        self.seconds += dt


_worker = TypeMachineBuilder(Worker, WorkerCore)
_idle = _worker.state("idle")
_busy = _worker.state("busy")
_idle.upon(Worker.begin).to(_busy).returns(None)
_busy.upon(Worker.end).to(_idle).returns(None)


@_busy.upon(Worker.update).loop()
def _work(inputs: Worker, core: WorkerCore, dt: float) -> None:
    core.do_first()
    core.do_second()
    core.add_seconds(dt)


new_worker = _worker.build()


def frames() -> Run:
    core = WorkerCore()
    machine = new_worker(core)
    machine.begin()

    def play(count: int) -> None:
        for _ in range(count):
            machine.update(FRAME)

    return Run(core, play)


# --- guard ------------------------------------------------------------------------------------


class Guard(Protocol):
    def wake(self) -> None: ...

    def tired(self) -> None: ...

    def spotted(self) -> None: ...

    def lost(self) -> None: ...

    def reached(self) -> None: ...

    def escaped(self) -> None: ...

    def hurt(self) -> None: ...

    def safe(self) -> None: ...


class GuardCore:
    __slots__ = ("record",)

    def __init__(self, record: Record) -> None:
        self.record = record

    def enter_sleep(self) -> None:
        self.record.state = "Sleep"
        self.record.entered += 1

    def exit_sleep(self) -> None:
        self.record.exited += 1

    def enter_patrol(self) -> None:
        self.record.state = "Patrol"
        self.record.entered += 1

    def exit_patrol(self) -> None:
        self.record.exited += 1

    def enter_chase(self) -> None:
        self.record.state = "Chase"
        self.record.entered += 1

    def exit_chase(self) -> None:
        self.record.exited += 1

    def enter_attack(self) -> None:
        self.record.state = "Attack"
        self.record.entered += 1

    def exit_attack(self) -> None:
        self.record.exited += 1

    def enter_flee(self) -> None:
        self.record.state = "Flee"
        self.record.entered += 1

    def exit_flee(self) -> None:
        self.record.exited += 1


_guard = TypeMachineBuilder(Guard, GuardCore)
_sleep = _guard.state("sleep")
_patrol = _guard.state("patrol")
_chase = _guard.state("chase")
_attack = _guard.state("attack")
_flee = _guard.state("flee")


@_sleep.upon(Guard.wake).to(_patrol)
def _wake(inputs: Guard, core: GuardCore) -> None:
    core.exit_sleep()
    core.enter_patrol()


@_patrol.upon(Guard.tired).to(_sleep)
def _tired(inputs: Guard, core: GuardCore) -> None:
    core.exit_patrol()
    core.enter_sleep()


@_patrol.upon(Guard.spotted).to(_chase)
def _spotted(inputs: Guard, core: GuardCore) -> None:
    core.exit_patrol()
    core.enter_chase()


@_chase.upon(Guard.lost).to(_patrol)
def _lost(inputs: Guard, core: GuardCore) -> None:
    core.exit_chase()
    core.enter_patrol()


@_chase.upon(Guard.reached).to(_attack)
def _reached(inputs: Guard, core: GuardCore) -> None:
    core.exit_chase()
    core.enter_attack()


@_attack.upon(Guard.escaped).to(_chase)
def _escaped(inputs: Guard, core: GuardCore) -> None:
    core.exit_attack()
    core.enter_chase()


@_attack.upon(Guard.hurt).to(_flee)
def _hurt(inputs: Guard, core: GuardCore) -> None:
    core.exit_attack()
    core.enter_flee()


@_flee.upon(Guard.safe).to(_patrol)
def _safe(inputs: Guard, core: GuardCore) -> None:
    core.exit_flee()
    core.enter_patrol()


new_guard = _guard.build()


class BuiltGuard:
    """A guard with its core, as the machine does not enter its first state by itself."""

    __slots__ = ("core", "machine")

    def __init__(self, record: Record) -> None:
        self.core = GuardCore(record)
        self.machine = new_guard(self.core)


def start_guard(guard: BuiltGuard) -> None:
    guard.core.enter_sleep()


def send_to_guard(guard: BuiltGuard, event: str) -> None:
    getattr(guard.machine, event.lower())()


def guards() -> Blueprint:
    return Blueprint(BuiltGuard, start_guard, send_to_guard)


# --- crowd ------------------------------------------------------------------------------------


class Hunter(Protocol):
    def update(self, dt: float) -> None: ...

    def tired(self) -> None: ...

    def rested(self) -> None: ...

    def spotted(self) -> None: ...

    def lost(self) -> None: ...


class HunterCore(Npc):
    __slots__ = ()

    def enter_patrol(self) -> None:
        self.patrols += 1
        self.heading = -self.heading
        self.time_left = self.patrol_time

    def enter_wait(self) -> None:
        self.waits += 1
        self.time_left = self.wait_time

    def enter_chase(self) -> None:
        self.chases += 1

    def leave(self) -> None:
        self.exits += 1


_hunter = TypeMachineBuilder(Hunter, HunterCore)
_patrolling = _hunter.state("patrolling")
_waiting = _hunter.state("waiting")
_chasing = _hunter.state("chasing")


@_patrolling.upon(Hunter.update).loop()
def _keep_patrolling(inputs: Hunter, npc: HunterCore, dt: float) -> None:
    if npc.distance_to_player() < SIGHT:
        inputs.spotted()
        return
    npc.x += npc.heading * WALK_SPEED * dt
    npc.time_left -= dt
    if npc.time_left <= 0.0:
        inputs.tired()


@_waiting.upon(Hunter.update).loop()
def _keep_waiting(inputs: Hunter, npc: HunterCore, dt: float) -> None:
    if npc.distance_to_player() < SIGHT:
        inputs.spotted()
        return
    npc.time_left -= dt
    if npc.time_left <= 0.0:
        inputs.rested()


@_chasing.upon(Hunter.update).loop()
def _keep_chasing(inputs: Hunter, npc: HunterCore, dt: float) -> None:
    if npc.distance_to_player() >= REACH:
        inputs.lost()
    else:
        npc.run_to_player(RUN_SPEED * dt)


@_patrolling.upon(Hunter.tired).to(_waiting)
def _begin_to_wait(inputs: Hunter, npc: HunterCore) -> None:
    npc.leave()
    npc.enter_wait()


@_waiting.upon(Hunter.rested).to(_patrolling)
@_chasing.upon(Hunter.lost).to(_patrolling)
def _begin_to_patrol(inputs: Hunter, npc: HunterCore) -> None:
    npc.leave()
    npc.enter_patrol()


@_patrolling.upon(Hunter.spotted).to(_chasing)
@_waiting.upon(Hunter.spotted).to(_chasing)
def _begin_to_chase(inputs: Hunter, npc: HunterCore) -> None:
    npc.leave()
    npc.enter_chase()


new_hunter = _hunter.build()


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [HunterCore(world, number) for number in crowd_numbers(size)]
    machines = [new_hunter(npc) for npc in npcs]
    for npc in npcs:
        npc.enter_patrol()

    def step(dt: float) -> None:
        for machine in machines:
            machine.update(dt)

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution="automat",
    imports="from automat import TypeMachineBuilder",
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="has no callbacks of states: its outputs leave the old state and enter the new one",
)
