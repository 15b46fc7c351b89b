"""The core with the kernel against the one without: the same random machines, the same journals."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest
from random_machines import play
from random_operations import OPERATIONS

HAS_KERNEL = find_spec("fsmkit.core._kernel") is not None
PURE = {"FSMKIT_PURE": "1"}
AS_INSTALLED: dict[str, str] = {}

needs_kernel = pytest.mark.skipif(
    not HAS_KERNEL, reason="fsmkit.core._kernel has not been built: there is one core only"
)


@pytest.mark.slow
@needs_kernel
def test_random_machines_do_the_same_on_both_cores() -> None:
    compare(0, 400, PURE, AS_INSTALLED)


@needs_kernel
@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000, 7_000, 2_000))
def test_many_random_machines_do_the_same_on_both_cores(first: int) -> None:
    compare(first, 2_000, PURE, AS_INSTALLED)


@pytest.mark.slow
def test_a_journal_depends_on_nothing_but_the_machine() -> None:
    compare(400, 50, {**PURE, "PYTHONHASHSEED": "1"}, {**PURE, "PYTHONHASHSEED": "2"})


def test_a_difference_is_shown_where_it_begins() -> None:
    with pytest.raises(pytest.fail.Exception) as raised:
        expect_equal(7, ["a", "b", "c"], ["a", "b", "d", "e"])
    assert str(raised.value).splitlines()[1:] == [
        "  a", "  b", "- c", "+ d", "play it with: python tests/core/random_machines.py 7 1",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_random_machines_do_a_little_of_everything() -> None:
    lines = [line for number in range(200) for line in play(number)]
    done = Counter(re.findall(r"^\S+: \('([a-z ]+)'.* -> ", "\n".join(lines), re.MULTILINE))
    assert done.keys() == OPERATIONS.keys() - {"raise"}
    raised = Counter(re.findall(r" raised (\w+)\(", "\n".join(lines)))
    assert raised.keys() >= {
        "Oops", "Abort", "ExceptionGroup", "FsmError", "UnhandledEventError", "TypeError",
        "TransitionLoopError", "TransitionOnExitError", "ValueError", "UnknownStateError",
    }  # fmt: skip
    phases = set(re.findall(r", (on_\w+)[\"']\]", "\n".join(lines)))
    assert phases >= {"on_enter", "on_update", "on_exit", "on_event"}, "where they are raised"
    seen = set(re.findall(r" sees (\w+)", "\n".join(lines)))
    assert len(seen) == 9, "every method of an observer but intercept"
    assert any(line.startswith("intercepted") for line in lines)
    assert any(line.startswith("WARNING") for line in lines)


def compare(first: int, count: int, one: dict[str, str], other: dict[str, str]) -> None:
    """Play `count` machines in two processes with these environments, and compare the journals."""
    with ExitStack() as stack:
        journals = [played(first, count, environment, stack) for environment in (one, other)]
        for number, (expected, found) in enumerate(zip(*journals, strict=True), first):
            if expected != found:
                expect_equal(number, json.loads(expected), json.loads(found))


def played(first: int, count: int, environment: dict[str, str], stack: ExitStack) -> Iterator[str]:
    """Yield the journals that a process with this environment writes, each as JSON."""
    inherited = {name: value for name, value in os.environ.items() if name != "FSMKIT_PURE"}
    worker = stack.enter_context(
        subprocess.Popen(
            [
                sys.executable,
                Path(__file__).with_name("random_machines.py"),
                str(first),
                str(count),
            ],
            env=inherited | environment,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    )
    stack.callback(worker.kill)
    return journals_of(
        worker, first, count, has_kernel=HAS_KERNEL and "FSMKIT_PURE" not in environment
    )


def journals_of(
    worker: "subprocess.Popen[str]", first: int, count: int, *, has_kernel: bool
) -> Iterator[str]:
    assert worker.stdout is not None
    core = worker.stdout.readline()
    assert core, f"the worker could not begin, exit status {worker.wait()}"
    assert json.loads(core) == {"has_kernel": has_kernel}
    for number in range(first, first + count):
        journal = worker.stdout.readline()
        assert journal, f"machine {number} ended the worker, exit status {worker.wait()}"
        yield journal
    assert worker.wait() == 0, "the worker could not end"


def expect_equal(number: int, expected: list[str], found: list[str]) -> None:
    """Fail with the first line that differs, and what came before it, unless the journals agree."""
    if expected == found:
        return
    pairs = enumerate(zip([*expected, "the end"], [*found, "the end"], strict=False))
    at = next(at for at, (one, other) in pairs if one != other)
    shown = [f"  {line}" for line in expected[max(0, at - 12) : at]]
    shown += [f"- {line}" for line in expected[at : at + 1]]
    shown += [f"+ {line}" for line in found[at : at + 1]]
    replay = f"play it with: python tests/core/random_machines.py {number} 1"
    pytest.fail("\n".join([f"machine {number}: the cores differ", *shown, replay]), pytrace=False)
