"""sismic: a statechart with code snippets, run by an interpreter.

The statechart is read once; every machine is an interpreter of it. An update is an event with an
internal transition, one without a target.
"""

from __future__ import annotations

from typing import Final

from contestant import Blueprint, Contestant, Crowd, Run
from sismic.interpreter import Interpreter  # type: ignore[import-untyped]  # no py.typed there
from sismic.io import import_from_yaml  # type: ignore[import-untyped]
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

PING_PONG: Final = import_from_yaml("""
statechart:
  name: PingPong
  root state:
    name: root
    initial: left
    states:
      - name: left
        on entry: counts.entered += 1
        on exit: counts.exited += 1
        transitions:
          - event: ping
            target: right
      - name: right
        on entry: counts.entered += 1
        on exit: counts.exited += 1
        transitions:
          - event: pong
            target: left
""")


def ping_pong() -> Run:
    counts = Counts()
    machine = Interpreter(PING_PONG, initial_context={"counts": counts}, ignore_contract=True)
    machine.execute()

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.queue("ping").execute_once()
            machine.queue("pong").execute_once()

    return Run(counts, play)


WORKER: Final = import_from_yaml("""
statechart:
  name: Worker
  root state:
    name: root
    initial: idle
    states:
      - name: idle
        transitions:
          - event: begin
            target: busy
      - name: busy
        transitions:
          - event: end
            target: idle
          - event: update
            action: |
              counts.first += 1
              counts.second += 1
              counts.seconds += event.dt
""")


def frames() -> Run:
    counts = Counts()
    machine = Interpreter(WORKER, initial_context={"counts": counts}, ignore_contract=True)
    machine.queue("begin").execute()

    def play(count: int) -> None:
        for _ in range(count):
            machine.queue("update", dt=FRAME).execute_once()

    return Run(counts, play)


GUARD: Final = import_from_yaml("""
statechart:
  name: Guard
  root state:
    name: root
    initial: Sleep
    states:
      - name: Sleep
        on entry: |
          record.state = "Sleep"
          record.entered += 1
        on exit: record.exited += 1
        transitions:
          - event: WAKE
            target: Patrol
      - name: Patrol
        on entry: |
          record.state = "Patrol"
          record.entered += 1
        on exit: record.exited += 1
        transitions:
          - event: TIRED
            target: Sleep
          - event: SPOTTED
            target: Chase
      - name: Chase
        on entry: |
          record.state = "Chase"
          record.entered += 1
        on exit: record.exited += 1
        transitions:
          - event: LOST
            target: Patrol
          - event: REACHED
            target: Attack
      - name: Attack
        on entry: |
          record.state = "Attack"
          record.entered += 1
        on exit: record.exited += 1
        transitions:
          - event: ESCAPED
            target: Chase
          - event: HURT
            target: Flee
      - name: Flee
        on entry: |
          record.state = "Flee"
          record.entered += 1
        on exit: record.exited += 1
        transitions:
          - event: SAFE
            target: Patrol
""")


def build_guard(record: Record) -> Interpreter:
    return Interpreter(GUARD, initial_context={"record": record}, ignore_contract=True)


def start_guard(machine: Interpreter) -> None:
    machine.execute()


def send_to_guard(machine: Interpreter, event: str) -> None:
    machine.queue(event).execute_once()


def guards() -> Blueprint:
    return Blueprint(build_guard, start_guard, send_to_guard)


HUNTER: Final = import_from_yaml("""
statechart:
  name: Hunter
  root state:
    name: root
    initial: patrol
    states:
      - name: patrol
        on entry: |
          npc.patrols += 1
          npc.heading = -npc.heading
          npc.time_left = npc.patrol_time
        on exit: npc.exits += 1
        transitions:
          - event: update
            action: |
              if npc.distance_to_player() < SIGHT:
                  send("spotted")
              else:
                  npc.x += npc.heading * WALK_SPEED * event.dt
                  npc.time_left -= event.dt
                  if npc.time_left <= 0.0:
                      send("tired")
          - event: spotted
            target: chase
          - event: tired
            target: wait
      - name: wait
        on entry: |
          npc.waits += 1
          npc.time_left = npc.wait_time
        on exit: npc.exits += 1
        transitions:
          - event: update
            action: |
              if npc.distance_to_player() < SIGHT:
                  send("spotted")
              else:
                  npc.time_left -= event.dt
                  if npc.time_left <= 0.0:
                      send("rested")
          - event: spotted
            target: chase
          - event: rested
            target: patrol
      - name: chase
        on entry: npc.chases += 1
        on exit: npc.exits += 1
        transitions:
          - event: update
            action: |
              if npc.distance_to_player() >= REACH:
                  send("lost")
              else:
                  npc.run_to_player(RUN_SPEED * event.dt)
          - event: lost
            target: patrol
""")


def hunter(npc: Npc) -> Interpreter:
    context = {
        "npc": npc,
        "SIGHT": SIGHT,
        "REACH": REACH,
        "WALK_SPEED": WALK_SPEED,
        "RUN_SPEED": RUN_SPEED,
    }
    machine = Interpreter(HUNTER, initial_context=context, ignore_contract=True)
    machine.execute()
    return machine


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [Npc(world, number) for number in crowd_numbers(size)]
    machines = [hunter(npc) for npc in npcs]

    def step(dt: float) -> None:
        for machine in machines:
            machine.queue("update", dt=dt).execute()

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution="sismic",
    imports="from sismic.interpreter import Interpreter; from sismic.io import import_from_yaml",
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="has no update: a frame is an event with an internal transition",
)
