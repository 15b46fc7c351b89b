"""ROS 2 actions: a goal is pursued while a state lasts, and no longer.

    from ros_actions import send_goal

The machine is updated by `run_async`, and rclpy spins in a thread of its own.
What the action server answers is the data of FINISHED; a goal that is refused
or aborted is an error. It is cancelled when the state is exited before.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from actions import Await

SUCCEEDED = 4
"""`action_msgs.msg.GoalStatus.STATUS_SUCCEEDED`."""


def send_goal(client: Any, goal: Any) -> Await[Any]:
    """Return an action that pursues `goal` by `client`, an `ActionClient`."""

    async def pursue() -> Any:
        sent = client.send_goal_async(goal)
        try:
            handle = await in_asyncio(sent)
            if not handle.accepted:
                raise RuntimeError("the goal was refused")
            answer = await in_asyncio(handle.get_result_async())
        except asyncio.CancelledError:  # the state was exited
            sent.add_done_callback(cancel)
            raise
        if answer.status != SUCCEEDED:
            raise RuntimeError(f"the goal ended with status {answer.status}")
        return answer.result

    return Await(pursue)


def cancel(sent: Any) -> None:
    """Cancel a goal that was sent, if the server has accepted it."""
    handle = sent.result()
    if handle.accepted:
        handle.cancel_goal_async()


def in_asyncio(future: Any) -> asyncio.Future[Any]:
    """Return a future of asyncio for one of rclpy, from another thread."""
    loop = asyncio.get_running_loop()
    awaited = loop.create_future()

    def hand_over() -> None:
        if awaited.cancelled():
            return
        if error := future.exception():
            awaited.set_exception(error)
        else:
            awaited.set_result(future.result())

    def tell(_future: Any) -> None:
        with suppress(RuntimeError):  # asyncio has ended; nobody waits
            loop.call_soon_threadsafe(hand_over)

    future.add_done_callback(tell)
    return awaited
