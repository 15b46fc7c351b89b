"""Panda3D's FSM: a subclass with `enterState` and `exitState` methods, driven by `request`.

A request names the state to go to, so every event here is asked for by its target.
"""

from __future__ import annotations

from typing import Final

from contestant import Blueprint, Contestant, Crowd, Run
from direct.fsm.FSM import FSM  # type: ignore[import-untyped]  # Panda3D has no annotations
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


class PingPong(FSM):  # type: ignore[misc]
    defaultTransitions: Final = {"Left": ["Right"], "Right": ["Left"]}

    def __init__(self, counts: Counts) -> None:
        super().__init__("PingPong")
        self.counts = counts

    def enterLeft(self) -> None:
        self.counts.entered += 1

    def exitLeft(self) -> None:
        self.counts.exited += 1

    def enterRight(self) -> None:
        self.counts.entered += 1

    def exitRight(self) -> None:
        self.counts.exited += 1


def ping_pong() -> Run:
    counts = Counts()
    machine = PingPong(counts)
    machine.request("Left")

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.request("Right")
            machine.request("Left")

    return Run(counts, play)


class Worker(FSM):  # type: ignore[misc]
    defaultTransitions: Final = {"Idle": ["Busy"], "Busy": ["Idle"]}

    def __init__(self, counts: Counts) -> None:
        super().__init__("Worker")
        self.counts = counts

    def update(self, dt: float) -> None:
        getattr(self, f"update{self.state}")(dt)

    def updateBusy(self, dt: float) -> None:
        self.do_first()
        self.do_second()
        self.add_seconds(dt)

    def do_first(self) -> None:
        self.counts.first += 1

    def do_second(self) -> None:
        self.counts.second += 1

    def add_seconds(self, dt: float) -> None:
        self.counts.seconds += dt


def frames() -> Run:
    counts = Counts()
    machine = Worker(counts)
    machine.request("Idle")
    machine.request("Busy")

    def play(count: int) -> None:
        for _ in range(count):
            machine.update(FRAME)

    return Run(counts, play)


class Guard(FSM):  # type: ignore[misc]
    defaultTransitions: Final = {
        "Sleep": ["Patrol"],
        "Patrol": ["Sleep", "Chase"],
        "Chase": ["Patrol", "Attack"],
        "Attack": ["Chase", "Flee"],
        "Flee": ["Patrol"],
    }

    def __init__(self, record: Record) -> None:
        super().__init__("Guard")
        self.record = record

    def enterSleep(self) -> None:
        self.record.state = "Sleep"
        self.record.entered += 1

    def exitSleep(self) -> None:
        self.record.exited += 1

    def enterPatrol(self) -> None:
        self.record.state = "Patrol"
        self.record.entered += 1

    def exitPatrol(self) -> None:
        self.record.exited += 1

    def enterChase(self) -> None:
        self.record.state = "Chase"
        self.record.entered += 1

    def exitChase(self) -> None:
        self.record.exited += 1

    def enterAttack(self) -> None:
        self.record.state = "Attack"
        self.record.entered += 1

    def exitAttack(self) -> None:
        self.record.exited += 1

    def enterFlee(self) -> None:
        self.record.state = "Flee"
        self.record.entered += 1

    def exitFlee(self) -> None:
        self.record.exited += 1


GUARD_TARGETS: Final = {event: target for _, event, target in GUARD_TRANSITIONS}


def start_guard(machine: Guard) -> None:
    machine.request("Sleep")


def send_to_guard(machine: Guard, event: str) -> None:
    machine.request(GUARD_TARGETS[event])


def guards() -> Blueprint:
    return Blueprint(Guard, start_guard, send_to_guard)


class Hunter(FSM):  # type: ignore[misc]
    defaultTransitions: Final = {
        "Patrol": ["Wait", "Chase"],
        "Wait": ["Patrol", "Chase"],
        "Chase": ["Patrol"],
    }

    def __init__(self, npc: Npc) -> None:
        super().__init__("Hunter")
        self.npc = npc

    def update(self, dt: float) -> None:
        getattr(self, f"update{self.state}")(dt)

    def enterPatrol(self) -> None:
        self.npc.patrols += 1
        self.npc.heading = -self.npc.heading
        self.npc.time_left = self.npc.patrol_time

    def updatePatrol(self, dt: float) -> None:
        npc = self.npc
        if npc.distance_to_player() < SIGHT:
            self.request("Chase")
            return
        npc.x += npc.heading * WALK_SPEED * dt
        npc.time_left -= dt
        if npc.time_left <= 0.0:
            self.request("Wait")

    def exitPatrol(self) -> None:
        self.npc.exits += 1

    def enterWait(self) -> None:
        self.npc.waits += 1
        self.npc.time_left = self.npc.wait_time

    def updateWait(self, dt: float) -> None:
        npc = self.npc
        if npc.distance_to_player() < SIGHT:
            self.request("Chase")
            return
        npc.time_left -= dt
        if npc.time_left <= 0.0:
            self.request("Patrol")

    def exitWait(self) -> None:
        self.npc.exits += 1

    def enterChase(self) -> None:
        self.npc.chases += 1

    def updateChase(self, dt: float) -> None:
        npc = self.npc
        if npc.distance_to_player() >= REACH:
            self.request("Patrol")
        else:
            npc.run_to_player(RUN_SPEED * dt)

    def exitChase(self) -> None:
        self.npc.exits += 1


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [Npc(world, number) for number in crowd_numbers(size)]
    machines = [Hunter(npc) for npc in npcs]
    for machine in machines:
        machine.request("Patrol")

    def step(dt: float) -> None:
        for machine in machines:
            machine.update(dt)

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution="panda3d",
    imports="from direct.fsm.FSM import FSM",
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="(direct.fsm.FSM) has no update: the class looks up its method by the name of the state",
)
