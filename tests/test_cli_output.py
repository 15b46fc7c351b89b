"""The command when its output cannot be written."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

GUARD = str(Path(__file__).parents[1] / "examples/guard.py")


def complaint(redirection: str, *arguments: str, unbuffered: str = "") -> tuple[int, str]:
    """The exit code and the errors of `fsmkit ARGUMENTS`, with its output redirected."""
    ended = subprocess.run(
        ["sh", "-c", f'PYTHONUNBUFFERED={unbuffered} "$@" {redirection}', "sh",
         sys.executable, "-m", "fsmkit", *arguments],
        stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no disk that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["draw", GUARD], ["run", GUARD], ["--version"]])
def test_an_output_that_cannot_be_written_is_reported_in_one_line(
    arguments: list[str], unbuffered: str
) -> None:
    assert complaint("> /dev/full", *arguments, unbuffered=unbuffered) == (
        1, "fsmkit: The output cannot be written: No space left on device.\n",
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="has no such shell")
def test_an_output_that_is_closed_is_reported_in_one_line() -> None:
    assert complaint(">&-", "draw", GUARD) == (
        1, "fsmkit: The output cannot be written: it is closed.\n",
    )  # fmt: skip
