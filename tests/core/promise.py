"""The promise: what holds after anything has happened in any callback.

`TABLES` is what test_promise.py tests, cell by cell, and what docs/promise.md shows; after a change
here `python tests/core/promise.py` writes it there. What the names of a cell stand for is written
in `CALLBACKS`, `HAPPENINGS` and `OUTCOMES`, and is shown as well; promise_world.py makes it happen.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

PAGE = Path(__file__).parents[2] / "docs" / "promise.md"

CALLBACKS = {
    "enter": "`on_enter` of an action of `A`, in `start()`",
    "update": "`on_update` of an action of `A`, in `update()`",
    "exit": "`on_exit` of an action of `A`, on the way to `D`",
    "on_event": "`on_event` of an action of `A`, for an event sent from outside",
    "delegate": "the function given to `DelegateAction(on_update=...)`",
    "guard": "the `when` of a transition from `A` to `D`; it does not agree",
    "effect": "the `do` of a transition from `A` to `D`",
    "on_suspend": "`on_suspend` of an action of `A`, when `D` interrupts it",
    "on_resume": "`on_resume` of an action of `A`, when `D` leads `BACK`",
    "nested": "`on_update` of an action of `a`, in a machine that `A` runs by `RunFsm`; it does "
    "something to that machine, whose states are `a`, `b`, `c` and `d`",
    "nested, for its host": "the same, but it does something to the outer machine",
    "child": "`on_update` of a child of a `Parallel`",
    "observer": "`event_sent` of an observer, for the event that leads from `A` to `D`",
    "posted": "`on_event` of an action of `A`, for an event that was posted",
    "delayed": "`on_event` of an action of `A`, for an event from `send_event_after()`",
}
"""Where something happens."""

HAPPENINGS = {
    "raises": "raises one of your own exceptions",
    "raises, with ERROR": "the same, and a global transition leads from `ERROR` to `B`",
    "sends one": "sends an event that leads to `B`",
    "sends two": "the same, then one that leads from `B` to `C`",
    "there and back": "sends an event that leads to `B`, then one that leads from there to `A`",
    "sends, then raises": "sends an event that leads to `B`, then raises an exception",
    "interrupts": "sends an event that suspends `A`, with `D` as the target",
    "stops": "calls `stop()`",
    "restarts": 'calls `start("A")`',
    "starts elsewhere": 'calls `start("C")`',
    "calls update": "calls `update(0.1)`",
    "removes itself": "calls `remove_action()` for its action, `remove_transition()` for its "
    "transition, or the function that detaches the observer",
    "finishes twice": "calls `finish()` of the action twice; `FINISHED` leads from `A` to `B`, "
    "and from `B` to `C`",
    "fails twice": "calls `fail()` of the action twice; `FAILED` leads from `A` to `B`, and from "
    "`B` to `C`",
    "sends endlessly": "sends an event that leads to the same callback again, each time it is "
    "called",
}
"""What happens there, the first time that the callback is called."""

OUTCOMES = {
    "A": "the machine is in `A`, and has not left it",
    "A again": "it was exited and entered again",
    "D over A": "it is in `D`, and `A` is suspended",
    "A/b": "the outer machine is in `A`, the nested one in `b`",
    "stopped": "the machine is not running",
    "it": "the caller gets the exception that was raised",
    "FsmError": "the call in the callback raises an `FsmError`, which reaches the caller",
    "OnExit": "the same, a `TransitionOnExitError`",
    "Loop": "the caller gets a `TransitionLoopError`",
    "once": "nothing is raised: the callback is called once in each call from outside",
    "(12)": "the [rule](processing_model.md) that decides it",
}
"""How to read a cell. Without an error in it, the call from outside returns."""

TABLES = {
    "actions": """
                   | enter              | update            | exit             | on_event         | delegate
raises             | A, it (12)         | A, it (12)        | D, it (12)       | A, it (12)       | A, it (12)
raises, with ERROR | B (12)             | B (12)            | B (12)           | B (12)           | B (12)
sends one          | B (2)              | B (2)             | D, OnExit (6)    | B (8)            | B (2)
sends two          | C (3)              | C (3)             | D, OnExit (6)    | C (3)            | C (3)
there and back     | A again (3)        | A again (3)       | D, OnExit (6)    | A again (3)      | A again (3)
sends, then raises | A, it (12)         | A, it (12)        | D, OnExit (6)    | A, it (12)       | A, it (12)
interrupts         | D over A (18)      | D over A (18)     | D, OnExit (6)    | D over A (18)    | D over A (18)
stops              | stopped (15)       | stopped (15)      | D, OnExit (6)    | stopped (15)     | stopped (15)
restarts           | A again (15)       | A again (15)      | D, OnExit (6)    | A again (15)     | A again (15)
starts elsewhere   | C (15)             | C (15)            | D, OnExit (6)    | C (15)           | C (15)
calls update       | A, FsmError (15)   | A, FsmError (15)  | D, FsmError (15) | A, FsmError (15) | A, FsmError (15)
removes itself     | A, FsmError (15)   | A, FsmError (15)  | D, FsmError (15) | A, FsmError (15) | A, FsmError (15)
finishes twice     | B (10)             | B (10)            | D (6)            | B (10)           | B (10)
fails twice        | B (25)             | B (25)            | D (6)            | B (25)           | B (25)
sends endlessly    | A again, Loop (11) | A again, once (9) | D, OnExit (6)    | A, Loop (11)     | A again, once (9)
""",  # noqa: E501  # a table may be wide
    "ways": """
                   | guard            | effect           | on_suspend              | on_resume
