"""Carries out the tests that findings print, as if they had been pasted."""

from collections.abc import Callable
from typing import Any

from fsmkit.exploring import ExploredFinding


def run_pasted(build: Callable[[], Any], finding: ExploredFinding, **names: Any) -> None:
    """Run the test of a finding; `names` are what a user would have in the file already."""
    lines = [line for line in finding.test.splitlines() if not line.endswith("import build")]
    space: dict[str, Any] = {"build": build, **names}
    exec("\n".join(line for line in lines if " as build" not in line), space)
    (test,) = (value for name, value in space.items() if name.startswith("test_"))
    test()
