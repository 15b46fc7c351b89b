"""Findings as workflow commands of GitHub Actions, which shows them beside the lines of a change.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from fsmkit.checking import Finding, Severity
from fsmkit.cli.checked import CheckedTarget
from fsmkit.cli.errors import CommandError, explained, line_of_user
from fsmkit.tooling.code_place import CodePlace, posix_path

LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "notice"}

IN_MESSAGES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
IN_PROPERTIES: Final = IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})


def github_lines(checked: Sequence[CheckedTarget]) -> Iterator[str]:
    """Yield a command for each finding, and for each target that could not be checked."""
    for target in checked:
        if target.error is not None:
            yield _of_error(target.error)
        for finding in target.findings:
            yield _of_finding(finding, finding.place.code or target.place)


def _of_finding(finding: Finding, code: CodePlace | None) -> str:
    message = f"{finding.place}: {finding.message} {finding.advice}"
    if test := getattr(finding, "test", ""):
        message += f"\n\n{test}"
    return _command(LEVELS[finding.severity], code, f"fsmkit: {finding.code}", message)


def _of_error(error: CommandError) -> str:
    cause = error.__cause__
    lines = [str(error)] if cause is None else [str(error), *explained(cause)]
    code = None if cause is None else line_of_user(cause)
    return _command("error", code, "fsmkit", "\n".join(lines))


def _command(level: str, code: CodePlace | None, title: str, message: str) -> str:
    where = {} if code is None else {"file": posix_path(code.file), "line": str(code.line)}
    properties = {**where, "title": title}
    shown = ",".join(f"{key}={text.translate(IN_PROPERTIES)}" for key, text in properties.items())
    return f"::{level} {shown}::{message.translate(IN_MESSAGES)}"
