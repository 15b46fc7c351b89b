"""The table of decisions: by what they are about, each with what was decided."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from making.places import DOCS
from making.summaries import first_paragraph, heading, shortened

FOLDER: Final = DOCS / "decisions"

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "The core": (
        "visits-own-the-run", "prepared-visits", "plain-transitions", "groups-of-states",
        "guards-that-change-nothing",
        "bookkeeping-of-actions", "context-of-an-action", "start-is-not-counted",
        "leftovers-after-a-start", "errors-while-suspending", "machines-driven-from-outside",
        "kernel",
    ),
    "Time": ("time-tolerance", "carried-time"),
    "Observers": (
        "observers-only-watch", "errors-of-observers", "queued-events-are-announced-twice",
        "calls-are-intercepted", "callbacks-are-instrumented",
    ),
    "Recording, snapshots and reloading": (
        "flight-recorder", "run-state-for-snapshots", "snapshots-that-fit", "checksums-and-types",
        "reloading", "edits-are-proved",
    ),
    "Checking and exploring": ("reading-code", "lines-are-noted", "walking-by-replay"),
    "Pictures and the inspector": (
        "pictures-of-big-machines", "pictures-of-maps", "notebooks", "edits-on-the-page",
        "senders-by-frames", "inspecting-without-a-server",
    ),
    "Actions and conditions": (
        "definitions-of-actions", "conditions-remember-in-the-run", "our-own-easing", "sounds",
        "work-while-suspended", "options-that-failed",
    ),
    "Pathfinding and planning": (
        "a-search-keeps-its-map", "compiled-grids", "labels-of-flow-fields", "reading-tiled-maps",
        "counts", "arrival-is-a-guard", "what-failed-is-left-out",
    ),
    "Crowds": (
        "crowds-elsewhere", "language-of-crowds", "rows-of-a-crowd", "neighbours-of-agents",
        "kernels-from-the-loops", "shards-repeat-calls", "processes-of-a-study",
    ),
    "Engines": ("touches-of-bodies", "nodes-that-are-gone"),
    "The project": ("rooms", "the-demo-in-the-wheel", "tools-of-agents"),
}  # fmt: skip
"""The notes of each group, by their files."""

SAID: Final[dict[str, str]] = {
    "calls-are-intercepted": "Recordings get each call through one method, `intercept`, that an "
    "observer may have.",
    "counts": "The same search plans for facts that are counts and for those that are true or "
    "false.",
    "guards-that-change-nothing": "A transition whose guard agrees is the chosen one, even if it "
    "would change nothing; those after it are not asked.",
    "labels-of-flow-fields": "A tile of a flow field has the cost of the way to a goal and the "
    "number of its steps.",
    "lines-are-noted": "While a tool builds a machine, the methods that add something record "
    "who calls them.",
    "neighbours-of-agents": "What an agent knows about others is declared on the crowd, and "
    "written into fields before each step.",
    "nodes-that-are-gone": "A node of Panda3D is gone when the top of its graph is a former "
    "ancestor, or the node itself.",
    "plain-transitions": "A state keeps only the target of a transition without guard, effect and "
    "suspension.",
    "senders-by-frames": "The inspector reads the line that sent an event from the stack; the core "
    "does not know it.",
    "the-demo-in-the-wheel": "The game of `fsmkit demo` stays an example; the wheel has a copy "
    "of it next to the command.",
    "tools-of-agents": "Each tool of `fsmkit mcp` is a command with `--format json`, in a process "
    "that can be ended.",
    "touches-of-bodies": "The adapter asks pymunk for touches after each step, without "
    "collision handlers.",
}
"""What was decided, where the first sentence of a note says something else."""


def table(_page: Path, _arguments: str) -> str:
    """`decisions`: all notes by their groups. Raises ValueError for one without a group."""
    grouped = [name for names in GROUPS.values() for name in names]
    there = {path.stem for path in FOLDER.glob("*.md")} - {"index"}
    if set(grouped) != there or len(grouped) != len(there):
        raise ValueError(f"in one group each must be: {sorted(there ^ set(grouped)) or grouped}.")
    parts = []
    for group, names in GROUPS.items():
        rows = "\n".join(f"| {link(name)} | {decided(name)} |" for name in names)
        parts.append(f"## {group}\n\n| | |\n| --- | --- |\n{rows}")
    return "\n\n".join(parts)


def link(name: str) -> str:
    """Return a link with the title of a note."""
    return f"[{heading(FOLDER / f'{name}.md')}]({name}.md)"


def decided(name: str) -> str:
    """Return what was decided, in a sentence or two."""
    text = SAID.get(name) or shortened(first_paragraph(FOLDER / f"{name}.md"), 140)
    return text.replace("|", r"\|")
