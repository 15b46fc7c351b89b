"""Every example still prints its recorded output, every time the same.

examples/recorded/NAME.txt holds commands, each after `$ `, and what they printed. To run them all
again and record what they print now: python tests/test_examples.py
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fsmkit import Fsm, FsmGroup
from fsmkit.cli.targets import load

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(ROOT.glob("examples/*.py"))
PROGRAMS = {"fsmkit": [sys.executable, "-m", "fsmkit"], "python": [sys.executable]}
LONGEST = {"boids", "clinic", "epidemic", "evacuation", "stadium", "swarm"}
AT_MOST = 300.0
"""Seconds, against a hang; a command takes a fraction of one, a crowd up to a minute."""


def is_crowd(example: Path) -> bool:
    return "-> CrowdFsm" in example.read_text("utf-8")


def recording(example: Path) -> Path:
    return example.parent / "recorded" / f"{example.stem}.txt"


def recorded_commands(example: Path) -> Iterator[str]:
    for line in recording(example).read_text("utf-8").splitlines():
        if line.startswith("$ "):
            yield line.removeprefix("$ ")


def printed_by(command: str, hash_seed: int) -> str:
    program, *arguments = shlex.split(command)
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": str(hash_seed)}
    result = subprocess.run(
        [*PROGRAMS[program], *arguments],
        cwd=ROOT, env=environment, capture_output=True, timeout=AT_MOST, check=True,
    )  # fmt: skip
    assert result.stderr == b""
    return result.stdout.decode().replace("\r\n", "\n")


def transcript(example: Path, hash_seed: int) -> str:
    return "\n".join(
        f"$ {command}\n{printed_by(command, hash_seed)}" for command in recorded_commands(example)
    )


def test_there_are_examples_and_each_is_recorded() -> None:
    assert EXAMPLES
    assert [example.name for example in EXAMPLES if not recording(example).exists()] == []


def marked(example: Path) -> Any:
    """Return `example` as a parameter, marked by how long its commands take."""
    marks = pytest.mark.long if example.stem in LONGEST else pytest.mark.slow
    return pytest.param(example, marks=marks if is_crowd(example) else (), id=example.stem)


@pytest.mark.slow
@pytest.mark.parametrize("example", [*map(marked, EXAMPLES)])
def test_prints_what_is_recorded_with_another_hash_seed(example: Path) -> None:
    assert transcript(example, hash_seed=1) == recording(example).read_text("utf-8")


@pytest.mark.long
@pytest.mark.parametrize(
    "example",
    [example for example in EXAMPLES if not is_crowd(example)],
    ids=lambda example: example.stem,
)
def test_prints_what_is_recorded_whatever_the_hash_seed(example: Path) -> None:
    recorded = recording(example).read_text("utf-8")
    with ThreadPoolExecutor() as both:
        printed = [*both.map(partial(transcript, example), [2, 3])]
    assert printed == [recorded, recorded]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_is_recorded_run_by_the_command_and_as_a_script(example: Path) -> None:
    file = f"examples/{example.name}"
    commands = [command.split()[:3] for command in recorded_commands(example)]
    assert ["fsmkit", "crowd" if is_crowd(example) else "run", file] in commands
    assert ["python", file] in commands


def machines_of(built: Fsm[Any] | FsmGroup) -> list[Fsm[Any]]:
    return [built] if isinstance(built, Fsm) else [*built]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_builds_a_new_machine_each_time(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    first, second = load(str(example)), load(str(example))
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == str(example):
            del sys.modules[name]
    for one, other in zip(machines_of(first), machines_of(second), strict=True):
        assert one is not other
        assert one.context is not other.context
        assert not one.is_running


if __name__ == "__main__":
    for each in EXAMPLES:
        recording(each).write_text(transcript(each, hash_seed=0), "utf-8")
