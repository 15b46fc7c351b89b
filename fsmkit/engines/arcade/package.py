"""Arcade itself, imported in one place."""

from fsmkit.engines.parts.missing import missing

OURS = ("arcade", "pyglet")
"""The packages that Arcade consists of."""

try:
    import arcade
    from arcade import SpriteList  # which a file of the user's called arcade.py lacks
except ImportError as error:
    raise missing("Arcade", "arcade", error, *OURS) from error
except AttributeError as error:  # Arcade itself has imported a pyglet.py of the user's
    raise missing("Arcade", "arcade", ImportError(str(error)), *OURS) from error

__all__ = ["SpriteList", "arcade"]