raises             | A, it (17)       | D, it (17)       | D over A, it (18)       | A, it (18)
raises, with ERROR | B (17)           | B (12)           | B (12)                  | B (12)
sends one          | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | B (2)
sends two          | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | C (3)
there and back     | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | A again (3)
sends, then raises | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | A, it (12)
interrupts         | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | D again over A (18)
stops              | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | stopped (15)
restarts           | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | A again (15)
starts elsewhere   | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | C (15)
calls update       | A, FsmError (15) | D, FsmError (15) | D over A, FsmError (15) | A, FsmError (15)
removes itself     | A, FsmError (15) | D, FsmError (15) | D over A, FsmError (15) | A, FsmError (15)
finishes twice     | A, FsmError (17) | D (6)            | D over A (6)            | B (10)
fails twice        | A, FsmError (17) | D (6)            | D over A (6)            | B (25)
sends endlessly    | A, FsmError (17) | D, OnExit (17)   | D over A, OnExit (6)    | D again over A, Loop (11)
""",  # noqa: E501  # a table may be wide
    "inside": """
                   | nested              | nested, for its host      | child
raises             | A/a, it (12)        | A/a, it (12)              | A, it (12)
raises, with ERROR | A/b (12)            | B (12)                    | B (12)
sends one          | A/b (2)             | B (2)                     | B (2)
sends two          | A/c (3)             | C (3)                     | C (3)
there and back     | A/a again (3)       | A again/a again (3)       | A again (3)
sends, then raises | A/a, it (12)        | A/a, it (12)              | A, it (12)
interrupts         | A/d over a (18)     | D over A (18)             | D over A (18)
stops              | A/stopped (15)      | stopped (15)              | stopped (15)
restarts           | A/a again (15)      | A again/a again (15)      | A again (15)
starts elsewhere   | A/c (15)            | C (15)                    | C (15)
calls update       | A/a, FsmError (15)  | A/a, FsmError (15)        | A, FsmError (15)
removes itself     | A/a, FsmError (15)  | A/a, FsmError (15)        | A, FsmError (15)
finishes twice     | A/b (10)            | B (10)                    | B (10)
fails twice        | A/b (25)            | B (25)                    | B (25)
sends endlessly    | A/a again, once (9) | A again/a again, once (9) | A again, once (9)
""",
    "elsewhere": """
                   | observer    | posted           | delayed
raises             | D, it       | A, it (12)       | A, it (12)
raises, with ERROR | D, it       | B (12)           | B (12)
sends one          | D, FsmError | B (8)            | B (8)
sends two          | D, FsmError | C (3)            | C (3)
there and back     | D, FsmError | A again (3)      | A again (3)
sends, then raises | D, FsmError | A, it (12)       | A, it (12)
interrupts         | D, FsmError | D over A (18)    | D over A (18)
stops              | D, FsmError | stopped (15)     | stopped (15)
restarts           | D, FsmError | A again (15)     | A again (15)
starts elsewhere   | D, FsmError | C (15)           | C (15)
calls update       | D, FsmError | A, FsmError (15) | A, FsmError (15)
removes itself     | D           | A, FsmError (15) | A, FsmError (15)
finishes twice     | D, FsmError | B (10)           | B (10)
fails twice        | D, FsmError | B (25)           | B (25)
sends endlessly    | D, FsmError | A, once (16)     | A, once (13)
""",
}


@frozen
class Cell:
    """One promise: what comes of something that happens in a callback."""

    callback: str
    happening: str
    outcome: str

    @property
    def place(self) -> str:
        """Where the machine is afterwards."""
        return self.outcome.partition(", ")[0]

    @property
    def is_refused(self) -> bool:
        """Whether a call is refused where it is made."""
        return self.outcome.endswith((", FsmError", ", OnExit"))

    def __str__(self) -> str:
        return f"{self.callback}: {self.happening}"


def rows(table: str) -> list[list[str]]:
    """The rows of a table, cell by cell; the first are the headings."""
    lines = TABLES[table].strip("\n").splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def cells() -> Iterator[Cell]:
    """All cells of all tables."""
    for table in TABLES:
        (_, *callbacks), *others = rows(table)
        for happening, *promises in others:
            for callback, promise in zip(callbacks, promises, strict=True):
                yield Cell(callback, happening, re.sub(r" \(\d+\)$", "", promise))


def page(text: str) -> str:
    """Return the text of the page with its generated parts as they should be."""
    for name in (*TABLES, "CALLBACKS", "HAPPENINGS", "OUTCOMES"):
        begin, end = f"<!-- {name}, from tests/core/promise.py -->\n", "\n<!-- end -->"
        before, rest = text.split(begin)
        _, after = rest.split(end, 1)
        text = f"{before}{begin}{part(name)}{end}{after}"
    return text


def part(name: str) -> str:
    """Return a generated part of the page, a table in Markdown."""
    if name in TABLES:
        (_, *callbacks), *others = rows(name)
        lines = [["", *callbacks], *([f"**{name}**", *promises] for name, *promises in others)]
    else:
        meanings: dict[str, str] = globals()[name]
        heading = {"CALLBACKS": "callback", "HAPPENINGS": "what happens", "OUTCOMES": "a cell"}
        others = [[f"**{key}**", text] for key, text in meanings.items()]
        lines = [[heading[name], "meaning"], *others]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
