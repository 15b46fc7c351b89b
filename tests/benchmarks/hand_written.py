"""Plain Python: `if`/`elif` on a string, with `__slots__`. Everything else is compared with it."""

from __future__ import annotations

from collections.abc import Callable

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


class PingPong(Counts):
    """Left and Right; it counts on itself."""

    __slots__ = ("state",)

    def __init__(self) -> None:
        super().__init__()
        self.state = ""

    def start(self) -> None:
        self.state = "Left"
        self.enter_left()

    def send_event(self, event: str) -> bool:
        if self.state == "Left" and event == "PING":
            self.exit_left()
            self.state = "Right"
            self.enter_right()
            return True
        if self.state == "Right" and event == "PONG":
            self.exit_right()
            self.state = "Left"
            self.enter_left()
            return True
        return False

    def enter_left(self) -> None:
        self.entered += 1

    def exit_left(self) -> None:
        self.exited += 1

    def enter_right(self) -> None:
        self.entered += 1

    def exit_right(self) -> None:
        self.exited += 1


class Worker(Counts):
    """Idle and Busy; it counts on itself."""

    __slots__ = ("delta_time", "state", "time")

    def __init__(self) -> None:
        super().__init__()
        self.state = ""
        self.time = 0.0
        self.delta_time = 0.0

    def start(self) -> None:
        self.state = "Idle"

    def send_event(self, event: str) -> bool:
        if self.state == "Idle" and event == "BEGIN":
            self.state = "Busy"
            return True
        if self.state == "Busy" and event == "END":
            self.state = "Idle"
            return True
        return False

    def update(self, dt: float) -> None:
        self.time += dt
        self.delta_time = dt
        if self.state == "Busy":
            self.do_first()
            self.do_second()
            self.add_seconds()

    def do_first(self) -> None:
        self.first += 1

    def do_second(self) -> None:
        self.second += 1

    def add_seconds(self) -> None:
        self.seconds += self.delta_time


class TrafficLight:
    """Red, Green and Amber, each for one frame."""

    __slots__ = ("state", "time", "time_left")

    def __init__(self) -> None:
        self.state = ""
        self.time = 0.0
        self.time_left = 0.0

    def start(self) -> None:
        self.state = "Red"
        self.enter_red()

    def send_event(self, event: str) -> bool:
        if self.state == "Red" and event == "FINISHED":
            self.state = "Green"
            self.enter_green()
            return True
        if self.state == "Green" and event == "FINISHED":
            self.state = "Amber"
            self.enter_amber()
            return True
        if self.state == "Amber" and event == "FINISHED":
            self.state = "Red"
            self.enter_red()
            return True
        return False

    def update(self, dt: float) -> None:
        self.time += dt
        self.time_left -= dt
        if self.time_left <= 0.0:
            self.send_event("FINISHED")

    def enter_red(self) -> None:
        self.time_left = FRAME

    def enter_green(self) -> None:
        self.time_left = FRAME

    def enter_amber(self) -> None:
        self.time_left = FRAME

    def outcome(self) -> tuple[str, float]:
        return (self.state, self.time)


class WatchedPingPong(Counts):
    """Left and Right; it calls a function with the name of every state that it enters."""

    __slots__ = ("state", "watch")

    def __init__(self) -> None:
        super().__init__()
        self.state = ""
        self.watch: Callable[[str], None] | None = None

    def start(self) -> None:
        self.change("Left")
        self.enter_left()

    def send_event(self, event: str) -> bool:
        if self.state == "Left" and event == "PING":
            self.exit_left()
            self.change("Right")
            self.enter_right()
            return True
        if self.state == "Right" and event == "PONG":
            self.exit_right()
            self.change("Left")
            self.enter_left()
            return True
        return False

    def change(self, state: str) -> None:
        self.state = state
        if self.watch is not None:
            self.watch(state)

    def enter_left(self) -> None:
        self.entered += 1

    def exit_left(self) -> None:
        self.exited += 1

    def enter_right(self) -> None:
        self.entered += 1

    def exit_right(self) -> None:
        self.exited += 1

    def count_state(self, state: str) -> None:
        self.first += 1


