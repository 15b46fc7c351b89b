"""Updates of machines by the task manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import ClockObject, NodePath

from fsmkit import Fsm, TimeReference
from fsmkit.engines.panda3d.removals import Removals
from fsmkit.engines.parts.delivering import Machines
from fsmkit.engines.parts.frames import Frames, lifetime_of
from fsmkit.timing import FixedStep


def attach(
    machines: Machines,
    *,
    node: Any | Callable[[Fsm[Any]], Any] = None,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    step: float | FixedStep | None = None,
) -> Callable[[], None]:
    """Let the task manager update `machines` in every frame; call the result to stop that.

    They get the seconds of Panda3D's clock, at most `max_dt` per frame, scaled by `time`; with a
    `step` in steps of so many seconds each. The task runs before the collisions and the drawing of
    its frame.

    With a `node` the machines are stopped, and the task ends, once that is gone: removed
    (`removeNode()`), detached, or below a parent that is. One that is stashed or hidden is not. For
    a group, `node` may be a function from a machine to its node: each then ends, and leaves the
    group, with its own. Raises TypeError for another `node`, ValueError for a `step` that is not
    > 0.
    """
    if not (node is None or isinstance(node, NodePath) or callable(node)):
        raise TypeError(
            f"attach: node must be a NodePath, or a function from a machine to one, got {node!r}."
        )
    removals = Removals((node,) if isinstance(node, NodePath) else ())
    frames = Frames(machines, max_dt, time, step, lifetime_of(machines, node, removals.is_gone))

    def update(task: Any) -> Any:
        goes_on = frames.update(ClockObject.getGlobalClock().getDt())
        removals.next_frame()
        return task.cont if goes_on else task.done

    task = taskMgr.add(update, "fsmkit-update")

    def detach() -> None:
        taskMgr.remove(task)

    return detach
