"""Panda3D: nodes as transforms, the task manager as clock, keys and collisions as events."""

from fsmkit.engines.parts.missing import missing

try:
    import direct  # first itself: without it, Panda3D is not installed
    import direct.showbase.DirectObject  # noqa: F401
    import panda3d.core  # noqa: F401
except ImportError as error:
    raise missing("Panda3D", "panda3d", error, "panda3d", "direct") from error

import fsmkit.engines.panda3d.sounds  # noqa: F401  # has its sounds known
from fsmkit.engines.held import Held
from fsmkit.engines.panda3d.collisions import send_collisions
from fsmkit.engines.panda3d.frames import attach
from fsmkit.engines.panda3d.keys import send_keys
from fsmkit.engines.panda3d.mouse import send_mouse
from fsmkit.engines.panda3d.node_transform import NodeTransform

__all__ = ["Held", "NodeTransform", "attach", "send_collisions", "send_keys", "send_mouse"]
