"""fsmkit, with an action class for every callback, as the library's users write them.

Two contestants have their machines from here: fsmkit with its kernel, where there is one, and
without.
"""

from __future__ import annotations

import os

from contestant import PURE_SWITCH, Blueprint, Contestant, Crowd, Run
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

from actions import TimedWait
from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.core import CORE_KIND


class CountLeft(FsmAction[None]):
    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def on_enter(self) -> None:
        self.counts.entered += 1

    def on_exit(self) -> None:
        self.counts.exited += 1


class CountRight(FsmAction[None]):
    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def on_enter(self) -> None:
        self.counts.entered += 1

    def on_exit(self) -> None:
        self.counts.exited += 1


def ping_pong() -> Run:
    counts = Counts()
    machine = Fsm("PingPong")
    left = machine.add_state("Left")
    right = machine.add_state("Right")
    left.add_action(CountLeft(counts))
    right.add_action(CountRight(counts))
    left.add_transition("PING", right)
    right.add_transition("PONG", left)
    machine.start("Left")

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.send_event("PING")
            machine.send_event("PONG")

    return Run(counts, play)


class DoFirst(FsmAction[None]):
    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def on_update(self) -> None:
        self.counts.first += 1


class DoSecond(FsmAction[None]):
    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def on_update(self) -> None:
        self.counts.second += 1


class AddSeconds(FsmAction[None]):
    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def on_update(self) -> None:
        self.counts.seconds += self.fsm.delta_time


def frames() -> Run:
    counts = Counts()
    machine = Fsm("Worker")
    idle = machine.add_state("Idle")
    busy = machine.add_state("Busy")
    busy.add_action(DoFirst(counts))
    busy.add_action(DoSecond(counts))
    busy.add_action(AddSeconds(counts))
    idle.add_transition("BEGIN", busy)
    busy.add_transition("END", idle)
    machine.start("Idle")
    machine.send_event("BEGIN")

    def play(count: int) -> None:
        for _ in range(count):
            machine.update(FRAME)

    return Run(counts, play)


class TrafficLight:
    """Red, Green and Amber, each for one frame."""

    def __init__(self) -> None:
        self.machine = Fsm("TrafficLight")
        red = self.machine.add_state("Red")
        green = self.machine.add_state("Green")
        amber = self.machine.add_state("Amber")
        red.add_action(TimedWait(FRAME))
        green.add_action(TimedWait(FRAME))
        amber.add_action(TimedWait(FRAME))
        red.add_transition(FINISHED, green)
        green.add_transition(FINISHED, amber)
        amber.add_transition(FINISHED, red)

    def outcome(self) -> tuple[str, float]:
        state = self.machine.current_state
        return (state.name if state else "", self.machine.time)


def waits() -> Run:
    light = TrafficLight()
    machine = light.machine
    machine.start("Red")

    def play(count: int) -> None:
        for _ in range(count):
            machine.update(FRAME)

    return Run(light, play)


