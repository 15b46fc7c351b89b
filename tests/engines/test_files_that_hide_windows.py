"""A game in a file called arcade.py or pyglet.py, which hides the engine it asks for."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyglet", reason="pyglet is not installed (the extra pyglet)")


def last_line(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env={"ARCADE_HEADLESS": "True"},
    )  # fmt: skip
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pyglet", "arcade"])
@pytest.mark.parametrize("start", ["import {engine}\n", ""], ids=["itself", "adapter"])
def test_the_error_says_so(tmp_path: Path, engine: str, start: str) -> None:
    game = f"{start}from fsmkit.engines.{engine} import attach\n".format(engine=engine)
    (tmp_path / f"{engine}.py").write_text(game, encoding="utf-8")
    (tmp_path / "main.py").write_text(f"import {engine}\n", encoding="utf-8")
    for script in (f"{engine}.py", "main.py"):
        error = last_line(tmp_path, script)
        assert f"is called {engine}.py" in error
        assert "give it another name" in error


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pyglet", "arcade"])
def test_so_does_it_for_a_file_that_has_nothing_to_do_with_the_engine(
    tmp_path: Path, engine: str
) -> None:
    (tmp_path / f"{engine}.py").write_text("LEVELS = 3\n", encoding="utf-8")
    error = last_line(tmp_path, "-c", f"import fsmkit.engines.{engine}")
    assert f"is called {engine}.py" in error


def test_arcade_is_hidden_by_a_pyglet_file_too(tmp_path: Path) -> None:
    (tmp_path / "pyglet.py").write_text("LEVELS = 3\n", encoding="utf-8")
    error = last_line(tmp_path, "-c", "import fsmkit.engines.arcade")
    assert "pyglet.py" in error
