"""ROS 2 (rclpy): a timer updates the machine, and subscriptions post its events.

    ros2 run ... or: python examples/anywhere_else/with_rclpy.py

A robot that drives, stops before an obstacle, and turns away from it. Callbacks may come from other
threads than the timer's, so they post.
"""

from __future__ import annotations

from typing import Any

import rclpy
from geometry_msgs.msg import Twist
from rclpy.node import Node
from std_msgs.msg import Float32

from actions import SetValue, TimedWait
from fsmkit import FINISHED, Fsm

FRAME = 1 / 20
NEAR = 0.5
"""Metres."""


class Wanderer(Node):  # type: ignore[misc]  # rclpy is not typed
    def __init__(self) -> None:
        super().__init__("wanderer")
        self.speed, self.turn = 0.0, 0.0
        self.machine = build(self)
        self.machine.start()
        self.wheels = self.create_publisher(Twist, "cmd_vel", 10)
        self.create_subscription(Float32, "range", self.measure, 10)
        self.create_timer(FRAME, self.tick)

    def measure(self, message: Any) -> None:
        self.machine.post_event("OBSTACLE" if message.data < NEAR else "FREE")

    def tick(self) -> None:
        self.machine.update(FRAME)
        command = Twist()
        command.linear.x, command.angular.z = self.speed, self.turn
        self.wheels.publish(command)


def build(robot: Any) -> Fsm[Any]:
    fsm = Fsm("Wanderer", context=robot, on_unhandled="ignore")
    drive, stop, turn = (
        fsm.add_state(name) for name in ("Drive", "Stop", "Turn")
    )
    drive.add_action(SetValue(robot, "speed", 0.3, restore_on_exit=True))
    stop.add_action(TimedWait(0.5))
    turn.add_action(SetValue(robot, "turn", 1.0, restore_on_exit=True))
    drive.add_transition("OBSTACLE", stop)
    stop.add_transition(FINISHED, turn)
    turn.add_transition("FREE", drive)
    return fsm


def main() -> None:
    rclpy.init()
    rclpy.spin(Wanderer())


if __name__ == "__main__":
    main()
