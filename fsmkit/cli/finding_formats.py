"""What `fsmkit check` prints: text for people, JSON, SARIF 2.1.0, and commands of GitHub Actions.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from attrs import asdict

from fsmkit import __version__
from fsmkit.checking import Finding, Severity
from fsmkit.checking.finding import ALL_DESCRIPTIONS, DESCRIPTIONS, SEVERITIES
from fsmkit.cli.checked_targets import CheckedTarget
from fsmkit.cli.command_errors import CommandError, explained, line_of_user
from fsmkit.cli.excerpts import Excerpt, Excerpts
from fsmkit.cli.json_answer import JsonObject, error_object
from fsmkit.introspection.code_place import CodePlace, posix_path
from fsmkit.terminal.console import Console, width, wrapped

if TYPE_CHECKING:
    from fsmkit.exploring import Paths

LEVELS: Final[dict[Severity, tuple[str, str, str]]] = {
    "error": ("red", "error", "error"),
    "warning": ("yellow", "warning", "warning"),
    "info": ("cyan", "notice", "note"),
}
"""Severity -> its style on a terminal, and its level in GitHub's commands and in SARIF."""

INDENT: Final = "  "
DEEPER: Final = INDENT * 2

IN_MESSAGES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})

IN_PROPERTIES: Final = IN_MESSAGES | str.maketrans({":": "%3A", ",": "%2C"})

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

RULE_HELP: Final = (
    "Each finding says what to do about it. If the machine is as it should be, ignore it by a "
    "comment in that line: # fsmkit: ignore[{}]"
)


def print_text(console: Console, checked: Sequence[CheckedTarget]) -> None:
    excerpts = Excerpts()
    for target in checked:
        for machine, findings in _by_machine(target.findings).items():
            title = console.styled(console.shown(machine), "bold")
            where = console.shown(f"  {target.name}") if len(checked) > 1 else ""
            console.line(title + console.styled(where, "faint"))
            for finding in findings:
                _print_finding(console, finding, excerpts.of(finding))
                console.line()
    for target in checked:
        if target.walk:
            where = f"{target.name}: " if len(checked) > 1 else ""
            console.line(console.shown(f"{where}{target.walk}"))
        if target.paths is not None:
            _print_paths(console, target.paths)
    if any(target.error is None for target in checked):
        console.line(summary(checked))


def _print_paths(console: Console, paths: Paths) -> None:
    for script in paths:
        console.line(console.shown(f"  {script}"))
    for transition in paths.missing:
        console.line(console.shown(f"  not taken: {transition}"))


def summary(checked: Sequence[CheckedTarget]) -> str:
    states, machines = (sum(getattr(t, name) for t in checked) for name in ("states", "machines"))
    where = _count(states, "state")
    if machines > 1:
        where += f" of {_count(machines, 'machine')}"
    found = [finding.severity for target in checked for finding in target.findings]
    if not found:
        so_far = "" if all(target.is_walked for target in checked) else " in the part walked"
        return f"Nothing to report{so_far}: {where} checked."
    counts = [
        _count(found.count(each), each) if each != "info" else f"{found.count(each)} info"
        for each in SEVERITIES
        if each in found
    ]
    return f"{', '.join(counts)} in {where}"


def _by_machine(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.place.machine, []).append(finding)
    return groups


def _print_finding(console: Console, finding: Finding, excerpt: Excerpt | None) -> None:
    """Print where it is, what it is, its line of source, and what to do, as ruff does."""
    place, inside = finding.place.code, console.shown(finding.place.inside)
    where = "" if place is None else console.shown(f"{place}:")
    if excerpt is not None:
        where += f"{excerpt.column}:"
    used = width(f"{where} {finding.severity} {finding.code}: ")
    severity = console.styled(finding.severity, LEVELS[finding.severity][0])
    heading = f"{console.styled(where, 'bold')} {severity} {console.styled(finding.code, 'bold')}"
    is_short = inside and len(INDENT) + used + width(inside) <= console.columns
    console.line(f"{INDENT}{heading.lstrip()}{f': {inside}' if is_short else ''}")
    for text in (inside if not is_short else "", finding.message):
        _print_wrapped(console, text)
    for line in () if excerpt is None else excerpt.lines(console, console.columns - len(DEEPER)):
        console.line(f"{DEEPER}{line}")
    _print_wrapped(console, finding.advice)
    if test := getattr(finding, "test", ""):
        console.line()
        for line in test.splitlines():
            console.line(console.styled(f"{DEEPER}{console.shown(line)}".rstrip(), "faint"))


