"""A robot comes to its charging station, asks it for a berth, and docks there.

    fsmkit run examples/dock.py --seconds 9
    python examples/dock.py

The emergency stop suspends whatever the robot is doing: `on_suspend` switches the motor off at
once, and `on_resume` switches it on again. The radio is bad, so the robot tries to connect again
and again, after longer and longer delays. Connecting and asking block, so they run in a thread,
and the station's answer comes back as the data of FINISHED. They move nothing, so they may go on
during a stop: `suspended="go on"` says that this is intended. In this example, a pool without
threads does them at once, so that it prints the same every time. A real robot leaves out `pool`,
and the work runs in a real thread.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any

from actions import InThread, MoveTowards, Retry
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.space import Transform

STOP, GO_ON = "STOP", "GO_ON"

BERTHS = {"left": (4.0, 1.0), "right": (4.0, -1.0)}
SPEED = 1.0
"""Metres per second."""


class Station:
    """The computer of the charging station; it does not hear the first two calls."""

    def __init__(self) -> None:
        self.calls = 0

    def connect(self) -> None:
        self.calls += 1
        if self.calls < 3:
            print(f"    call {self.calls}: no answer")
            raise ConnectionError("no answer")
        print(f"    call {self.calls}: connected")

    def free_berth(self) -> str:
        print("    the left berth is free")
        return "left"


@dataclass
class Robot:
    station: Station = field(default_factory=Station)
    body: Transform = field(default_factory=lambda: Transform((0.0, 0.0)))
    motor: bool = False


class MotorOn(FsmAction[Robot]):
    """Keeps the motor on, but not while the state is suspended."""

    background = True

    def on_enter(self) -> None:
        self.context.motor = True

    def on_suspend(self) -> None:
        self.context.motor = False

    def on_resume(self) -> None:
        self.context.motor = True

    def on_exit(self) -> None:
        self.context.motor = False


class AtOnce(Executor):
    """A pool that does the work on the spot."""

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def berth_given(state: FsmState[Robot]) -> tuple[float, float]:
    """Return the place of the berth that the station has named."""
    return BERTHS[str(state.fsm.event_data)]


def build() -> Fsm[Robot]:
    robot, pool = Robot(), AtOnce()
    station = robot.station
    fsm = Fsm("Robot", context=robot)
    approach, connect, ask = map(fsm.add_state, ("Approach", "Connect", "Ask"))
    dock, stopped = map(fsm.add_state, ("Dock", "Stopped"))
    charging, lost = (
        fsm.add_state(name, final=True) for name in ("Charging", "Lost")
    )

    approach.add_action(MotorOn())
    approach.add_action(MoveTowards(robot.body, (3.0, 0.0), SPEED))
    call = InThread(station.connect, pool=pool, suspended="go on")
    connect.add_action(Retry(call, times=4, delay=0.5, backoff=2))
    ask.add_action(InThread(station.free_berth, pool=pool, suspended="go on"))
    dock.add_action(MotorOn())
    dock.add_action(MoveTowards(robot.body, berth_given, SPEED))

    approach.add_transition(FINISHED, connect)
    connect.add_transition(FINISHED, ask)
    connect.add_transition(ERROR, lost)
    ask.add_transition(FINISHED, dock)
    dock.add_transition(FINISHED, charging)
    fsm.add_global_transition(STOP, stopped, suspend=True)
    stopped.add_transition(GO_ON, BACK)

    for seconds, event in (
        (1.0, STOP),
        (2.0, GO_ON),
        (6.5, STOP),
        (7.0, GO_ON),
    ):
        fsm.send_event_after(seconds, event)
    return fsm


def main() -> None:
    fsm = build()
    fsm.start()
    robot = fsm.context
    for _ in range(16):
        for _ in range(10):
            fsm.update(0.05)
        assert fsm.current_state is not None
        x, y = robot.body.position
        motor = "on" if robot.motor else "off"
        print(
            f"{fsm.time:3.1f} s  {fsm.current_state.name:8}  at ({x:.2f}, {y:.2f})  motor {motor}"
        )


if __name__ == "__main__":
    main()
