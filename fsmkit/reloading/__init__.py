"""Reloading: change the code of a machine while it runs, and it goes on where it was.

`reloaded` in a game, `fsmkit run --reload` and `fsmkit inspect --reload` on the command line. For
development: it reads files, and prints what it cannot take over.
"""

from fsmkit.reloading.reloader import Origin, Reloader, reloaded

__all__ = ["Origin", "Reloader", "reloaded"]