def _print_wrapped(console: Console, text: str) -> None:
    if text:
        for line in wrapped(console.shown(text), console.columns - len(DEEPER)):
            console.line(f"{DEEPER}{line}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def check_object(checked: Sequence[CheckedTarget]) -> JsonObject:
    found = [_object(target.name, finding) for target in checked for finding in target.findings]
    return {"targets": [*map(_target_object, checked)], "findings": found}


def _target_object(target: CheckedTarget) -> JsonObject:
    walk = {"summary": target.walk, "complete": target.is_walked} if target.walk else None
    paths = None
    if target.paths is not None:
        paths = {"scripts": list(target.paths), "missing": target.paths.missing}
    return {
        "target": target.name,
        "machines": target.machines,
        "states": target.states,
        "walk": walk,
        "paths": paths,
        "error": None if target.error is None else error_object(target.error),
    }


def _object(target: str, finding: Finding) -> JsonObject:
    fields = asdict(finding)
    if finding.place.file is not None:
        fields["place"]["file"] = posix_path(finding.place.file)
    return {"target": target, **fields}


def github_lines(checked: Sequence[CheckedTarget]) -> Iterator[str]:
    for target in checked:
        if target.error is not None:
            text, code = _error_text(target.error)
            yield _command("error", code, "fsmkit", text)
        for finding in target.findings:
            code = finding.place.code or target.place
            text = "\n\n".join(filter(None, (_sentence(finding), getattr(finding, "test", ""))))
            yield _command(LEVELS[finding.severity][1], code, f"fsmkit: {finding.code}", text)


def _command(level: str, code: CodePlace | None, title: str, message: str) -> str:
    where = {} if code is None else {"file": posix_path(code.file), "line": str(code.line)}
    properties = {**where, "title": title}
    shown = ",".join(f"{key}={text.translate(IN_PROPERTIES)}" for key, text in properties.items())
    return f"::{level} {shown}::{message.translate(IN_MESSAGES)}"


def sarif_of(checked: Sequence[CheckedTarget]) -> str:
    results = [(target, finding) for target in checked for finding in target.findings]
    codes = list(dict.fromkeys((*DESCRIPTIONS, *(finding.code for _, finding in results))))
    errors = [target.error for target in checked if target.error is not None]
    run = {
        "tool": {"driver": {"name": "fsmkit", "version": __version__, "rules": _rules(codes)}},
        "invocations": [
            {
                "executionSuccessful": not errors,
                "toolExecutionNotifications": [_notification(error) for error in errors],
            }
        ],
        "results": [_result(target, finding, codes) for target, finding in results],
        "columnKind": "unicodeCodePoints",
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rules(codes: list[str]) -> list[JsonObject]:
    return [
        {
            "id": code,
            "shortDescription": {"text": ALL_DESCRIPTIONS[code]},
            "help": {"text": f"{ALL_DESCRIPTIONS[code]} {RULE_HELP.format(code)}"},
        }
        for code in codes
    ]


def _result(target: CheckedTarget, finding: Finding, codes: list[str]) -> JsonObject:
    location: JsonObject = {"logicalLocations": _logical(finding)}
    if (code := finding.place.code or target.place) is not None:
        location = {"physicalLocation": _physical(code), **location}
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": LEVELS[finding.severity][2],
        "message": {"text": _sentence(finding)},
        "locations": [location],
        "partialFingerprints": {"finding/v1": _fingerprint(target, finding)},
        **({"properties": {"test": test}} if (test := getattr(finding, "test", "")) else {}),
    }


def _logical(finding: Finding) -> list[JsonObject]:
    place = finding.place
    names = {"machine": place.machine, "state": place.state, "action": place.action}
    found: list[JsonObject] = []
    for kind, name in names.items():
        if name is not None:
            above = [found[-1]["fullyQualifiedName"]] if found else []
            found.append(
                {"name": name, "fullyQualifiedName": "/".join([*above, name]), "kind": kind}
            )
    return found


def _physical(code: CodePlace) -> JsonObject:
    path = posix_path(code.file)
    where: JsonObject = {"uri": quote(path), "uriBaseId": "%SRCROOT%"}
    if Path(path).is_absolute():
        where = {"uri": Path(path).as_uri()}
    return {"artifactLocation": where, "region": {"startLine": code.line}}


def _fingerprint(target: CheckedTarget, finding: Finding) -> str:
    """Return an identity of the finding that survives changes of its line."""
    place = finding.place
    parts = (target.name, finding.code, place.machine, place.state, place.action, place.event)
    return sha256(repr(parts).encode()).hexdigest()


def _notification(error: CommandError) -> JsonObject:
    text, code = _error_text(error)
    notification: JsonObject = {"level": "error", "message": {"text": text}}
    if code is not None:
        notification["locations"] = [{"physicalLocation": _physical(code)}]
    return notification


def _sentence(finding: Finding) -> str:
    return f"{finding.place}: {finding.message} {finding.advice}"


def _error_text(error: CommandError) -> tuple[str, CodePlace | None]:
    cause = error.__cause__
    if cause is None:
        return str(error), None
    return "\n".join([str(error), *explained(cause)]), line_of_user(cause)
