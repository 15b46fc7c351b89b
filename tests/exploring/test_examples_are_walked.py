"""Every example can be walked through, and the tests that are printed about it pass."""

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from pasting import run_pasted

from fsmkit.cli.targets import apart, find
from fsmkit.exploring import explore

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.fixture
def quiet() -> Iterator[None]:
    with redirect_stdout(StringIO()), apart():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_walked_without_errors(example: Path) -> None:
    build = find(str(example))
    exploration = explore(build, moments=30)
    seen = [finding for finding in exploration.findings if finding.severity != "info"]
    assert {finding.code for finding in seen} <= {"never-left"}
    for finding in seen:
        run_pasted(build, finding)
