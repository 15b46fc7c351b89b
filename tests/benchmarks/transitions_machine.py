"""transitions: a model to which a `Machine` adds its triggers; a frame is a trigger too.

An update is an internal transition, one without a destination, whose callbacks get the time. Guards
and characters share one machine and its states; to add a model it looks through those it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contestant import Blueprint, Contestant, Crowd, Run
from transitions import Machine
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

if TYPE_CHECKING:
    from collections.abc import Callable

    Trigger = Callable[[], bool]
    UpdateTrigger = Callable[[float], bool]


class PingPong(Counts):
    if TYPE_CHECKING:
        ping: Trigger
        pong: Trigger

    def enter_left(self) -> None:
        self.entered += 1

    def exit_left(self) -> None:
        self.exited += 1

    def enter_right(self) -> None:
        self.entered += 1

    def exit_right(self) -> None:
        self.exited += 1


def ping_pong() -> Run:
    model = PingPong()
    Machine(
        model,
        states=[
            {"name": "left", "on_enter": model.enter_left, "on_exit": model.exit_left},
            {"name": "right", "on_enter": model.enter_right, "on_exit": model.exit_right},
        ],
        transitions=[["ping", "left", "right"], ["pong", "right", "left"]],
        initial="left",
        auto_transitions=False,
    )
    model.enter_left()

    def play(rounds: int) -> None:
        for _ in range(rounds):
            model.ping()
            model.pong()

    return Run(model, play)


class Worker(Counts):
    if TYPE_CHECKING:
        begin: Trigger
        update: UpdateTrigger

    def do_first(self, dt: float) -> None:
        self.first += 1

    def do_second(self, dt: float) -> None:
        self.second += 1

    def add_seconds(self, dt: float) -> None:
        self.seconds += dt


def frames() -> Run:
    model = Worker()
    machine = Machine(
        model,
        states=["idle", "busy"],
        transitions=[["begin", "idle", "busy"], ["end", "busy", "idle"]],
        initial="idle",
        auto_transitions=False,
    )
    machine.add_transition(
        "update", "busy", None, after=[model.do_first, model.do_second, model.add_seconds]
    )
    model.begin()

    def play(count: int) -> None:
        for _ in range(count):
            model.update(FRAME)

    return Run(model, play)


class Guard:
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


def guards() -> Blueprint:
    machine = Machine(
        None,
        states=[
            {"name": "Sleep", "on_enter": "enter_sleep", "on_exit": "exit_sleep"},
            {"name": "Patrol", "on_enter": "enter_patrol", "on_exit": "exit_patrol"},
            {"name": "Chase", "on_enter": "enter_chase", "on_exit": "exit_chase"},
            {"name": "Attack", "on_enter": "enter_attack", "on_exit": "exit_attack"},
            {"name": "Flee", "on_enter": "enter_flee", "on_exit": "exit_flee"},
        ],
        transitions=[
            [event.lower(), source, target] for source, event, target in GUARD_TRANSITIONS
        ],
        initial="Sleep",
        auto_transitions=False,
    )

    def build(record: Record) -> Guard:
        model = Guard(record)
        machine.add_model(model)
        return model

    return Blueprint(build, Guard.enter_sleep, send_to_guard)


def send_to_guard(model: Guard, event: str) -> None:
    getattr(model, event.lower())()


class Hunter(Npc):
    if TYPE_CHECKING:
        update: UpdateTrigger
        tired: Trigger
        rested: Trigger
        spotted: Trigger
        lost: Trigger

    def enter_patrol(self) -> None:
        self.patrols += 1
        self.heading = -self.heading
        self.time_left = self.patrol_time

    def patrol(self, dt: float) -> None:
        if self.distance_to_player() < SIGHT:
            self.spotted()
            return
        self.x += self.heading * WALK_SPEED * dt
        self.time_left -= dt
        if self.time_left <= 0.0:
            self.tired()

    def enter_wait(self) -> None:
        self.waits += 1
        self.time_left = self.wait_time

    def wait(self, dt: float) -> None:
        if self.distance_to_player() < SIGHT:
            self.spotted()
            return
        self.time_left -= dt
        if self.time_left <= 0.0:
            self.rested()

    def enter_chase(self) -> None:
        self.chases += 1

    def chase(self, dt: float) -> None:
        if self.distance_to_player() >= REACH:
            self.lost()
        else:
            self.run_to_player(RUN_SPEED * dt)

    def leave(self) -> None:
        self.exits += 1


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [Hunter(world, number) for number in crowd_numbers(size)]
    Machine(
        npcs,
        states=[
            {"name": "patrolling", "on_enter": "enter_patrol", "on_exit": "leave"},
            {"name": "waiting", "on_enter": "enter_wait", "on_exit": "leave"},
            {"name": "chasing", "on_enter": "enter_chase", "on_exit": "leave"},
        ],
        transitions=[
            ["tired", "patrolling", "waiting"],
            ["rested", "waiting", "patrolling"],
            ["spotted", ["patrolling", "waiting"], "chasing"],
            ["lost", "chasing", "patrolling"],
            {"trigger": "update", "source": "patrolling", "dest": None, "after": "patrol"},
            {"trigger": "update", "source": "waiting", "dest": None, "after": "wait"},
            {"trigger": "update", "source": "chasing", "dest": None, "after": "chase"},
        ],
        initial="patrolling",
        auto_transitions=False,
    )
    for npc in npcs:
        npc.enter_patrol()

    def step(dt: float) -> None:
        for npc in npcs:
            npc.update(dt)

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution="transitions",
    imports="from transitions import Machine",
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="has no update: a frame is a trigger with an internal transition",
)
