"""What the code of an action says of its parameters: in its annotations and its docstring."""

from __future__ import annotations

import inspect
import re
from typing import Final

SHARED: Final = {
    "finish_event": "The event that is sent when it finishes.",
    "easing": "The curve of its progress: see [easings](../easings.md).",
    "time": "The clock it runs on, by default that of the machine.",
    "space": "`Space.SELF` uses the local position, rotation and scale.",
    "background": "If true, it does not hold back the state's `FINISHED`.",
}
"""What a parameter means wherever it occurs."""

UNITS: Final = (
    "units per second", "degrees per second", "per second", "seconds", "degrees", "units",
    "updates",
)  # fmt: skip
"""What a number may be in, the longer before the shorter."""

PLAIN: Final = ("times", "axis", "as loud", "levels", "an integer", "relative", "of them", "equal")
"""What says that a number is a mere number."""


def docstring(kind: object) -> list[str]:
    """Return the sentences of a docstring, without its examples."""
    prose = (inspect.getdoc(kind) or "").partition("\n>>>")[0]
    paragraphs = re.split(r"\n\s*\n", prose)
    return [
        sentence
        for paragraph in paragraphs
        if not paragraph.startswith("- ")
        for sentence in re.split(r"(?:(?<=\.)|(?<=\.\)))\s+(?=[A-Z`])", " ".join(paragraph.split()))
        if sentence
    ]


def purpose(kind: object) -> str:
    """Return the first line of the docstring, with a full stop."""
    line = (inspect.getdoc(kind) or "").partition("\n")[0]
    return line if line.endswith(".") else f"{line}."


def meaning(name: str, sentences: list[str]) -> str:
    """Return the sentence that says what a parameter is, beginning with it if there is one."""
    if name in SHARED:
        return SHARED[name]
    told = [each for each in sentences if not each.startswith("Raises")]
    mentioned = [each for each in told if re.search(rf"`{name}[`=]", each)]
    first = [each for each in mentioned if each.startswith((f"`{name}`", f"`{name}="))]
    return (first or mentioned or [""])[0]


def unit(name: str, kind: type) -> str | None:
    """Return what a number is in, as the docstring says it; None if it does not say.

    Empty for a mere number.
    """
    for sentence in docstring(kind):
        mentions = list(re.finditer(rf"`{name}(=[^`]*)?`", sentence))
        for text in (sentence[mentions[-1].end() :], sentence) if mentions else ():
            found: dict[int, str] = {}
            for each in (*UNITS, *PLAIN):
                if each in text:
                    found.setdefault(text.index(each), each)
            if found:
                nearest = found[min(found)]
                return "" if nearest in PLAIN else nearest
    return None


def is_number(annotation: str) -> bool:
    """Whether a parameter is a number that must have a unit."""
    return bool(re.search(r"\b(float|int)\b", annotation)) and "Mapping" not in annotation


def takes_text(annotation: str) -> bool:
    """Whether a parameter may be a text."""
    return not TEXTS.isdisjoint(alternatives(annotation))


TEXTS: Final = {"str", "<class 'str'>", "EventWith[EventDataT]", "LogText[ContextT]"}
"""The types of texts, as they are annotated."""


def alternatives(annotation: str) -> list[str]:
    """Return the alternatives of an annotation: those that stand in no brackets."""
    parts, depth = [""], 0
    for letter in annotation:
        depth += (letter in "[(") - (letter in "])")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
