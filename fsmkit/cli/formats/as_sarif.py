"""Findings as SARIF 2.1.0, the format in which tools tell others what they found in code.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import quote

from fsmkit import __version__
from fsmkit.checking import Finding, Severity
from fsmkit.checking.finding import ALL_DESCRIPTIONS, DESCRIPTIONS
from fsmkit.cli.checked import CheckedTarget
from fsmkit.cli.errors import CommandError, explained, line_of_user
from fsmkit.tooling.code_place import CodePlace, posix_path

Json: TypeAlias = dict[str, Any]

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
HELP: Final = (
    "Each finding says what to do about it. If the machine is as it should be, ignore it by a "
    "comment in that line: # fsmkit: ignore[{}]"
)
LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "note"}


def sarif_of(checked: Sequence[CheckedTarget]) -> str:
    """Return a log with one run."""
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


def _rules(codes: list[str]) -> list[Json]:
    return [
        {
            "id": code,
            "shortDescription": {"text": ALL_DESCRIPTIONS[code]},
            "help": {"text": f"{ALL_DESCRIPTIONS[code]} {HELP.format(code)}"},
        }
        for code in codes
    ]


def _result(target: CheckedTarget, finding: Finding, codes: list[str]) -> Json:
    location: Json = {"logicalLocations": _logical(finding)}
    if (code := finding.place.code or target.place) is not None:
        location = {"physicalLocation": _physical(code), **location}
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": LEVELS[finding.severity],
        "message": {"text": f"{finding.place}: {finding.message} {finding.advice}"},
        "locations": [location],
        "partialFingerprints": {"finding/v1": _fingerprint(target, finding)},
        **({"properties": {"test": test}} if (test := getattr(finding, "test", "")) else {}),
    }


def _logical(finding: Finding) -> list[Json]:
    place = finding.place
    names = {"machine": place.machine, "state": place.state, "action": place.action}
    found: list[Json] = []
    for kind, name in names.items():
        if name is not None:
            above = [found[-1]["fullyQualifiedName"]] if found else []
            found.append(
                {"name": name, "fullyQualifiedName": "/".join([*above, name]), "kind": kind}
            )
    return found


def _physical(code: CodePlace) -> Json:
    path = posix_path(code.file)
    where: Json = {"uri": quote(path), "uriBaseId": "%SRCROOT%"}
    if Path(path).is_absolute():
        where = {"uri": Path(path).as_uri()}
    return {"artifactLocation": where, "region": {"startLine": code.line}}


def _fingerprint(target: CheckedTarget, finding: Finding) -> str:
    """Return what stays the same when the line moves."""
    place = finding.place
    parts = (target.name, finding.code, place.machine, place.state, place.action, place.event)
    return sha256(repr(parts).encode()).hexdigest()


def _notification(error: CommandError) -> Json:
    cause = error.__cause__
    lines = [str(error)] if cause is None else [str(error), *explained(cause)]
    notification: Json = {"level": "error", "message": {"text": "\n".join(lines)}}
    if cause is not None and (code := line_of_user(cause)) is not None:
        notification["locations"] = [{"physicalLocation": _physical(code)}]
    return notification
