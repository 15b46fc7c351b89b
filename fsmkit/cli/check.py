"""`fsmkit check`: find mistakes in a machine before it runs."""

from __future__ import annotations

import argparse
import json
import sys
from itertools import groupby
from typing import Final

from attrs import asdict

from fsmkit.checking import Finding, Severity, check
from fsmkit.checking.finding import SEVERITIES
from fsmkit.checking.ignoring import checked_ignore
from fsmkit.cli.errors import FAILED
from fsmkit.cli.options import add_target
from fsmkit.cli.targets import load
from fsmkit.terminal.console import Console
from fsmkit.tooling.nesting import MachineNames, members

HELP: Final = "find mistakes in a machine before it runs"

DESCRIPTION: Final = """\
Look for mistakes in a machine without running it: states that cannot be reached or exited, events
that nothing handles, endless chains, misspelt names. Each finding says what to do about it.

TARGET is path.py:function or module:function, where the function takes no arguments and returns an
Fsm or an FsmGroup. The default function is build.

The exit code is 1 if any finding is an error, otherwise 0.
"""

EXAMPLE: Final = """\
example:
  fsmkit check examples/guard.py
  fsmkit check examples/guard.py:build --ignore no-way-out:Chase --json
"""

STYLES: Final[dict[Severity, str]] = {"error": "red", "warning": "yellow", "info": "cyan"}
COLUMN: Final = max(map(len, SEVERITIES))


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_target(command)
    command.add_argument(
        "--ignore",
        type=_ignorable,
        action="append",
        default=[],
        metavar="CODE",
        help="ignore findings with this code; CODE:NAME ignores only those about one state or "
        "event; may be repeated",
    )
    command.add_argument("--json", action="store_true", help="print the findings as a JSON array")


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    machines = load(options.target)
    findings = check(machines, options.ignore)
    if options.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        console = Console(sys.stdout)
        _print_findings(console, findings)
        sizes = [len(machine.states) for _, machine, _ in MachineNames().add(members(machines))]
        console.line(_summary(findings, sum(sizes), len(sizes)))
    return FAILED if any(finding.severity == "error" for finding in findings) else 0


def _print_findings(console: Console, findings: list[Finding]) -> None:
    for machine, group in groupby(findings, key=lambda finding: finding.place.machine):
        console.line(console.styled(console.shown(machine), "bold"))
        for finding in group:
            _print_finding(console, finding)
        console.line()


def _print_finding(console: Console, finding: Finding) -> None:
    severity = console.styled(f"{finding.severity:{COLUMN}}", STYLES[finding.severity])
    place = console.shown(finding.place.inside)
    console.line(f"  {severity}  {console.styled(finding.code, 'bold')}  {place}")
    for text in (finding.message, finding.advice):
        console.line(f"  {'':{COLUMN}}  {console.shown(text)}")


def _summary(findings: list[Finding], states: int, machines: int) -> str:
    where = _count(states, "state")
    if machines > 1:
        where += f" of {_count(machines, 'machine')}"
    if not findings:
        return f"Nothing to report: {where} looked at."
    severities = [finding.severity for finding in findings]
    counts = [
        _count(severities.count(each), each) if each != "info" else f"{severities.count(each)} info"
        for each in SEVERITIES
        if each in severities
    ]
    return f"{', '.join(counts)} in {where}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _ignorable(text: str) -> str:
    try:
        return checked_ignore(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