class CountState:
    """An observer of a machine."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def state_entered(self, fsm: Fsm[None], state: FsmState[None], event: str | None) -> None:
        self.counts.first += 1


def watched() -> Run:
    counts = Counts()
    machine = Fsm("PingPong")
    left = machine.add_state("Left")
    right = machine.add_state("Right")
    left.add_action(CountLeft(counts))
    right.add_action(CountRight(counts))
    left.add_transition("PING", right)
    right.add_transition("PONG", left)
    machine.start("Left")
    machine.observe(CountState(counts))

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.send_event("PING")
            machine.send_event("PONG")

    return Run(counts, play)


class EnterSleep(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Sleep"
        self.record.entered += 1


class ExitSleep(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterPatrol(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Patrol"
        self.record.entered += 1


class ExitPatrol(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterChase(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Chase"
        self.record.entered += 1


class ExitChase(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterAttack(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Attack"
        self.record.entered += 1


class ExitAttack(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterFlee(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Flee"
        self.record.entered += 1


class ExitFlee(FsmAction[None]):
    def __init__(self, record: Record) -> None:
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


def build_guard(record: Record) -> Fsm[None]:
    machine = Fsm("Guard")
    sleep = machine.add_state("Sleep")
    patrol = machine.add_state("Patrol")
    chase = machine.add_state("Chase")
    attack = machine.add_state("Attack")
    flee = machine.add_state("Flee")

    sleep.add_action(EnterSleep(record))
    sleep.add_action(ExitSleep(record))
    patrol.add_action(EnterPatrol(record))
    patrol.add_action(ExitPatrol(record))
    chase.add_action(EnterChase(record))
    chase.add_action(ExitChase(record))
    attack.add_action(EnterAttack(record))
    attack.add_action(ExitAttack(record))
    flee.add_action(EnterFlee(record))
    flee.add_action(ExitFlee(record))

    sleep.add_transition("WAKE", patrol)
    patrol.add_transition("TIRED", sleep)
    patrol.add_transition("SPOTTED", chase)
    chase.add_transition("LOST", patrol)
    chase.add_transition("REACHED", attack)
    attack.add_transition("ESCAPED", chase)
    attack.add_transition("HURT", flee)
    flee.add_transition("SAFE", patrol)
    return machine


def start_guard(machine: Fsm[None]) -> None:
    machine.start("Sleep")


def guards() -> Blueprint:
    return Blueprint(build_guard, start_guard, Fsm.send_event)


class SpotPlayer(FsmAction[None]):
    def __init__(self, npc: Npc) -> None:
        self.npc = npc

    def on_update(self) -> None:
        if self.npc.distance_to_player() < SIGHT:
            self.fsm.send_event("SPOTTED")


class LosePlayer(FsmAction[None]):
    def __init__(self, npc: Npc) -> None:
        self.npc = npc

    def on_update(self) -> None:
        if self.npc.distance_to_player() >= REACH:
            self.fsm.send_event("LOST")


class Walk(FsmAction[None]):
    def __init__(self, npc: Npc) -> None:
        self.npc = npc
        self.time_left = 0.0

    def on_enter(self) -> None:
        self.npc.patrols += 1
        self.npc.heading = -self.npc.heading
        self.time_left = self.npc.patrol_time

    def on_update(self) -> None:
        dt = self.fsm.delta_time
        self.npc.x += self.npc.heading * WALK_SPEED * dt
        self.time_left -= dt
        if self.time_left <= 0.0:
            self.fsm.send_event("TIRED")

    def on_exit(self) -> None:
        self.npc.exits += 1


class Rest(FsmAction[None]):
    def __init__(self, npc: Npc) -> None:
        self.npc = npc
        self.time_left = 0.0

    def on_enter(self) -> None:
        self.npc.waits += 1
        self.time_left = self.npc.wait_time

    def on_update(self) -> None:
        self.time_left -= self.fsm.delta_time
        if self.time_left <= 0.0:
            self.fsm.send_event("RESTED")

    def on_exit(self) -> None:
        self.npc.exits += 1


class Pursue(FsmAction[None]):
    def __init__(self, npc: Npc) -> None:
        self.npc = npc

    def on_enter(self) -> None:
        self.npc.chases += 1

    def on_update(self) -> None:
        npc = self.npc
        npc.run_to_player(RUN_SPEED * self.fsm.delta_time)

    def on_exit(self) -> None:
        self.npc.exits += 1


def hunter(npc: Npc) -> Fsm[None]:
    machine = Fsm("Hunter")
    patrol = machine.add_state("Patrol")
    wait = machine.add_state("Wait")
    chase = machine.add_state("Chase")

    patrol.add_action(SpotPlayer(npc))
    patrol.add_action(Walk(npc))
    wait.add_action(SpotPlayer(npc))
    wait.add_action(Rest(npc))
    chase.add_action(LosePlayer(npc))
    chase.add_action(Pursue(npc))

    patrol.add_transition("TIRED", wait)
    patrol.add_transition("SPOTTED", chase)
    wait.add_transition("RESTED", patrol)
    wait.add_transition("SPOTTED", chase)
    chase.add_transition("LOST", patrol)
    machine.start("Patrol")
    return machine


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [Npc(world, number) for number in crowd_numbers(size)]
    machines = [hunter(npc) for npc in npcs]

    def step(dt: float) -> None:
        for machine in machines:
            machine.update(dt)

    return Crowd(world, npcs, step)


HAS_KERNEL = CORE_KIND == "kernel"


def remark() -> str:
    if HAS_KERNEL:
        return "runs with its kernel"
    if PURE_SWITCH in os.environ:
        return "runs without the kernel"
    return "has no kernel here, and runs without"


CONTESTANT = Contestant(
    distribution="fsmkit",
    imports="from fsmkit import Fsm, FsmAction",
    ping_pong=ping_pong,
    frames=frames,
    waits=waits,
    watched=watched,
    guards=guards,
    crowd=crowd,
    has_kernel=HAS_KERNEL,
    remark=remark(),
)
