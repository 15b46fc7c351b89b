"""Findings for people, at a terminal or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fsmkit.checking import Finding, Severity
from fsmkit.checking.finding import SEVERITIES
from fsmkit.cli.checked import CheckedTarget
from fsmkit.terminal.console import Console

STYLES: Final[dict[Severity, str]] = {"error": "red", "warning": "yellow", "info": "cyan"}
COLUMN: Final = max(map(len, SEVERITIES))


def print_text(console: Console, checked: Sequence[CheckedTarget]) -> None:
    """Print the findings machine by machine, and how many there are."""
    for target in checked:
        for machine, findings in _by_machine(target.findings).items():
            title = console.styled(console.shown(machine), "bold")
            where = console.shown(f"  {target.name}") if len(checked) > 1 else ""
            console.line(title + console.styled(where, "faint"))
            for finding in findings:
                _print_finding(console, finding)
            console.line()
    for target in checked:
        if target.walk:
            where = f"{target.name}: " if len(checked) > 1 else ""
            console.line(console.shown(f"{where}{target.walk}"))
    if any(target.error is None for target in checked):
        console.line(summary(checked))


def summary(checked: Sequence[CheckedTarget]) -> str:
    """Return how many findings there are of each kind, and in what."""
    states, machines = (sum(getattr(t, name) for t in checked) for name in ("states", "machines"))
    where = _count(states, "state")
    if machines > 1:
        where += f" of {_count(machines, 'machine')}"
    found = [finding.severity for target in checked for finding in target.findings]
    if not found:
        so_far = "" if all(target.is_walked for target in checked) else " of what was walked"
        return f"Nothing to report{so_far}: {where} looked at."
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


def _print_finding(console: Console, finding: Finding) -> None:
    severity = console.styled(f"{finding.severity:{COLUMN}}", STYLES[finding.severity])
    parts = [console.styled(finding.code, "bold"), console.shown(finding.place.inside)]
    if finding.place.code is not None:
        parts.append(console.styled(console.shown(str(finding.place.code)), "faint"))
    console.line(f"  {severity}  {'  '.join(filter(None, parts))}")
    for text in (finding.message, finding.advice):
        console.line(f"  {'':{COLUMN}}  {console.shown(text)}")
    if test := getattr(finding, "test", ""):
        console.line()
        for line in test.splitlines():
            console.line(console.styled(f"    {console.shown(line)}".rstrip(), "faint"))
        console.line()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
