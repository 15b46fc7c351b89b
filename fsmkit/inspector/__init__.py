"""The live inspector: a page in the browser on which you watch a machine and take control of it.

`inspect(machines)` in a running program, or `fsmkit inspect TARGET`. Needs
`pip install 'fsmkit[inspector]'`.

It has two sides. `loop/` runs inside the machine's own updates: it reads the machines (with
`reading/`), builds frames for the pages and answers their requests. `serving/` runs in a thread of
its own, hands frames to pages and requests to the loop, and never touches a machine. Imports run
one way: `reading` <- `loop` <- `serving`.

`past/` shows recordings in place of `loop/`, in a thread of its own: it is another source for the
same page.
"""

from fsmkit.inspector.inspector import Inspector, inspect
from fsmkit.inspector.recordings import RecordingInspector, inspect_recording

__all__ = ["Inspector", "RecordingInspector", "inspect", "inspect_recording"]
