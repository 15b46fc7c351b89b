"""RefusedEditError: why an edit is not written, and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from fsmkit import FsmError
from fsmkit.core.words.quoting import quote
from fsmkit.core.words.suggestions import similar
from fsmkit.introspection.code_place import CodePlace


class RefusedEditError(FsmError):
    """An edit cannot be written; the file is as it was.

    `reason` is a sentence without its full stop, `place` the line that stands in the way.
    """

    def __init__(self, reason: str, place: CodePlace | None = None) -> None:
        super().__init__(f"{place}: {reason}." if place is not None else f"{reason}.")
        self.reason = reason
        self.place = place


MOST_SHOWN: Final = 5


class SharedEditError(RefusedEditError):
    """The line of an edit makes several parts, and the edit would change all of them.

    `parts` names them. Ask for it with `everywhere=True`.
    """

    def __init__(
        self, parts: Sequence[str], place: CodePlace | None = None, *, machines: bool = False
    ) -> None:
        shown = ", ".join([*parts[:MOST_SHOWN], "..."][: len(parts)])
        what = (
            f"{len(parts)} machines are built by this line: {shown}"
            if machines
            else f"it changes {len(parts)} parts at once: {shown}"
        )
        super().__init__(what, place)
        self.parts = tuple(parts)

    def __str__(self) -> str:
        return self.advising("pass everywhere=True")

    def advising(self, remedy: str) -> str:
        """Return the message, with what to do where the edit was asked for."""
        return f"{super().__str__()} To change all of them, {remedy}."


class UnchangedMachineError(RefusedEditError):
    """An edit would leave the machine as it is."""


class MalformedEditError(RefusedEditError):
    """A request is not an edit: an unknown kind or field, or a value of another type."""

    def __init__(self, text: str) -> None:
        super().__init__(text.removesuffix("."))


def meant(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean ...?)` with the most similar name; empty if there is none."""
    close = similar(name, known)
    return "" if close is None else f" (did you mean {quote(close)}?)"
