"""The pages about types show what mypy really says."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "concepts"


@pytest.mark.slow
@pytest.mark.parametrize(("page", "name"), [("types", "robot.py"), ("typed_events", "hits.py")])
def test_the_messages_on_the_page_are_those_of_mypy(page, name, tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    _, program, *_ = (PAGES / f"{page}.md").read_text("utf-8").split("```py\n")
    program, _, rest = program.partition("```")
    shown = rest.partition("```text\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    (tmp_path / name).write_text(program, "utf-8")
    said, errors, _ = api.run(["--strict", name])
    assert not errors
    assert said_in_errors(said) == shown.split()


def said_in_errors(said):
    """The words of mypy, but for the notes that explain an error."""
    return [word for line in said.splitlines() if ": note: " not in line for word in line.split()]


@pytest.mark.slow
def test_sphinx_reads_the_events_of_the_game():
    parser = pytest.importorskip("sphinx.pycode.parser").Parser(
        (ROOT / "examples" / "night_guard" / "events.py").read_text("utf-8")
    )
    parser.parse()
    assert parser.comments["", "NOISE"] == "To all guards: someone makes a noise."
    assert {"NOISE", "RING", "ALARM", "GATE_UP", "TELL"} <= {name for _, name in parser.comments}
