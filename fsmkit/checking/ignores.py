"""Ignores: findings to leave out, by code, by code and name, or by comments in the code."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Collection, Container, Iterable, Iterator
from io import StringIO
from itertools import chain
from typing import Final

from attrs import define, field

from fsmkit.checking.finding import ALL_DESCRIPTIONS, Finding, Place
from fsmkit.core.checks import arguments
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.introspection.code_place import CodePlace
from fsmkit.introspection.definition_sites import DefinitionSites

COMMENT: Final = re.compile(
    r"#\s*fsmkit:\s*ignore\b\s*(?:\[(?P<codes>[^\]#]*)\])?\s*(?P<rest>[^#]*)"
)
ADDING: Final = {"add_state", "add_group", "add_transition", "add_global_transition", "add_action"}


@define(eq=False)
class IgnoreComment:
    place: CodePlace
    codes: Collection[str]
    """The codes that it names."""
    is_for_all: bool
    """True if it ignores every code."""
    lines: Collection[int]
    """The lines on which the calls that it applies to begin."""
    machine: str | None = None
    """The first machine that was built there; None if none was."""
    used: set[str] = field(factory=set)
    """The codes of the findings that it has ignored."""

    def ignores(self, finding: Finding) -> bool:
        if not (self.is_for_all or finding.code in self.codes):
            return False
        self.used.add(finding.code)
        return True

    def complaints(self, looked_for: Container[str]) -> Iterator[Finding]:
        """Yield what is wrong with the comment.

        `looked_for` are the codes that were checked: others may still be needed.
        """
        place = Place(self.machine or "", file=self.place.file, line=self.place.line)
        for message in self._complaints(looked_for):
            advice = "Correct the comment, or remove it."
            yield Finding("unused-ignore", "warning", place, message, advice)

    def _complaints(self, looked_for: Container[str]) -> Iterator[str]:
        if not (self.is_for_all or self.codes):
            yield "The comment names no code in brackets, so it ignores nothing."
        if self.is_for_all and not self.used:
            yield "The comment is unused: there is no finding to ignore."
        for code in self.codes:
            if code not in ALL_DESCRIPTIONS:
                hint = did_you_mean(code, ALL_DESCRIPTIONS)
                yield f"There is no code {code!r}. {hint}".rstrip()
            elif code in looked_for and code not in self.used:
                yield f"The comment ignores {code!r}, but there is no such finding."


class Comments:
    """The comments in the files whose code has built the machines that are checked.

    A comment applies to the calls on its line that add something, with those in their arguments;
    where there is no such call, to its whole statement.
    """

    def __init__(self) -> None:
        self._read_files: set[str] = set()
        self._by_line: dict[CodePlace, list[IgnoreComment]] = {}

    def meet(self, places: DefinitionSites) -> list[IgnoreComment]:
        """Return the comments at which machines have been built, without those returned before."""
        met: list[IgnoreComment] = []
        for machine, place in places:
            self._read(place.file)
            for comment in self._by_line.get(place, ()):
                if comment.machine is None:
                    comment.machine = machine.name
                    met.append(comment)
        return met

    def ignore(self, finding: Finding) -> bool:
        place = finding.place.code
        if place is None:
            return False
        self._read(place.file)
        ignoring = [each for each in self._by_line.get(place, ()) if each.ignores(finding)]
        return bool(ignoring)

    def _read(self, file: str) -> None:
        if file not in self._read_files:
            self._read_files.add(file)
            for comment in comments_in(file):
                for line in comment.lines:
                    self._by_line.setdefault(CodePlace(file, line), []).append(comment)


def comments_in(file: str) -> Iterator[IgnoreComment]:
    """Yield the comments of a file of Python code; none if it can no longer be read."""
    try:
        with tokenize.open(file) as stream:
            text = stream.read()
        if "fsmkit:" not in text:
            return
        tokens = list(tokenize.generate_tokens(StringIO(text).readline))
        statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    except (OSError, SyntaxError, UnicodeDecodeError, tokenize.TokenError):
        return
    for token in tokens:
        if token.type == tokenize.COMMENT and (found := COMMENT.search(token.string)):
            line = token.start[0]
            codes = _listed(found["codes"] or "")
            is_for_all = found["codes"] is None and not _is_misspelt(found["rest"])
            yield IgnoreComment(
                CodePlace(file, line), codes, is_for_all, _lines_of(line, statements)
            )


def _listed(codes: str) -> list[str]:
    return [code for part in codes.split(",") if (code := part.strip())]


def _is_misspelt(rest: str) -> bool:
    """Return True if what follows `ignore` should have been in brackets."""
    return rest.lstrip(" (:=").startswith(tuple(ALL_DESCRIPTIONS))


def _lines_of(line: int, statements: list[ast.stmt]) -> Collection[int]:
    around = [each for each in statements if line in _own_lines(each)]
    if not around:
        return ()  # it stands alone
    statement = max(around, key=lambda each: (each.lineno, each.col_offset))
    standing_in = [call for call in _calls(statement) if line in _lines_of_call(call)]
    arguments = [part for call in standing_in for part in (*call.args, *call.keywords)]
    calls = [*standing_in, *chain.from_iterable(map(_calls, arguments))]
    return {_lines_of_call(call).start for call in calls} or _own_lines(statement)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
    return (each for each in calls if getattr(each.func, "attr", None) in ADDING)


def _lines_of_call(call: ast.Call) -> range:
    """Return the lines from the name of the method to the closing bracket."""
    begin, end = call.func.end_lineno, call.end_lineno
    assert begin is not None  # always set in parsed code
    assert end is not None
    return range(begin, end + 1)


def _own_lines(statement: ast.stmt) -> range:
    """Return the lines of a statement without those of the statements inside it."""
    end = statement.end_lineno or statement.lineno
    if isinstance(statement, ast.Match):
        end = statement.subject.end_lineno or end
    elif body := getattr(statement, "body", None):
        end = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, end + 1)


class Ignores:
    """The findings to leave out; it remembers which of its texts were needed.

    Several may share the comments. Raises ValueError for an unknown code, TypeError unless `ignore`
    is a list of strings.
    """

    def __init__(self, ignore: Iterable[str] = (), comments: Comments | None = None) -> None:
        self.texts = [*map(checked_ignore, arguments.names(ignore, "ignore", "codes"))]
        """Codes, `no-way-out`, or codes with the name of a state or event, `no-way-out:Limbo`."""
        self.used: set[str] = set()
        """The texts for which a finding was ignored."""
        self.comments = Comments() if comments is None else comments

    def covers(self, finding: Finding) -> bool:
        names = (finding.place.state, finding.place.event)
        about = {finding.code, *(f"{finding.code}:{name}" for name in names if name is not None)}
        found = about.intersection(self.texts)
        self.used |= found
        return self.comments.ignore(finding) or bool(found)


def checked_ignore(text: str) -> str:
    """Return `text`; raise ValueError unless it begins with a code."""
    code = text.partition(":")[0]
    if code not in ALL_DESCRIPTIONS:
        raise ValueError(
            f"There is no code {code!r}. {did_you_mean(code, ALL_DESCRIPTIONS)}The codes are: "
            f"{', '.join(ALL_DESCRIPTIONS)}."
        )
    return text
