"""Stand-ins for the parts of rclpy that the recipe uses; ROS 2 is not to be had from PyPI."""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any


class Node:
    """Has timers and subscriptions, which the test calls."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.heard: dict[str, Callable[[Any], None]] = {}
        self.sent: list[tuple[str, Any]] = []

    def create_timer(self, seconds: float, callback: Callable[[], None]) -> None:
        self.timers.append((seconds, callback))

    def create_subscription(
        self, kind: type, topic: str, callback: Callable[[Any], None], queue: int
    ) -> None:
        self.heard[topic] = callback

    def create_publisher(self, kind: type, topic: str, queue: int) -> Any:
        return SimpleNamespace(publish=lambda message: self.sent.append((topic, message)))


class Twist:
    def __init__(self) -> None:
        self.linear, self.angular = SimpleNamespace(x=0.0), SimpleNamespace(z=0.0)


class Float32:
    def __init__(self, data: float) -> None:
        self.data = data


def modules() -> dict[str, ModuleType]:
    """Return the modules by name, as `sys.modules` has them."""
    found = {
        name: ModuleType(name)
        for name in (
            "rclpy", "rclpy.node", "geometry_msgs", "geometry_msgs.msg", "std_msgs", "std_msgs.msg",
        )
    }  # fmt: skip
    found["rclpy.node"].Node = Node  # type: ignore[attr-defined]
    found["geometry_msgs.msg"].Twist = Twist  # type: ignore[attr-defined]
    found["std_msgs.msg"].Float32 = Float32  # type: ignore[attr-defined]
    return found
