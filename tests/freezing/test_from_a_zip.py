"""The packages in a zip: tools find their files there."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from fsmkit.introspection.data_files import data_files

ROOT = Path(__file__).parents[2]
GAME = ROOT / "examples" / "night_guard"
STORY = (ROOT / "examples" / "recorded" / "night_guard.txt").read_text("utf-8").splitlines()[1:]

PROGRAM = """
import sys
import urllib.request

from fsmkit import Fsm
from fsmkit.cli import main
from fsmkit.inspector import inspect

print(inspect.__code__.co_filename.startswith(sys.argv[1]), flush=True)
print(main(["demo", "--headless"]), flush=True)
print(main(["demo", "--copy", "mine"]), flush=True)
print(main(["new", "slime.py"]), flush=True)
door = Fsm("Door")
door.add_state("Shut")
with inspect(door, announce=None) as inspector:
    for name in ("", "page/live.js"):
        with urllib.request.urlopen(inspector.url + name) as page:
            print(page.status, page.headers.get_content_type())
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages as a wheel has them, in a zip."""
    path = tmp_path_factory.mktemp("zip") / "library.zip"
    with ZipFile(path, "w") as file:
        for package in ("fsmkit", "actions"):
            for name, each in data_files(ROOT / package).items():
                file.writestr(f"{package}/{name}", each.read_bytes())
        for name, each in data_files(GAME).items():
            file.writestr(f"fsmkit/cli/night_guard/{name}", each.read_bytes())
    return path


@pytest.mark.slow
def test_the_tools_run_from_a_zip(archive: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="Starlette is not installed (the extra inspector)")
    start = f"import sys; sys.path.insert(0, {str(archive)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", start + PROGRAM, str(archive)],
        cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stderr == ""
    first, *lines = done.stdout.splitlines()
    assert first == "True"
    assert lines[: len(STORY) + 2] == [*STORY, "0", "Written: mine"]
    assert lines[-4:] == [
        "  fsmkit inspect slime.py --open",
        "0",
        "200 text/html",
        "200 text/javascript",
    ]
    assert data_of(tmp_path / "mine") == data_of(GAME)


def data_of(folder: Path) -> dict[str, bytes]:
    return {name: file.read_bytes() for name, file in data_files(folder).items()}
