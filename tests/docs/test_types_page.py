"""The page about types shows what mypy really says."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "concepts" / "types.md"


@pytest.mark.slow
def test_the_messages_on_the_page_are_those_of_mypy(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    _, program, *_ = PAGE.read_text("utf-8").split("```py\n")
    program, _, rest = program.partition("```")
    shown = rest.partition("```text\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    (tmp_path / "robot.py").write_text(program, "utf-8")
    said, errors, _ = api.run(["--strict", "robot.py"])
    assert not errors
    assert said.split() == shown.split()
