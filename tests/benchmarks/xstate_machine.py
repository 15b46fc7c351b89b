"""xstate-statemachine: a configuration in XState's form and functions for its action names.

The machine is created once; every character runs it by a `SyncInterpreter` of its own. An update
is an event with actions and without a target.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

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
from xstate_statemachine import (
    ActionDefinition,
    Event,
    MachineLogic,
    SyncInterpreter,
    create_machine,
)

Context: TypeAlias = dict[str, Any]
Interpreter: TypeAlias = SyncInterpreter[Context]
"""Its data is in the context as "input", where the interpreter puts what it is given."""


def count_enter(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].entered += 1


def count_exit(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].exited += 1


PING_PONG: Final = create_machine(
    {
        "id": "pingPong",
        "initial": "left",
        "states": {
            "left": {
                "entry": ["enterLeft"],
                "exit": ["exitLeft"],
                "on": {"PING": "right"},
            },
            "right": {
                "entry": ["enterRight"],
                "exit": ["exitRight"],
                "on": {"PONG": "left"},
            },
        },
    },
    logic=MachineLogic(
        actions={
            "enterLeft": count_enter,
            "exitLeft": count_exit,
            "enterRight": count_enter,
            "exitRight": count_exit,
        }
    ),
)


def ping_pong() -> Run:
    counts = Counts()
    machine = SyncInterpreter(PING_PONG, input=counts).start()

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.send("PING")
            machine.send("PONG")

    return Run(counts, play)


def do_first(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].first += 1


def do_second(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].second += 1


def add_seconds(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].seconds += event.payload["dt"]


WORKER: Final = create_machine(
    {
        "id": "worker",
        "initial": "idle",
        "states": {
            "idle": {"on": {"BEGIN": "busy"}},
            "busy": {
                "on": {
                    "END": "idle",
                    "UPDATE": {"actions": ["doFirst", "doSecond", "addSeconds"]},
                }
            },
        },
    },
    logic=MachineLogic(
        actions={"doFirst": do_first, "doSecond": do_second, "addSeconds": add_seconds}
    ),
)


def frames() -> Run:
    counts = Counts()
    machine = SyncInterpreter(WORKER, input=counts).start()
    machine.send("BEGIN")

    def play(count: int) -> None:
        for _ in range(count):
            machine.send("UPDATE", dt=FRAME)

    return Run(counts, play)


def enter_sleep(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].state = "Sleep"
    context["input"].entered += 1


def enter_patrol(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].state = "Patrol"
    context["input"].entered += 1


def enter_chase(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].state = "Chase"
    context["input"].entered += 1


def enter_attack(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].state = "Attack"
    context["input"].entered += 1


def enter_flee(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].state = "Flee"
    context["input"].entered += 1


GUARD: Final = create_machine(
    {
        "id": "guard",
        "initial": "sleep",
        "states": {
            "sleep": {
                "entry": ["enterSleep"],
                "exit": ["exitSleep"],
                "on": {"WAKE": "patrol"},
            },
            "patrol": {
                "entry": ["enterPatrol"],
                "exit": ["exitPatrol"],
                "on": {"TIRED": "sleep", "SPOTTED": "chase"},
            },
            "chase": {
                "entry": ["enterChase"],
                "exit": ["exitChase"],
                "on": {"LOST": "patrol", "REACHED": "attack"},
            },
            "attack": {
                "entry": ["enterAttack"],
                "exit": ["exitAttack"],
                "on": {"ESCAPED": "chase", "HURT": "flee"},
            },
            "flee": {
                "entry": ["enterFlee"],
                "exit": ["exitFlee"],
                "on": {"SAFE": "patrol"},
            },
        },
    },
    logic=MachineLogic(
        actions={
            "enterSleep": enter_sleep,
            "exitSleep": count_exit,
            "enterPatrol": enter_patrol,
            "exitPatrol": count_exit,
            "enterChase": enter_chase,
            "exitChase": count_exit,
            "enterAttack": enter_attack,
            "exitAttack": count_exit,
            "enterFlee": enter_flee,
            "exitFlee": count_exit,
        }
    ),
)


def build_guard(record: Record) -> Interpreter:
    return SyncInterpreter(GUARD, input=record)


def send_to_guard(machine: Interpreter, event: str) -> None:
    machine.send(event)


def guards() -> Blueprint:
    return Blueprint(build_guard, SyncInterpreter.start, send_to_guard)


def begin_to_patrol(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    npc: Npc = context["input"]
    npc.patrols += 1
    npc.heading = -npc.heading
    npc.time_left = npc.patrol_time


def keep_patrolling(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    npc: Npc = context["input"]
    if npc.distance_to_player() < SIGHT:
        interpreter.send("SPOTTED")
        return
    dt = event.payload["dt"]
    npc.x += npc.heading * WALK_SPEED * dt
    npc.time_left -= dt
    if npc.time_left <= 0.0:
        interpreter.send("TIRED")


def begin_to_wait(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    npc: Npc = context["input"]
    npc.waits += 1
    npc.time_left = npc.wait_time


def keep_waiting(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    npc: Npc = context["input"]
    if npc.distance_to_player() < SIGHT:
        interpreter.send("SPOTTED")
        return
    npc.time_left -= event.payload["dt"]
    if npc.time_left <= 0.0:
        interpreter.send("RESTED")


def begin_to_chase(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].chases += 1


def keep_chasing(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    npc: Npc = context["input"]
    if npc.distance_to_player() >= REACH:
        interpreter.send("LOST")
    else:
        npc.run_to_player(RUN_SPEED * event.payload["dt"])


def leave(
    interpreter: Interpreter, context: Context, event: Event, action: ActionDefinition
) -> None:
    context["input"].exits += 1


HUNTER: Final = create_machine(
    {
        "id": "hunter",
        "initial": "patrol",
        "states": {
            "patrol": {
                "entry": ["beginToPatrol"],
                "exit": ["leave"],
                "on": {
                    "UPDATE": {"actions": ["keepPatrolling"]},
                    "TIRED": "wait",
                    "SPOTTED": "chase",
                },
            },
            "wait": {
                "entry": ["beginToWait"],
                "exit": ["leave"],
                "on": {
                    "UPDATE": {"actions": ["keepWaiting"]},
                    "RESTED": "patrol",
                    "SPOTTED": "chase",
                },
            },
            "chase": {
                "entry": ["beginToChase"],
                "exit": ["leave"],
                "on": {"UPDATE": {"actions": ["keepChasing"]}, "LOST": "patrol"},
            },
        },
    },
    logic=MachineLogic(
        actions={
            "beginToPatrol": begin_to_patrol,
            "keepPatrolling": keep_patrolling,
            "beginToWait": begin_to_wait,
            "keepWaiting": keep_waiting,
            "beginToChase": begin_to_chase,
            "keepChasing": keep_chasing,
            "leave": leave,
        }
    ),
)


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [Npc(world, number) for number in crowd_numbers(size)]
    machines = [SyncInterpreter(HUNTER, input=npc).start() for npc in npcs]

    def step(dt: float) -> None:
        for machine in machines:
            machine.send("UPDATE", dt=dt)

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution="xstate-statemachine",
    imports="from xstate_statemachine import MachineLogic, SyncInterpreter, create_machine",
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="has no update: a frame is an event with actions and without a target",
)
