"""The cheat sheet: one page to print, and the same as tables.

Each row of code is run by a test, after the `before` of its section; commands are held against the
help of the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from making.places import DOCS, link

from fsmkit.svg.elements import element, words
from fsmkit.svg.theme import FONTS

FILE: Final = DOCS / "_static" / "cheat_sheet.svg"
TEXT: Final = "The cheat sheet, one page of A4: the tables below"


class Row(NamedTuple):
    """A piece of code, and what it means."""

    code: str
    meaning: str


class Section(NamedTuple):
    """Rows that belong together; `kind` is what stands on their left side."""

    title: str
    rows: tuple[Row, ...]
    before: str = ""
    """Code that a row of this section may rely on."""
    kind: str = "python"
    """`python`, `console` or `words`."""


def rows(*texts: str) -> tuple[Row, ...]:
    """Return rows written as `code | meaning`."""
    return tuple(Row(*map(str.strip, text.rsplit(" | ", 1))) for text in texts)


MACHINE: Final = """
from fsmkit import *
from actions import *
fsm = Fsm("Guard", on_unhandled="ignore")
patrol, flee, stunned = map(fsm.add_state, ("Patrol", "Flee", "Stunned"))
dead = fsm.add_state("Dead", final=True)
patrol.add_transition("HURT", flee)
fsm.start()
guard = thing = eyes = None
def is_weak(state, data=None): return True
def drop_sword(state): pass
"""

ACTIONS: Final = """
from random import Random
from types import SimpleNamespace
from actions import *
from actions.easing import ease_out_quad
from fsmkit import *
from fsmkit.pathfinding import Grid
from fsmkit.space import Transform
from fsmkit.testing import Probe
journal = []
fsm = Fsm("Guard")
state = fsm.add_state("State")
a, b = TimedWait(1.0), TimedWait(2.0)
class Watch(FsmAction): pass
self = state.add_action(Watch())
fsm.start()
me, foe, rng = Transform((0.0, 0.0)), Transform((5.0, 0.0)), Random(1)
thing = SimpleNamespace(color=(255, 0, 0), alpha=0.0, ammo=3, lit=True)
points, items = [(0.0, 0.0), (4.0, 0.0)], [1, 2]
grid = Grid(["...", "..."], compiled=False)
path, field = grid.find_path((0, 0), (2, 1)), grid.field([(2, 1)])
group = FsmGroup()
duel, legs, arms = Fsm("Duel"), Fsm("Legs"), Fsm("Arms")
duel.add_state("Won", final=True)
def enter(state): pass
def update(state): pass
def leave(state): pass
def routine(state): yield 1.5
def is_open(state): return True
def make(item): return TimedWait(item)
def hurt(state, damage): pass
def health(state): return 100
async def ask(): pass
def load(): pass
"""

TOOLS: Final = """
import asyncio, copy
from fsmkit import *
from fsmkit.checking import check
from fsmkit.diagram import *
from fsmkit.recording import *
from fsmkit.testing import *
from fsmkit.timing import *
def build():
    fsm = Fsm("Door")
    shut, ajar = fsm.add_state("Shut"), fsm.add_state("Ajar")
    shut.add_transition("PUSH", ajar)
    ajar.add_transition("PUSH", shut)
    return fsm
