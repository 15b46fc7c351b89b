"""Ignores: the findings that nobody wants to see."""

from __future__ import annotations

from collections.abc import Iterable

from fsmkit.checking.comments import Comments
from fsmkit.checking.finding import ALL_DESCRIPTIONS, Finding
from fsmkit.core.words.suggestions import did_you_mean


class Ignores:
    """What is ignored: by code, by code and name, and by comments in the code.

    It remembers what it was needed for. Several may share the comments. Raises ValueError for a
    code that does not exist, TypeError for what is no list of texts.
    """

    def __init__(self, ignore: Iterable[str] = (), comments: Comments | None = None) -> None:
        if isinstance(ignore, str):
            raise TypeError(f"ignore must be a list of codes, got the text {ignore!r}.")
        if not isinstance(ignore, Iterable):
            raise TypeError(f"ignore must be a list of codes, got {ignore!r}.")
        self.texts = [checked_ignore(each) for each in ignore]
        """Codes, `no-way-out`, or codes with the name of a state or event, `no-way-out:Limbo`."""
        self.used: set[str] = set()
        """Those of the texts that a finding was ignored for."""
        self.comments = Comments() if comments is None else comments

    def covers(self, finding: Finding) -> bool:
        """Return True if the finding is ignored."""
        names = (finding.place.state, finding.place.event)
        about = {finding.code, *(f"{finding.code}:{name}" for name in names if name is not None)}
        found = about.intersection(self.texts)
        self.used |= found
        return self.comments.ignore(finding) or bool(found)


def checked_ignore(text: str) -> str:
    """Return `text`; raise ValueError unless it begins with a code."""
    if not isinstance(text, str):
        raise TypeError(f"ignore must be a list of codes, got {text!r} in it.")
    code = text.partition(":")[0]
    if code not in ALL_DESCRIPTIONS:
        raise ValueError(
            f"There is no code {code!r}. {did_you_mean(code, ALL_DESCRIPTIONS)}The codes are: "
            f"{', '.join(ALL_DESCRIPTIONS)}."
        )
    return text
