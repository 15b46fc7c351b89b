"""Make the film of a machine that is drawn on the playground: python docs/making/editing_film.py.

Needs chromium, Pillow and what the playground needs. The page is the real one. Of its parts only
the code, the graph and the timeline are shown, so that the text is large enough to be read.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any, Final

from PIL import Image, ImageDraw
from playwright.sync_api import Locator, Page

ROOT = Path(__file__).parents[2]
FILM = ROOT / "docs" / "_static" / "editing.webp"

sys.path.insert(0, str(ROOT / "docs"))

from making.chromium import chromium, playground  # noqa: E402  # needs the path
from making.films import Frame, write_film  # noqa: E402

WIDTH, HEIGHT = 900, 540
WINDOW: Final = 1240
"""Pixels: with fewer the page does not show the code beside the graph."""

LAYOUT: Final = f"""
:root {{ --code-width: 440px !important; --now-shown: 0px !important; --timeline-height: 84px; }}
body {{ width: {WIDTH}px; }}
:is(#now, #log, #now-width, #log-height, #speed-label, .rule, .toast) {{
  display: none !important;
}}
#parts {{
  grid-template:
    "graph" minmax(0, 1fr) "timeline" var(--timeline-height) / minmax(0, 1fr) !important;
}}
"""

LAMP: Final = '''"""A lamp on the stairs: it goes out by itself."""

from fsmkit import Fsm


def build():
    lamp = Fsm("Lamp")
    off = lamp.add_state("Off")
    return lamp
'''

STEP, KEY, LOOK, LAST = 40, 80, 550, 1_500
"""Milliseconds: of a frame while the pointer moves, of a key, of a look at what has changed, and of
the last frame."""

STEPS: Final = 7
"""Frames for a way of the pointer."""

POINTER: Final = ((0, 0), (0, 17), (4, 13), (7, 19), (10, 18), (7, 12), (12, 12))


class Camera:
    """Films a page while it is used; the pointer, which screenshots do not have, is drawn."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Frame] = []
        self._at = (WIDTH - 60.0, HEIGHT - 130.0)

    def shoot(self, milliseconds: int) -> None:
        """Take a frame."""
        shot = self.page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT})
        image = image_of(shot)
        x, y = self._at
        arrow = [(x + right, y + down) for right, down in POINTER]
        ImageDraw.Draw(image).polygon(arrow, fill="black", outline="white")
        self.frames.append(Frame(image, milliseconds))

    def watch(self, seconds: float) -> None:
        """Film what happens by itself, as fast as it happens."""
        began = shown = monotonic()
        while shown - began < seconds:
            self.shoot(STEP)
            now = monotonic()
            self.frames[-1] = self.frames[-1]._replace(milliseconds=round(1000 * (now - shown)))
            shown = now

    def move_to(self, aim: Locator | tuple[float, float]) -> None:
        """Move the pointer to the middle of a part of the page, or to a place."""
        x, y = aim if isinstance(aim, tuple) else middle_of(aim)
        from_x, from_y = self._at
        for step in range(1, STEPS + 1):
            share = step / STEPS
            share = share * share * (3 - 2 * share)
            self._at = from_x + share * (x - from_x), from_y + share * (y - from_y)
            self.page.mouse.move(*self._at)
            self.shoot(STEP)

    def click(self, aim: Locator) -> None:
        """Go to a part of the page and click it."""
        self.move_to(aim)
        self.page.mouse.click(*self._at)

    def type(self, text: str) -> None:
        """Type into what has the focus, and press Enter after a look at it."""
        for letter in text:
            self.page.keyboard.type(letter)
            self.shoot(KEY)
        self.shoot(LOOK // 2)
        self.page.keyboard.press("Enter")


def image_of(png: bytes) -> Image.Image:
    """Return a screenshot as a picture."""
    return Image.open(BytesIO(png)).convert("RGB")


def middle_of(part: Locator) -> tuple[float, float]:
    """Return the place of the middle of a part of the page."""
    box: Any = part.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def begin(page: Page, address: str) -> None:
    """Open the playground with a lamp that has one state."""
    page.goto(f"{address}#program=new/guard.py")
    page.locator("#graph-pane .state.lit").wait_for(timeout=120_000)
    page.add_style_tag(content=LAYOUT)
    page.evaluate(f"Object.defineProperty(window, 'innerWidth', {{ get: () => {WIDTH} }})")
    page.locator("#code-text").fill(LAMP)
    page.locator("#code-text").press("Control+Enter")
    page.locator("#title", has_text="Lamp").wait_for()
    page.locator("#code-text").evaluate("area => area.blur()")
    page.wait_for_timeout(500)


def play(camera: Camera) -> None:
    """Draw a second state, two transitions and an action; then switch the lamp on."""
    page = camera.page

    def state(name: str) -> Locator:
        return page.locator(f'#graph-pane [data-state="{name}"]')

    def connect(source: str, event: str, target: str) -> None:
        camera.move_to(state(source))
        camera.move_to(page.locator(f"#Lamp__{source} .connect"))
        page.mouse.down()
        camera.move_to(state(target))
        page.mouse.up()
        form = page.locator("#transition-form")
        form.locator("[name=event]:focus").wait_for()
        camera.shoot(LOOK // 2)
        camera.type(event)
        form.wait_for(state="hidden")
        page.locator(f'#graph-pane .label[aria-label^="{event}, {source}"]').wait_for()
        camera.watch(LOOK / 1000)

    camera.shoot(LOOK)
    graph: Any = page.locator("#graph-pane").bounding_box()
    free = graph["x"] + graph["width"] / 2, graph["y"] + graph["height"] * 0.8
    camera.move_to(free)
    page.mouse.dblclick(*free)
    page.locator("#name-field input:focus").wait_for()
    camera.type("On")
    state("On").wait_for()
    camera.watch(LOOK / 1000)

    connect("Off", "PRESSED", "On")

    camera.click(state("On"))
    page.locator("#state-edits-add").wait_for()
    camera.shoot(STEP)
    camera.click(page.locator("#state-edits-add"))
    page.locator("#gallery-list li").nth(1).wait_for()
    camera.shoot(LOOK)
    for letter in "timed":
        page.keyboard.type(letter)
        camera.shoot(KEY)
    entry = page.locator("#gallery-list").get_by_text("TimedWait", exact=True)
    camera.click(entry)
    page.locator("#action-form [name=duration]:focus").wait_for()
    camera.shoot(LOOK // 2)
    camera.type("1.5")
    page.locator("#gallery").wait_for(state="hidden")
    camera.watch(LOOK / 1000)

    connect("On", "FINISHED", "Off")

    camera.click(page.locator('#graph-pane .label[aria-label^="PRESSED"]'))
    page.locator("#transition-menu-send").wait_for()
    camera.shoot(STEP)
    camera.click(page.locator("#transition-menu-send"))
    camera.watch(2.2)
    camera.shoot(LAST)


def main() -> None:
    """Make the film."""
    with playground() as address, chromium() as browser:
        page = browser.new_page(viewport={"width": WINDOW, "height": HEIGHT}, bypass_csp=True)
        camera = Camera(page)
        begin(page, address)
        play(camera)
    write_film(FILM, camera.frames, lossless=True)


if __name__ == "__main__":
    main()