fsm, other, player = build(), build(), None
fsm.start(), other.start()
save = "save.json"
save_snapshot(fsm, save)
state = snapshot(fsm)
"""

COLUMNS: Final = (
    (
        Section("Machines", rows(
            'fsm = Fsm("Guard", context=guard) | context: your object',
            'Fsm("Guard", on_unhandled="raise") | or "warn", "ignore"',
            'Fsm("Guard", carry_time=True) | exact at any frame rate',
            'rest = fsm.add_state("Rest") | a state',
            'done = fsm.add_state("Done", final=True) | a final state',
            'fsm.start("Patrol") | enters; default: the first',
            "fsm.update(1 / 60) | seconds, once a frame",
            "fsm.stop() | exits",
            'with fsm.running("Patrol"): fsm.update(1.0) | always stops',
            "fsm.current_state, fsm.previous_state | states, or None",
            "fsm.path, fsm.suspended | nested, interrupted",
            "fsm.time, fsm.time_in_state | seconds",
            "group = FsmGroup([fsm]) | start, update, broadcast",
        ), MACHINE),
        Section("Events", rows(
            'fsm.send_event("HIT", 30) | now; True: it was taken',
            'fsm.offer_event("CLICK") | the event may be unknown',
            'fsm.post_event("HIT", 30) | from any thread; next update',
            'later = fsm.send_event_after(2.0, "HIT") | later.cancel()',
            "fsm.last_event, fsm.event_data | what led to this state",
            "fsm.possible_events() | what would be taken now",
            "FINISHED | all actions have finished",
            "ERROR | an exception, as data",
        ), MACHINE),
        Section("Transitions", rows(
            'patrol.add_transition("HIT", flee) | event, target',
            'patrol.add_transition("HIT", flee, when=is_weak) | guard',
            'patrol.add_transition("HIT", flee, do=drop_sword) | effect',
            'fsm.add_global_transition("KILLED", dead) | from any state',
            'flee.add_transition("STUN", stunned, suspend=True) | interrupt',
            "stunned.add_transition(FINISHED, BACK) | and go on",
            'patrol.transitions["HURT"] | a tuple of them',
            'patrol.remove_transition("HURT") | all for this event',
        ), MACHINE),
        Section("Functions take what they need", rows(
            "lambda: None | nothing",
            "lambda state: state.context | the state",
            "lambda state, data: data > 10 | and the data of the event",
        ), MACHINE),
        Section("Loops and clocks", rows(
            "run(fsm, fps=60, seconds=0.01) | a loop in real time",
            "asyncio.run(run_async(fsm, seconds=0.01)) | with other tasks",
            'TimeReference("Slow", scale=0.2) | time= of many actions',
            "FixedStep(1 / 50) | equal steps",
        ), TOOLS),
        Section("What happens when", rows(
            "enter, update, exit | actions, in list order",
            "send_event in a callback | decided now, done on return",
            "a second event there | waits for the new state",
            "who gets an event | on_event, own, global",
            "on_exit | once for each one entered",
            "to the same state | exits and enters it",
            "global, to the same state | does nothing",
            "a new state | updated from the next update on",
            "an exception | ERROR, or to the caller",
            "over 100 changes in a call | TransitionLoopError",
        ), kind="words"),
    ),
    (
        Section("An action of your own: class Watch(FsmAction)", rows(
            "def on_enter(self): ... | and on_update, on_exit",
            "def on_event(self, event, data): return True | True: consumed",
            "def on_suspend(self): ... | and on_resume",
            "self.state, self.fsm, self.context | where it is",
            "self.delta_time | seconds of this update",
            "self.finish() | no more on_update",
            'sends = ("SPOTTED",) | for the tools',
            "background = True | not waited for",
        ), ACTIONS),
        Section("Functions and waits", rows(
            "DelegateAction(enter, update, leave) | your functions",
            "Coroutine(routine) | yield 1.5, \"HIT\", an action",
            'TimedWait(2.0, "RESTED") | seconds',
            "RandomWait(1.0, 3.0, rng=rng) | random seconds",
            "WaitUntil(is_open) | a condition",
            "WaitFrames(3) | updates",
            'Cooldown("SHOOT", 0.5) | not again so soon',
        ), ACTIONS),
        Section("Made of actions", rows(
            "Sequence(a, b) | one after the other",
            "Parallel(a, b, needed=1) | at the same time",
            "Race(a, b) | until the first is done",
            "Repeat(a, 3) | or forever",
            "Retry(a, 3, delay=0.5, backoff=2) | when it fails",
            'Timeout(a, 5.0, "LATE") | a time limit',
            "When(is_open, a) | if it holds on enter",
            "ForEach(items, make) | one for each item",
            "Selector(Option(a, when=is_open)) | first that holds",
            "Utility(Option(a, score=0.5)) | the best score",
        ), ACTIONS),
        Section("Events in a state", rows(
            'OnEvent("HIT", hurt) | handle it and stay',
            'IgnoreEvents("HIT") | no effect here',
            'Defer("DODGE", latest=True) | when the work is done',
            'SendEvent("HIT", 5, delay=1.0, to=HOST) | to the outer machine',
            'SendEventWhen(is_open, "GO") | asked in every update',
            'OnChange(health, "HURT") | a value has changed',
            'Compare(health, 10, less="LOW") | greater=, equal=',
            'Switch(health, {0: "DEAD"}) | an event for a value',
            'SendRandomEvent({"A": 2, "B": 1}, rng=rng) | a random event',
            'SequenceEvent("LEFT", "RIGHT") | the next, each visit',
            'Broadcast(group, "ALARM") | to many machines',
        ), ACTIONS),
        Section("Machines and work elsewhere", rows(
            'RunFsm(duel, {"Won": "CHEER"}) | outcomes: final states',
            "RunFsm(duel, resume=True) | in its last state",
            "Regions(RunFsm(legs), RunFsm(arms)) | all get the events",
            'Await(ask, finish_event="NEWS") | a task of asyncio',
            "InThread(load) | a thread",
        ), ACTIONS),
        Section("For developing", rows(
            'Log("the gate opens") | logging',
            'Assert(is_open, "the gate is shut") | an error if not',
            "Probe(\"legs\", journal) | records its callbacks",
        ), ACTIONS),
    ),
    (
        Section("Motion", rows(
            "Move(me, None, (8, 0), 2.0) | from, to, seconds",
            "Move(me, None, (8, 0), 2.0, easing=ease_out_quad) | curves",
            "MoveBy(me, (1, 0), 2.0) | an offset",
            "MoveTowards(me, foe, 3.0) | target, speed",
            "MoveConstantly(me, (1, 0)) | units per second",
            "FollowWaypoints(me, points, 3.0) | PathMode.LOOP",
            "FollowPath(me, path, 3.0) | from pathfinding",
            "FollowField(me, field, 3.0) | a flow field",
            "SmoothFollow(me, foe, 0.3) | a camera",
            "Flee(me, foe, 3.0) | away from it",
            "Wander(me, 2.0, rng) | about",
            "Jump(me, 1.5, 0.6) | height, seconds",
            "Shake(me, 4.0, 0.3, rng) | a hit",
            "Rotate(me, None, 90.0, 1.0) | degrees",
            "RotateTowards(me, foe, speed=180.0) | degrees a second",
            "LookAt(me, foe) | at once",
        ), ACTIONS),
        Section("Values and conditions", rows(
            'Tween(thing, "alpha", None, 1.0, 0.5) | any attribute',
            "ScaleByDuration(me, None, (2, 2), 0.5) | a scale",
            "SetColorByDuration(thing, None, (9, 9, 9), 1.0) | a colour",
            'SetValue(thing, "lit", True) | and restore_on_exit',
            'AddValue(thing, "ammo", -1) | per_second=True',
            'Toggle(thing, "lit") | True and False',
            "Sees(me, foe, 10.0, angle=90.0) | as a function",
            "InRange(me, foe, 3.0, until=4.0) | does not flicker",
        ), ACTIONS),
        Section("Test, see, save", rows(
            'drive(fsm, [0.5, "PUSH", ("PUSH", 30)]) | a journal',
            "check(build) == [] | mistakes, before it runs",
            "explore(build) | all that can happen",
            'why(fsm, "PUSH", None) | why nothing happens',
            "to_svg(fsm, actions=True) | to_text, to_mermaid, to_png",
            "History(fsm) | what has happened",
            "recording = Recording(fsm) | and replay()",
            "restore(other, state) | state = snapshot(fsm)",
            "load_snapshot(other, save) | save_snapshot(fsm, save)",
            "copy.deepcopy(fsm) | goes on like the original",
        ), TOOLS),
        Section("Command line", rows(
            "fsmkit new guard.py | a machine to begin with",
            "fsmkit run guard.py --event HIT@2 | --seconds, --reload",
            "fsmkit draw guard.py --actions -o guard.svg | a picture",
            "fsmkit check guard.py --explore | mistakes",
            "fsmkit record guard.py -o run.jsonl | a run",
            "fsmkit replay guard.py run.jsonl --at 3 | repeat it",
            "fsmkit timeline run.jsonl -o run.svg | as a picture",
            "fsmkit inspect guard.py --open | live, in the browser",
            "fsmkit edit guard.py add-state Rest | --write: into the file",
            "pytest --fsm-cover | transitions never tested",
        ), kind="console"),
    ),
)  # fmt: skip

# Of the page, in pixels: A4 across.
WIDTH: Final = 1123
HEIGHT: Final = 794
MARGIN: Final = 22
TOP: Final = 46
BETWEEN: Final = 10
COLUMN: Final = (WIDTH - 2 * MARGIN - 2 * BETWEEN) / 3
SIZE: Final = 8.6
LINE: Final = 12.3
TITLE: Final = 15
AFTER: Final = 6
INSIDE: Final = 5

CODE_FONTS: Final = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
CODE_LETTER: Final = 0.602
"""The width of each letter of code, in sizes: that of the widest of these fonts."""

CODE: Final = re.compile(
    r'[\w.]+\([\w, ]*\)|"\w+"|--[\w-]+|\w+=\w*|\w+_\w+|[A-Z]\w+\.[A-Z]+|\b[A-Z]+\b'
)
"""What is code in a meaning."""

NARROW: Final = "fijlt.,:;'|!()[] "
WIDE: Final = "mwMW@%"

STYLE: Final = f"""
@page{{size:A4 landscape;margin:0}}
text{{font:{SIZE}px {FONTS};fill:#000}}
.name{{font-size:17px;font-weight:700}}
.note{{font-size:10px;fill:#333}}
.code{{font-family:{CODE_FONTS};white-space:pre}}
.title{{font-size:9.4px;font-weight:700}}
.meaning{{fill:#333}}
.box{{fill:#fff;stroke:#8a94a3;stroke-width:.7}}
.head{{fill:#e3e8ef;stroke:#8a94a3;stroke-width:.7}}
.line{{stroke:#d5dbe3;stroke-width:.5}}
"""


def tables(page: Path, _arguments: str) -> tuple[str, dict[Path, str]]:
    """`cheat-sheet`: the picture to print, then each section as a table."""
    image = f"[![{TEXT}]({link(page, FILE)})]({link(page, FILE)})"
    sections = [table(section) for column in COLUMNS for section in column]
    return "\n\n".join([image, *sections]), {FILE: sheet()}


def table(section: Section) -> str:
    """Return a section as a heading and a table."""
    lines = [f"## {section.title}", "", "| | |", "| --- | --- |"]
    for row in section.rows:
        left = row.code if section.kind == "words" else f"`{row.code}`"
        lines.append(f"| {left} | {in_markdown(row.meaning)} |")
    return "\n".join(lines)


def in_markdown(meaning: str) -> str:
    """Return a meaning with what is code in it marked as such."""
    return CODE.sub(r"`\g<0>`", meaning)


def sheet() -> str:
    """Return the page as SVG."""
    return element(
        "svg",
        element("style", STYLE),
        element("rect", width=WIDTH, height=HEIGHT, fill="#fff"),
        _text(MARGIN, 30, "fsmkit", "name"),
        _text(MARGIN + 70, 30, "State machines in plain Python: a cheat sheet for A4", "note"),
        *(part for number, column in enumerate(COLUMNS) for part in _column(number, column)),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width="297mm",
        height="210mm",
        role="img",
        aria_label="The cheat sheet of fsmkit",
    )


def _column(number: int, sections: tuple[Section, ...]) -> Iterator[str]:
    x, y = MARGIN + number * (COLUMN + BETWEEN), float(TOP)
    for section in sections:
        yield element("g", *_box(x, y, section))
        y += height(section) + AFTER


def _box(x: float, y: float, section: Section) -> Iterator[str]:
    yield element("rect", class_="box", x=x, y=y, width=COLUMN, height=height(section))
    yield element("rect", class_="head", x=x, y=y, width=COLUMN, height=TITLE)
    yield _text(x + INSIDE, y + 10.8, section.title, "title")
    beside = x + 2 * INSIDE + max(code_width(section, row) for row in section.rows) + 3
    for number, row in enumerate(section.rows):
        base = y + TITLE + LINE * (number + 1) - 2.5
        if number:
            above = base - LINE + 3.5
            yield element("line", class_="line", x1=x, x2=x + COLUMN, y1=above, y2=above)
        yield _text(x + INSIDE, base, row.code, "words" if section.kind == "words" else "code")
        yield _text(beside, base, row.meaning, "meaning")


def _text(x: float, y: float, text: str, kind: str) -> str:
    return element("text", words(text), class_=kind, x=x, y=y)


def height(section: Section) -> float:
    """Return the height of the box of a section."""
    return TITLE + LINE * len(section.rows) + 3


def bottom(sections: tuple[Section, ...]) -> float:
    """Return where a column ends."""
    return TOP + sum(map(height, sections)) + AFTER * (len(sections) - 1)


def code_width(section: Section, row: Row) -> float:
    """Return the width of what stands on the left side of a row."""
    if section.kind == "words":
        return width(row.code)
    return SIZE * CODE_LETTER * len(row.code)


def width(text: str) -> float:
    """Return the width of words, rather too large than too small."""
    return SIZE * sum(
        0.36 if letter in NARROW else 0.95 if letter in WIDE else 0.7 if letter.isupper() else 0.58
        for letter in text
    )


def overfull(section: Section) -> list[str]:
    """Return the rows of a section that do not fit into its box."""
    left = max(code_width(section, row) for row in section.rows)
    room = COLUMN - 3 * INSIDE - 3 - left
    return [f"{row.code} | {row.meaning}" for row in section.rows if width(row.meaning) > room]
