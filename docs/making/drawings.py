"""Pictures of what the blocks of a page build."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from making.places import DOCS, ROOT, link

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram import to_svg
from fsmkit.recording import Chronicle, History, Recording, timeline_svg

BLOCK: Final = re.compile(
    r"(?P<skipped><!-- skip: next -->\s+)?^```python\n(?P<shown>.*?)^```$"
    r"|^<!-- invisible-code-block: python\n(?P<hidden>.*?)^-->$",
    re.DOTALL | re.MULTILINE,
)

STEP: Final = 0.25
"""Seconds between two updates of what is run for a picture; exact as a binary fraction."""


def drawing(page: Path, arguments: str) -> tuple[str, dict[Path, str]]:
    """`drawing NAME TEXT`: the machine, group or timeline that a variable of the page holds."""
    name, _, text = arguments.partition(" ")
    file = DOCS / "_static" / "pages" / f"{page.stem}-{name}.svg"
    thing = variables(page).get(name)
    if thing is None:
        raise ValueError(f"no block of the page has a variable {name!r}.")
    return shown(page, file, thing, text or name)


def timeline(page: Path, arguments: str) -> tuple[str, dict[Path, str]]:
    """`timeline NAME SECONDS [EVENT@SECONDS...] TEXT`: a machine of the page, run."""
    name, seconds, *rest = arguments.split()
    sent = {float(at): event for event, _, at in (each.partition("@") for each in rest) if at}
    fsm, steps = variables(page, until=name)[name], round(float(seconds) / STEP)
    history = History(fsm)
    with redirect_stdout(StringIO()):
        fsm.start(next(iter(fsm.states)))
        for step in range(steps):
            if event := sent.get(step * STEP):
                fsm.send_event(event)
            fsm.update(STEP)
    file = DOCS / "_static" / "pages" / f"{page.stem}-{name}-timeline.svg"
    return shown(page, file, history, " ".join(rest[len(sent) :]))


def shown(page: Path, file: Path, thing: Any, text: str) -> tuple[str, dict[Path, str]]:
    """Return the image of a thing and its two files, light and dark."""
    dark = file.with_stem(f"{file.stem}_dark")
    return image(page, file, text), {file: svg(thing), dark: svg(thing, dark=True)}


def image(page: Path, file: Path, text: str) -> str:
    """Return an image; README.md names its dark twin too, which the pages of the site find."""
    if page.parent != ROOT:
        return f"![{text}]({link(page, file)})"
    bright, dark = link(page, file), link(page, file.with_stem(f"{file.stem}_dark"))
    return (
        "<picture>\n"
        f'  <source media="(prefers-color-scheme: dark)" srcset="{dark}">\n'
        f'  <img alt="{text}" src="{bright}">\n'
        "</picture>"
    )


def svg(thing: Any, *, dark: bool = False) -> str:
    """Draw a machine or a group with its actions, or the timeline of a history or recording."""
    if isinstance(thing, Fsm | FsmGroup):
        return to_svg(thing, actions=True, dark=dark)
    if isinstance(thing, History | Recording):
        return timeline_svg(thing.chronicle(), dark=dark, width=720)
    if isinstance(thing, Chronicle):
        return timeline_svg(thing, dark=dark, width=720)
    drawn: str = thing.to_svg(dark=dark)
    return drawn


@cache
def variables(page: Path, until: str = "") -> dict[str, Any]:
    """Run the `python` blocks of a page, or those until a name is known; return its variables."""
    with as_main() as module, redirect_stdout(StringIO()):
        text = page.read_text("utf-8")
        for block in BLOCK.finditer(text):
            if block["skipped"] is None and until not in vars(module):
                kind = "shown" if block["shown"] else "hidden"
                above = text.count("\n", 0, block.start(kind))
                run(block[kind], str(page), vars(module), above)
    return vars(module)


def run(source: str, name: str, namespace: dict[str, Any], above: int = 0) -> None:
    """Run a block, or the lines behind the prompts of one that has prompts.

    `above` is the number of lines before it in the file: the functions of crowds are read there.
    """
    if not source.startswith(">>>"):
        exec(compile("\n" * above + source, name, "exec"), namespace)
        return
    for example in doctest.DocTestParser().get_examples(source):
        try:
            exec(compile(example.source, name, "single"), namespace)
        except Exception:
            if example.exc_msg is None:
                raise


@contextmanager
def as_main() -> Iterator[ModuleType]:
    """Yield a module that is `__main__` meanwhile, where classes of a page are looked up."""
    module, before = ModuleType("__main__"), sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield module
    finally:
        sys.modules["__main__"] = before
