"""The live inspector: a page in the browser on which you watch a machine and take control of it.

`inspect(machines)` in a running program, or `fsmkit inspect TARGET`. Needs
`pip install 'fsmkit[inspector]'`.

It has two sides. `live/` runs inside the machines' own updates: its journal observes the machines,
it reads them (with `reading/`), builds frames for the pages and answers their requests. `server.py`
runs in a thread of its own, carries the messages of `conversation.py` between pages and the loop,
and never touches a machine. Imports run one way: `reading` <- `live` <- `conversation` <- `server`.

`playback/` shows recordings instead, in a thread of its own; `crowd_session.py` shows crowds;
`local.py` and `browser/` run both sides in one page, without a server.
"""

from fsmkit.inspector.inspector import Inspector, RecordingInspector, inspect, inspect_recording

__all__ = ["Inspector", "RecordingInspector", "inspect", "inspect_recording"]
