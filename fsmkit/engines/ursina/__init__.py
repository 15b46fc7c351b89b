"""Ursina: entities as transforms, its frames as clock, keys and collisions as events."""

from fsmkit.engines.parts.missing import missing

try:
    from ursina import Entity  # noqa: F401
except ImportError as error:
    raise missing("Ursina", "ursina", error) from error

import fsmkit.engines.ursina.sounds  # noqa: F401  # has its sounds known
from fsmkit.engines.held import Held
from fsmkit.engines.ursina.collisions import send_collisions
from fsmkit.engines.ursina.entity_transform import EntityTransform
from fsmkit.engines.ursina.frames import attach
from fsmkit.engines.ursina.keys import send_keys
from fsmkit.engines.ursina.mouse import send_mouse

__all__ = ["EntityTransform", "Held", "attach", "send_collisions", "send_keys", "send_mouse"]
