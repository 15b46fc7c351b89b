"""LimitedCommands: the commands that `fsmkit mcp` carries out, each in a process of its own.

Only files below one folder are named, a process that takes too long is ended, and answers are cut.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from fsmkit.cli.json_answer import JsonObject

MOST_BYTES: Final = 16_000_000
"""What a process may print; more of it would fill the memory."""

LAST_BYTES: Final = 2_000
"""What is kept of its errors."""

LONGEST_ANSWER: Final = 20_000
"""The characters of an answer, about 5,000 tokens."""

CUTS: Final = (100, 50, 25, 12, 6, 3, 1)
"""The entries of a list that are tried to be kept, until the answer is short enough."""

CHARACTERS_PER_ENTRY: Final = 180
"""A text may have so many for each entry that a list may have."""

TARGET: Final = re.compile(r"(?P<file>[^:]+\.py)(:(?P<function>[A-Za-z_][\w.]*))?")


@frozen
class LimitedCommands:
    folder: Path
    """Its real path."""
    seconds: float
    """How long a command may take."""
    failure: type[Exception]
    """What is raised where a command fails: the error that the agent gets to read."""

    def target(self, given: str) -> str:
        """Return a target relative to the folder; refuse all that is not a Python file below it."""
        match = TARGET.fullmatch(given)
        if match is None:
            raise self.failure(
                f"target must be a Python file, such as guard.py or guard.py:build, got {given!r}."
            )
        try:
            file = (self.folder / match["file"]).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise self.failure(f"There is no file {match['file']!r} in the folder.") from None
        if not file.is_relative_to(self.folder):
            raise self.failure(f"{match['file']!r} is not in the folder.")
        if not file.is_file() or file.suffix != ".py":
            raise self.failure(f"{match['file']!r} is not a Python file.")
        inside = Path(".", file.relative_to(self.folder))
        dashed = f"./{inside}" if str(inside).startswith("-") else str(inside)
        return f"{dashed}:{match['function']}" if match["function"] else dashed

    async def answer(self, command: str, *arguments: str) -> JsonObject:
        """Return the object that a command prints with `--format json`."""
        options, dashes, rest = _split(arguments)
        output = await self._output(command, *options, "--format=json", *dashes, *rest)
        found: JsonObject = json.loads(output)
        if [*found] == ["version", "error"]:
            raise self.failed(found["error"])
        return found

    def failed(self, error: JsonObject) -> Exception:
        """Return what to raise for an error that a command has answered."""
        return self.failure("\n".join([error["message"], *error["details"]]))

    async def _output(self, *arguments: str) -> str:
        """Return the last line that the process prints; what a target may print comes before."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-X", "utf8", "-m", "fsmkit", *arguments,
            cwd=self.folder, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        end_of_errors = asyncio.create_task(_end_of(process.stderr))
        try:
            async with asyncio.timeout(self.seconds):
                output = await _start_of(process.stdout, process)
                errors = await asyncio.shield(end_of_errors)
                code = await process.wait()
        except TimeoutError:
            _end(process)
            errors, *_ = await asyncio.gather(
                end_of_errors, _start_of(process.stdout, process), process.wait()
            )
            raise self.failure(
                f"It took longer than {self.seconds:g} s and was ended. Does the code of the "
                "target wait for something, or never end? Otherwise ask for less, or start "
                f"fsmkit mcp with more --seconds.\n{errors}".rstrip()
            ) from None
        finally:
            _end(process)
        if len(output) > MOST_BYTES:
            raise self.failure(
                f"It printed more than {MOST_BYTES:,} bytes and was ended. Ask for less: fewer "
                "seconds, fewer events. Or does the target itself print so much?"
            )
        lines = output.decode("utf-8", "replace").splitlines()
        if not lines or not lines[-1].startswith('{"version": '):
            raise self.failure(f"It ended without an answer, with exit code {code}.\n{errors}")
        return lines[-1]


async def _start_of(stream: asyncio.StreamReader, process: Process) -> bytes:
    """Return what a process prints; end it where that is too much."""
    parts: list[bytes] = []
    length = 0
    while part := await stream.read(1 << 16):
        if length > MOST_BYTES:
            _end(process)
        else:
            parts.append(part)
            length += len(part)
    return b"".join(parts)


def _split(arguments: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    """Return the arguments before `--`, the dashes, and what comes after them."""
    if "--" not in arguments:
        return [*arguments], [], []
    place = arguments.index("--")
    return [*arguments[:place]], ["--"], [*arguments[place + 1 :]]


async def _end_of(stream: asyncio.StreamReader) -> str:
    end = b""
    while part := await stream.read(1 << 16):
        end = (end + part)[-LAST_BYTES:]
    return end.decode("utf-8", "replace")


def _end(process: Process) -> None:
    """End a process that still runs, and those that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def short(answer: JsonObject) -> str:
    """Return an answer as text that is short enough to read, and say what was left out.

    >>> short({"version": 1, "states": ["Patrol", "Chase"]})
    '{"version":1,"states":["Patrol","Chase"]}'
    """
    text = ""
    for most in CUTS:
        left_out: dict[str, str] = {}
        fields = _cut(answer, most, "", left_out)
        if left_out:
            fields["left_out"] = left_out
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        if len(text) <= LONGEST_ANSWER:
            return text
    return f"{text[:LONGEST_ANSWER]}… ({len(text) - LONGEST_ANSWER} characters were left out)"


def _cut(value: Any, most: int, place: str, left_out: dict[str, str]) -> Any:
    """Return a value with lists of at most `most` entries, and texts as short; note the rest."""
    if isinstance(value, dict):
        inner = f"{place}." if place else ""
        return {key: _cut(each, most, f"{inner}{key}", left_out) for key, each in value.items()}
    if isinstance(value, list):
        if len(value) > most:
            left_out[place] = f"{len(value) - most} of {len(value)}"
        return [_cut(each, most, f"{place}[]", left_out) for each in value[:most]]
    longest = most * CHARACTERS_PER_ENTRY
    if isinstance(value, str) and len(value) > longest:
        left_out[place] = f"{len(value) - longest} of {len(value)} characters"
        return value[:longest]
    return value
