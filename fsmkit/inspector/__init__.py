"""The live inspector: a page in the browser on which you watch a machine think, and take over.

`inspect(machines)` in a running program, or `fsmkit inspect TARGET`. Needs
`pip install 'fsmkit[inspector]'`.

There are two sides. The side of the loop (`session.py`) is called by the machine's own updates: it
reads the machines, makes frames of what it sees, and answers the requests of pages. The side of the
server (`server.py`) runs in a thread of its own, hands frames to pages and requests to the loop,
and never touches a machine.
"""

from fsmkit.inspector.inspector import Inspector, inspect

__all__ = ["Inspector", "inspect"]
