"""Carries out the tests that findings print, as if they had been pasted."""

from collections.abc import Callable
from typing import Any

from fsmkit.exploring import ExploredFinding


def run_pasted(build: Callable[[], Any], finding: ExploredFinding, **names: Any) -> None:
    """Run the test of a finding; `names` are what a user would have in the file already."""
    name = getattr(build, "__name__", "build")
    space: dict[str, Any] = {"build": build, name: build, **names}
    lines = finding.test.splitlines()
    exec("\n".join(line for line in lines if f"import {name}" not in line), space)
    (test,) = (value for title, value in space.items() if title.startswith("test_"))
    test()
