"""The overlay of Ursina, as docs/engines/ursina.md shows it, on a screen that nobody sees."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import pytest
from example_on_page import example

if find_spec("ursina") is None:
    pytest.skip("Ursina is not installed (the extra ursina)", allow_module_level=True)

HERE = Path(__file__).parent

BEFORE = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from panda3d.core import loadPrcFileData

loadPrcFileData("", "audio-library-name null\\nload-display p3tinydisplay")
from ursina import Entity, Ursina, camera, window

try:
    app = Ursina(window_type="offscreen", development_mode=False, size=(400, 300))
except Exception as error:  # Panda3D's own, of no special class
    raise SystemExit(f"Panda3D cannot draw here, not even by itself: {{error}}")
window.color = (0, 0, 0, 1)
camera.orthographic, camera.fov = True, 30  # 10 pixels a unit
from overlaid import covered, guard

fsm = guard(Entity(position=(5.0, 5.0, 0.0)))
"""

AFTER = dedent("""

    def area(corner):
        for _ in range(2):
            app.step()
        texture = app.win.getScreenshot()
        width = texture.getXSize()
        data = bytes(texture.getRamImageAs("RGB"))
        rows = [data[start:start + 3 * width] for start in range(0, len(data), 3 * width)]
        rows.reverse()
        first, last = corner
        part = b"".join([bytes(3 * width * first), *rows[first:last]])
        return covered(part, width)

    label = area((75, 96))
    print(abs((label.left + label.right) / 2 - 250) <= 2, abs(label.bottom - 94) <= 2)
    app.step()
    overlay.wait()
    diagram = area((12, 70))
    print(abs(diagram.right - 387) <= 2, diagram.top)
    app.input("f3")
    print(area((0, 300)))
    app.input("f3")
    print(area((0, 300)) is not None)
    overlay.stop()
    print(area((0, 300)))
""")


@pytest.mark.slow
def test_it_is_above_an_entity_and_f3_shows_and_hides_it(tmp_path: Path) -> None:
    game = tmp_path / "game.py"
    block = example("ursina", "from fsmkit.engines.ursina import Overlay")
    game.write_text("\n".join((BEFORE, block, AFTER)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, game.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if "cannot draw here" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-5:] == ["True True", "True 12", "None", "True", "None"]