class Guard:
    """Five states, eight transitions, ten callbacks."""

    __slots__ = ("delta_time", "record", "state", "time")

    def __init__(self, record: Record) -> None:
        self.record = record
        self.state = ""
        self.time = 0.0
        self.delta_time = 0.0

    def start(self) -> None:
        self.state = "Sleep"
        self.enter_sleep()

    def send_event(self, event: str) -> bool:
        if self.state == "Sleep" and event == "WAKE":
            self.exit_sleep()
            self.state = "Patrol"
            self.enter_patrol()
            return True
        if self.state == "Patrol":
            if event == "TIRED":
                self.exit_patrol()
                self.state = "Sleep"
                self.enter_sleep()
                return True
            if event == "SPOTTED":
                self.exit_patrol()
                self.state = "Chase"
                self.enter_chase()
                return True
        elif self.state == "Chase":
            if event == "LOST":
                self.exit_chase()
                self.state = "Patrol"
                self.enter_patrol()
                return True
            if event == "REACHED":
                self.exit_chase()
                self.state = "Attack"
                self.enter_attack()
                return True
        elif self.state == "Attack":
            if event == "ESCAPED":
                self.exit_attack()
                self.state = "Chase"
                self.enter_chase()
                return True
            if event == "HURT":
                self.exit_attack()
                self.state = "Flee"
                self.enter_flee()
                return True
        elif self.state == "Flee" and event == "SAFE":
            self.exit_flee()
            self.state = "Patrol"
            self.enter_patrol()
            return True
        return False

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


class Hunter(Npc):
    """A character that decides for itself: Patrol, Wait and Chase."""

    __slots__ = ("state",)

    def __init__(self, world: World, number: int) -> None:
        super().__init__(world, number)
        self.state = ""

    def start(self) -> None:
        self.state = "Patrol"
        self.enter_patrol()

    def send_event(self, event: str) -> bool:
        if self.state == "Patrol":
            if event == "TIRED":
                self.exits += 1
                self.state = "Wait"
                self.enter_wait()
                return True
            if event == "SPOTTED":
                self.exits += 1
                self.state = "Chase"
                self.enter_chase()
                return True
        elif self.state == "Wait":
            if event == "RESTED":
                self.exits += 1
                self.state = "Patrol"
                self.enter_patrol()
                return True
            if event == "SPOTTED":
                self.exits += 1
                self.state = "Chase"
                self.enter_chase()
                return True
        elif self.state == "Chase" and event == "LOST":
            self.exits += 1
            self.state = "Patrol"
            self.enter_patrol()
            return True
        return False

    def update(self, dt: float) -> None:
        if self.state == "Patrol":
            self.patrol(dt)
        elif self.state == "Wait":
            self.wait(dt)
        elif self.state == "Chase":
            self.chase(dt)

    def enter_patrol(self) -> None:
        self.patrols += 1
        self.heading = -self.heading
        self.time_left = self.patrol_time

    def patrol(self, dt: float) -> None:
        if self.distance_to_player() < SIGHT:
            self.send_event("SPOTTED")
            return
        self.x += self.heading * WALK_SPEED * dt
        self.time_left -= dt
        if self.time_left <= 0.0:
            self.send_event("TIRED")

    def enter_wait(self) -> None:
        self.waits += 1
        self.time_left = self.wait_time

    def wait(self, dt: float) -> None:
        if self.distance_to_player() < SIGHT:
            self.send_event("SPOTTED")
            return
        self.time_left -= dt
        if self.time_left <= 0.0:
            self.send_event("RESTED")

    def enter_chase(self) -> None:
        self.chases += 1

    def chase(self, dt: float) -> None:
        if self.distance_to_player() >= REACH:
            self.send_event("LOST")
            return
        self.run_to_player(RUN_SPEED * dt)


def ping_pong() -> Run:
    machine = PingPong()
    machine.start()

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.send_event("PING")
            machine.send_event("PONG")

    return Run(machine, play)


def frames() -> Run:
    machine = Worker()
    machine.start()
    machine.send_event("BEGIN")

    def play(count: int) -> None:
        for _ in range(count):
            machine.update(FRAME)

    return Run(machine, play)


def waits() -> Run:
    light = TrafficLight()
    light.start()

    def play(count: int) -> None:
        for _ in range(count):
            light.update(FRAME)

    return Run(light, play)


def watched() -> Run:
    machine = WatchedPingPong()
    machine.start()
    machine.watch = machine.count_state

    def play(rounds: int) -> None:
        for _ in range(rounds):
            machine.send_event("PING")
            machine.send_event("PONG")

    return Run(machine, play)


def guards() -> Blueprint:
    return Blueprint(Guard, Guard.start, Guard.send_event)


def crowd(size: int) -> Crowd:
    world = World()
    npcs = [Hunter(world, number) for number in crowd_numbers(size)]
    for npc in npcs:
        npc.start()

    def step(dt: float) -> None:
        for npc in npcs:
            npc.update(dt)

    return Crowd(world, npcs, step)


CONTESTANT = Contestant(
    distribution=None,
    imports=None,
    ping_pong=ping_pong,
    frames=frames,
    waits=waits,
    watched=watched,
    guards=guards,
    crowd=crowd,
)
