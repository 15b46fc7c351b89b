"""The machines of the benchmark on the ported C# framework of `seed_port`."""

from __future__ import annotations

from contestant import Blueprint, Contestant, Crowd, Run
from seed_port import Fsm, FsmAction, FsmState, Time
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


class CountLeft(FsmAction):
    def __init__(self, owner: FsmState, counts: Counts) -> None:
        super().__init__(owner)
        self.counts = counts

    def on_enter(self) -> None:
        self.counts.entered += 1

    def on_exit(self) -> None:
        self.counts.exited += 1


class CountRight(FsmAction):
    def __init__(self, owner: FsmState, counts: Counts) -> None:
        super().__init__(owner)
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
    left.add_action(CountLeft(left, counts))
    right.add_action(CountRight(right, counts))
    left.add_transition("PING", right)
    right.add_transition("PONG", left)
    machine.start("Left")

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.send_event("PING")
            machine.send_event("PONG")

    return Run(counts, play)


class DoFirst(FsmAction):
    def __init__(self, owner: FsmState, counts: Counts) -> None:
        super().__init__(owner)
        self.counts = counts

    def on_update(self) -> None:
        self.counts.first += 1


class DoSecond(FsmAction):
    def __init__(self, owner: FsmState, counts: Counts) -> None:
        super().__init__(owner)
        self.counts = counts

    def on_update(self) -> None:
        self.counts.second += 1


class AddSeconds(FsmAction):
    def __init__(self, owner: FsmState, counts: Counts) -> None:
        super().__init__(owner)
        self.counts = counts

    def on_update(self) -> None:
        self.counts.seconds += Time.delta_time


def frames() -> Run:
    counts = Counts()
    machine = Fsm("Worker")
    idle = machine.add_state("Idle")
    busy = machine.add_state("Busy")
    busy.add_action(DoFirst(busy, counts))
    busy.add_action(DoSecond(busy, counts))
    busy.add_action(AddSeconds(busy, counts))
    idle.add_transition("BEGIN", busy)
    busy.add_transition("END", idle)
    machine.start("Idle")
    machine.send_event("BEGIN")

    def play(count: int) -> None:
        for _ in range(count):
            Time.delta_time = FRAME
            machine.update()

    return Run(counts, play)


class EnterSleep(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Sleep"
        self.record.entered += 1


class ExitSleep(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterPatrol(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Patrol"
        self.record.entered += 1


class ExitPatrol(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterChase(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Chase"
        self.record.entered += 1


class ExitChase(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterAttack(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Attack"
        self.record.entered += 1


class ExitAttack(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


class EnterFlee(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_enter(self) -> None:
        self.record.state = "Flee"
        self.record.entered += 1


class ExitFlee(FsmAction):
    def __init__(self, owner: FsmState, record: Record) -> None:
        super().__init__(owner)
        self.record = record

    def on_exit(self) -> None:
        self.record.exited += 1


def build_guard(record: Record) -> Fsm:
    machine = Fsm("Guard")
    sleep = machine.add_state("Sleep")
    patrol = machine.add_state("Patrol")
    chase = machine.add_state("Chase")
    attack = machine.add_state("Attack")
    flee = machine.add_state("Flee")

    sleep.add_action(EnterSleep(sleep, record))
    sleep.add_action(ExitSleep(sleep, record))
    patrol.add_action(EnterPatrol(patrol, record))
    patrol.add_action(ExitPatrol(patrol, record))
    chase.add_action(EnterChase(chase, record))
    chase.add_action(ExitChase(chase, record))
    attack.add_action(EnterAttack(attack, record))
    attack.add_action(ExitAttack(attack, record))
    flee.add_action(EnterFlee(flee, record))
    flee.add_action(ExitFlee(flee, record))

    sleep.add_transition("WAKE", patrol)
    patrol.add_transition("TIRED", sleep)
    patrol.add_transition("SPOTTED", chase)
    chase.add_transition("LOST", patrol)
    chase.add_transition("REACHED", attack)
    attack.add_transition("ESCAPED", chase)
    attack.add_transition("HURT", flee)
    flee.add_transition("SAFE", patrol)
    return machine


def start_guard(machine: Fsm) -> None:
    machine.start("Sleep")


def guards() -> Blueprint:
    return Blueprint(build_guard, start_guard, Fsm.send_event)


class SpotPlayer(FsmAction):
    def __init__(self, owner: FsmState, npc: Npc) -> None:
        super().__init__(owner)
        self.npc = npc

    def on_update(self) -> None:
        if self.npc.distance_to_player() < SIGHT:
            self.get_owner().send_event("SPOTTED")


class LosePlayer(FsmAction):
    def __init__(self, owner: FsmState, npc: Npc) -> None:
        super().__init__(owner)
        self.npc = npc

    def on_update(self) -> None:
        if self.npc.distance_to_player() >= REACH:
            self.get_owner().send_event("LOST")


class Walk(FsmAction):
    def __init__(self, owner: FsmState, npc: Npc) -> None:
        super().__init__(owner)
        self.npc = npc
        self.time_left = 0.0

    def on_enter(self) -> None:
        self.npc.patrols += 1
        self.npc.heading = -self.npc.heading
        self.time_left = self.npc.patrol_time

    def on_update(self) -> None:
        self.npc.x += self.npc.heading * WALK_SPEED * Time.delta_time
        self.time_left -= Time.delta_time
        if self.time_left <= 0.0:
            self.get_owner().send_event("TIRED")

    def on_exit(self) -> None:
        self.npc.exits += 1


class Rest(FsmAction):
    def __init__(self, owner: FsmState, npc: Npc) -> None:
        super().__init__(owner)
        self.npc = npc
        self.time_left = 0.0

    def on_enter(self) -> None:
        self.npc.waits += 1
        self.time_left = self.npc.wait_time

    def on_update(self) -> None:
        self.time_left -= Time.delta_time
        if self.time_left <= 0.0:
            self.get_owner().send_event("RESTED")

    def on_exit(self) -> None:
        self.npc.exits += 1


class Pursue(FsmAction):
    def __init__(self, owner: FsmState, npc: Npc) -> None:
        super().__init__(owner)
        self.npc = npc

    def on_enter(self) -> None:
        self.npc.chases += 1

    def on_update(self) -> None:
        self.npc.run_to_player(RUN_SPEED * Time.delta_time)

    def on_exit(self) -> None:
        self.npc.exits += 1


def hunter(npc: Npc) -> Fsm:
    machine = Fsm("Hunter")
    patrol = machine.add_state("Patrol")
    wait = machine.add_state("Wait")
    chase = machine.add_state("Chase")

    patrol.add_action(SpotPlayer(patrol, npc))
    patrol.add_action(Walk(patrol, npc))
    wait.add_action(SpotPlayer(wait, npc))
    wait.add_action(Rest(wait, npc))
    chase.add_action(LosePlayer(chase, npc))
    chase.add_action(Pursue(chase, npc))

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
        Time.delta_time = dt
        for machine in machines:
            machine.update()

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution=None,
    imports=None,
    ping_pong=ping_pong,
    frames=frames,
    guards=guards,
    crowd=crowd,
    remark="is the C# framework that fsmkit's model comes from, ported line by line",
)
