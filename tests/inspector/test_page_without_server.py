"""The inspector in a browser that runs Python itself: a folder of files, and nothing else."""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fsmkit.inspector.browser.folder import write_folder

pytestmark = pytest.mark.slow

GUARD = Path(__file__).parents[2] / "examples" / "guard.py"

CODE = """
from actions import TimedWait
from fsmkit import FINISHED, Fsm

def build():
    fsm = Fsm("Lamp", context={"light": 0.5}, on_unhandled="ignore")
    off, on, broken = map(fsm.add_state, ("Off", "On", "Broken"))
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", off)
    on.add_transition("HIT", broken)
    print("built", fsm.name)
    return fsm
"""

BUSY = 180_000  # milliseconds for Python to start on a computer with much else to do


def find_runtime() -> Path | None:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = Path(os.environ.get("FSMKIT_PYODIDE", cache / "fsmkit" / "node_modules"))
    return folder if (folder / "pyodide" / "pyodide.mjs").is_file() else None


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None: ...


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a folder that a plain file server serves."""
    runtime = find_runtime()
    if runtime is None:
        pytest.skip("no Pyodide: set FSMKIT_PYODIDE to a node_modules folder that has it")
    folder = tmp_path_factory.mktemp("site")
    write_folder(folder, GUARD, "build", runtime)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    serving = Thread(target=server.serve_forever)
    serving.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    serving.join()
    server.server_close()


@pytest.fixture(scope="module")
def opened(browser: Any, site: str) -> Iterator[Any]:
    """The page of the guard; what leaves its folder, and what it complains of, fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    strayed: list[str] = []

    def let_pass(route: Any) -> None:
        if route.request.url.startswith(site):
            route.continue_()
        else:
            strayed.append(route.request.url)
            route.abort()

    context.route(re.compile(""), let_pass)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None
    )
    page.goto(f"{site}guard.html")
    page.wait_for_selector("#graph-pane .state.lit", timeout=BUSY)
    yield page
    context.close()
    assert (strayed, complaints) == ([], [])


@pytest.fixture
def play(opened: Any) -> Callable[[str], Any]:
    """Put code into the page, and run it."""
    from playwright.sync_api import expect

    def put(code: str) -> Any:
        expect(opened.locator("#code-open")).to_be_visible()
        if opened.locator("#code").is_hidden():
            opened.locator("#code-open").click()
        opened.locator("#code-text").fill(code)
        opened.locator("#code-run").click()
        return opened

    return put


def lit(page: Any) -> Any:
    return page.locator("#graph-pane .state.lit")


def test_the_guard_is_drawn_runs_and_changes_its_state(opened: Any) -> None:
    from playwright.sync_api import expect

    expect(lit(opened)).to_have_attribute("data-state", "Patrol")
    expect(opened.locator("#actions")).to_contain_text("FollowWaypoints")
    opened.locator("#speed").fill("1")
    expect(lit(opened)).to_have_attribute("data-state", "Chase")
    expect(opened.locator("#log-list")).to_contain_text("SAW_PLAYER")
    opened.locator("#speed").fill("0")


def test_it_is_driven_as_any_other(play: Any) -> None:
    from playwright.sync_api import expect

    page = play(CODE)
    expect(page.locator("#title")).to_have_text("Lamp")
    expect(page.locator("#code-output")).to_have_text("built Lamp")
    page.locator("#code [aria-label='Close the code']").click()
    page.locator("#events").get_by_text("PRESSED").click()
    expect(lit(page)).to_have_attribute("data-state", "On")
    page.locator("#pause").click()
    expect(page.locator("#status-text")).to_have_text("Paused")
    before = page.locator("#clock").inner_text()
    page.locator("#step").click()
    expect(page.locator("#clock")).not_to_have_text(before)
    page.locator("#timeline-canvas").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#banner-text")).to_contain_text("As it was at")
    page.keyboard.press("Escape")
    with page.expect_download() as started:
        page.locator("#snapshot").click()
        page.locator("#snapshot-save").click()
    saved = started.value.path()
    assert started.value.suggested_filename == "Lamp.json"
    assert json.loads(saved.read_text())["machines"][0]["name"] == "Lamp"
    page.locator("#pause").click()
    page.locator("#events").get_by_text("HIT").click()
    expect(lit(page)).to_have_attribute("data-state", "Broken")
    page.locator("#snapshot-file").set_input_files(saved)
    expect(lit(page)).to_have_attribute("data-state", "On")
    with page.expect_download() as started:
        page.locator("#recording").click()
    assert started.value.suggested_filename == "Lamp.jsonl"


def test_a_breakpoint_holds_the_machine_in_the_middle_of_the_change(play: Any) -> None:
    from playwright.sync_api import expect

    page = play(CODE)
    page.locator("#code [aria-label='Close the code']").click()
    expect(lit(page)).to_have_attribute("data-state", "Off")
    page.locator('#graph-pane [data-state="On"]').click()
    page.locator("#state-menu-break").click()
    page.locator("#events").get_by_text("PRESSED").click()
    expect(page.locator("#banner-text")).to_contain_text("Off → On")
    expect(lit(page)).to_have_attribute("data-state", "Off")
    page.locator("#banner-resume").click()
    expect(lit(page)).to_have_attribute("data-state", "On")
    page.locator("#events").get_by_text("PRESSED").click()
    expect(lit(page)).to_have_attribute("data-state", "Off")
    page.locator("#events").get_by_text("PRESSED").click()
    expect(page.locator("#banner-text")).to_contain_text("Off → On")
    play(CODE.replace("Lamp", "Lantern"))  # also while the other is held
    expect(page.locator("#title")).to_have_text("Lantern")
    expect(page.locator("#banner")).to_be_hidden()


def test_failing_code_is_reported_and_what_ran_continues(play: Any) -> None:
    from playwright.sync_api import expect

    page = play(CODE)
    expect(page.locator("#title")).to_have_text("Lamp")
    play(CODE.replace("def build", "def bild"))
    expect(page.locator("#code-output")).to_have_text(
        "TypeError: guard.py needs a function 'build' that returns the machine."
    )
    play(CODE.replace("return fsm", "return 1 / 0"))
    output = page.locator("#code-output")
    expect(output).to_contain_text('File "guard.py", line 12, in build')
    expect(output).to_contain_text("ZeroDivisionError")
    expect(output).not_to_contain_text("game.py")
    expect(page.locator("#status-text")).to_have_text("Running")


@pytest.mark.long
def test_code_that_never_ends_is_stopped(play: Any) -> None:
    from playwright.sync_api import expect

    page = play(CODE.replace("return fsm", "while True: pass"))
    expect(page.locator("#code-output")).to_contain_text(
        "The code does not come to an end. It was stopped.", timeout=BUSY
    )
    play(CODE.replace("Lamp", "Torch"))
    expect(page.locator("#title")).to_have_text("Torch")


def test_axe_has_nothing_to_say_of_the_page_and_its_code(
    browser: Any, site: str, axe_looks: Any
) -> None:
    context = browser.new_context(bypass_csp=True)  # axe tries out styles
    page = context.new_page()
    page.goto(f"{site}guard.html")
    page.wait_for_selector("#graph-pane .state.lit", timeout=BUSY)
    page.locator("#code-open").click()
    page.locator("#code-text").fill("1 / 0")
    page.locator("#code-run").click()
    page.wait_for_selector("#code-output .to-line")
    axe_looks(page, "code with an error", ("graph",))
    context.close()
