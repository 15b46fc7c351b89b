"""pyglet itself, imported in one place."""

from fsmkit.engines.parts.missing import missing

try:
    import pyglet
    from pyglet.clock import get_default  # which a file of the user's called pyglet.py lacks
except ImportError as error:
    raise missing("pyglet", "pyglet", error) from error

__all__ = ["get_default", "pyglet"]
