"""The playground: programs that run in the browser, on its page and next to their code."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any
from zlib import compressobj

import pytest

pytest.importorskip("sphinx")

from making.browser import FOLDER, find_runtime
from making.runnable import FIRST, every_program, program, programs, why_not

from fsmkit.inspector.browser.folder import write_playground

STARTS = 180_000  # milliseconds, for Python on a computer with much else to do

slow = pytest.mark.slow
long = pytest.mark.long


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None: ...


@pytest.fixture(scope="module")
def served() -> Iterator[Callable[[Path], str]]:
    """Serves folders; gives the address of each."""
    servers: list[tuple[ThreadingHTTPServer, Thread]] = []

    def serve(folder: Path) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
        serving = Thread(target=server.serve_forever)
        serving.start()
        servers.append((server, serving))
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    for server, serving in servers:
        server.shutdown()
        serving.join()
        server.server_close()


@pytest.fixture(scope="module")
def runtime() -> Path:
    if not (folder := find_runtime()):
        pytest.skip("no Pyodide: set FSMKIT_PYODIDE to a node_modules folder that has it")
    return Path(folder)


@pytest.fixture(scope="module")
def site(
    runtime: Path, served: Callable[[Path], str], tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The address of the playground."""
    folder = tmp_path_factory.mktemp("site")
    write_playground(folder, programs(), runtime)
    return served(folder)


class Guarded:
    """A page that may load nothing from elsewhere, and whose complaints are kept."""

    def __init__(self, browser: Any, site: str, **options: Any) -> None:
        self.site = site
        self.strayed: list[str] = []
        self.complaints: list[str] = []
        self.context = browser.new_context(
            **{"viewport": {"width": 1400, "height": 900}, **options}
        )
        self.context.route(re.compile(""), self._let_pass)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)

    def end(self) -> None:
        self.context.close()
        assert (self.strayed, self.complaints) == ([], [])

    def _let_pass(self, route: Any) -> None:
        if route.request.url.startswith(self.site):
            route.continue_()
        else:
            self.strayed.append(route.request.url)
            route.abort()

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture(scope="module")
def page(browser: Any, site: str) -> Iterator[Any]:
    """The playground, in which Python has started."""
    guarded = Guarded(browser, site)
    guarded.page.goto(f"{site}index.html")
    guarded.page.wait_for_selector("#graph-pane .state.lit", timeout=STARTS)
    yield guarded.page
    guarded.end()


def run(page: Any, code: str) -> None:
    if page.locator("#code").is_hidden():
        page.locator("#code-open").click()
    page.locator("#code-text").fill(code)
    page.locator("#code-text").press("Control+Enter")


def expect(locator: Any) -> Any:
    from playwright.sync_api import expect

    return expect(locator, f"{locator}")


# Which programs run

REASONS = {
    "import pygame": "it needs pygame",
    "def main():\n    from numba import njit": "it needs numba",
    "from fsmkit.crowd import Crowd": "it is compiled with numba (fsmkit.crowd)",
    "from fsmkit import crowd": "it is compiled with numba (fsmkit.crowd)",
    "import fsmkit.engines.pygame": "it needs an engine (fsmkit.engines.pygame)",
    "from threading import Thread": "it starts a thread (threading)",
    "import socket": "it opens a socket (socket)",
    "import json, random\nfrom actions import Move\nfrom fsmkit.goap import Goal": "",
    "from . import neighbours": "",
    "": "",
}


@pytest.mark.parametrize("source", REASONS)
def test_what_a_program_imports_decides_whether_it_runs(source: str) -> None:
    assert why_not(source) == REASONS[source]


@pytest.mark.slow
def test_most_examples_run_and_the_first_is_first() -> None:
    files = [each.file for each in programs()]
    assert files[0] == FIRST
    assert {"examples/guard.py", "examples/town.py", "examples/dock.py"} <= {*files}
    left_out = [each.stem for each in every_program() if program(each).file not in files]
    assert {"boids", "stadium", "with_qt"} <= {*left_out}


def often_enough(files: list[str]) -> list[Any]:
    """Mark them so that a few run often, and all of them before a release."""
    return [pytest.param(file, marks=long if i % 6 else slow) for i, file in enumerate(files)]


@pytest.mark.parametrize("file", often_enough([each.file for each in programs()]))
def test_every_program_that_is_offered_runs(page: Any, site: str, file: str) -> None:
    page.goto(f"{site}index.html#program={file}")
    page.wait_for_selector("#graph-pane .state.lit")
    expect(page.locator("#status-text")).to_have_text("Running")
    page.locator("#speed").fill("1")
    page.wait_for_timeout(500)
    expect(page.locator("#status-text")).not_to_contain_text("error")
    assert "Traceback" not in page.locator("#code-output").inner_text()
    run(page, "# nothing")
    expect(page.locator("#stage")).to_contain_text("made no machine")


# What goes wrong

LAMP = """
from fsmkit import Fsm, FsmAction

class Fuse(FsmAction):
    def on_update(self):
        raise RuntimeError("blown")

class Loop(FsmAction):
    def on_enter(self):
        while True: pass

lamp = Fsm("Lamp", on_unhandled="ignore")
off, on, dead = map(lamp.add_state, ("Off", "On", "Dead"))
lamp.add_global_transition("PRESSED", on)
lamp.add_global_transition("BLOW", dead)
"""


numbers = count(1)


def run_lamp(page: Any, code: str = "", lamp: str = LAMP) -> None:
    """Run a lamp and what else is in `code`; return when it is shown, by a name of its own."""
    name = f"Lamp {next(numbers)}"
    run(page, lamp.replace('"Lamp"', f'"{name}"') + code)
    expect(page.locator("#title")).to_have_text(name, timeout=STARTS)


def break_lamp(page: Any, lamp: str = LAMP, *, by: str) -> None:
    """Run a lamp and send the event that leads it to the action `by`."""
    run_lamp(page, f"dead.add_action({by}())\n", lamp)
    page.locator("#events").get_by_text("BLOW").click()


def lamp_shown(page: Any) -> None:
    """Show that the page still works."""
    run_lamp(page)
    page.locator("#events").get_by_text("PRESSED").click()
    expect(page.locator("#graph-pane .state.lit")).to_have_attribute("data-state", "On")


WRONG = {
    "empty": ("", "There is no code to run."),
    "blank": (" \n\n", "There is no code to run."),
    "syntax": ("x = 1\ndef broken(:\n", "SyntaxError"),
    "requests": ("import requests", "ModuleNotFoundError: No module named 'requests'"),
    "thread": (
        "import threading\nthreading.Thread(target=print).start()",
        "can't start new thread",
    ),
    "exit": ("raise SystemExit('over')", "SystemExit: over"),
    "input": ("input('Name? ')", "EOFError"),
    "the end of Python": ("import os\nos._exit(1)", "The code has ended Python"),
    "recursion": ("def f(): f()\nf()", "RecursionError"),
    "machine": ("from fsmkit import Fsm\nfsm = Fsm('Empty')", "no state"),
}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=long if "end of" in what else slow) for what in WRONG]
)
def test_a_mistake_is_shown_and_the_user_can_continue(page: Any, what: str) -> None:
    code, told = WRONG[what]
    run(page, code)
    expect(page.locator("#code-output")).to_contain_text(told)
    lamp_shown(page)


@slow
def test_an_error_is_shown_with_its_line(page: Any) -> None:
    run(page, "x = 1\n" * 200 + "y = 1 / 0\n" + "x = 1\n" * 200)
    expect(page.locator("#code-output")).to_contain_text("ZeroDivisionError")
    expect(page.locator("#code-output")).not_to_contain_text("game.py")
    page.locator("#code-output .to-line").get_by_text("Show line 201").click()
    selected = page.evaluate("getSelection().toString()")
    assert selected == "y = 1 / 0"
    stripe, text = (page.locator(each).bounding_box() for each in ("#code-stripe", "#code-text"))
    assert text["y"] < stripe["y"] < text["y"] + text["height"] - stripe["height"]


@slow
@pytest.mark.parametrize("callback", ["on_update", "on_enter"])
@pytest.mark.parametrize("error", ["RuntimeError", "__import__('time').sleep(0.1) or RuntimeError"])
def test_an_error_of_the_machine_is_shown_with_its_line(
    page: Any, callback: str, error: str
) -> None:
    broken = LAMP.replace("on_update", callback).replace("RuntimeError", error)
    break_lamp(page, broken, by="Fuse")
    expect(page.locator("#code-output")).to_contain_text("RuntimeError: blown")
    expect(page.locator("#code-output .to-line")).to_have_text("Show line 6")
    lamp_shown(page)


def stop(page: Any) -> None:
    page.locator("#code-stop").click()
    expect(page.locator("#stage")).to_contain_text("The program was stopped.")


@slow
def test_a_loop_of_the_machine_is_stopped_by_the_button(page: Any) -> None:
    break_lamp(page, by="Loop")
    stop(page)
    lamp_shown(page)


@long
def test_a_loop_of_the_program_is_stopped_by_the_button(page: Any) -> None:
    run(page, "while True: pass")
    stop(page)
    lamp_shown(page)


@long
def test_a_loop_is_stopped_after_a_while(page: Any) -> None:
    told = "The code does not come to an end. It was stopped."
    break_lamp(page, by="Loop")
    expect(page.locator("#code-output")).to_contain_text(told, timeout=STARTS)
    run(page, "while True: pass")
    expect(page.locator("#code-output")).to_contain_text(told, timeout=STARTS)
    lamp_shown(page)


@slow
def test_ten_thousand_lines_are_cut(page: Any) -> None:
    run(page, "for i in range(10_000): print('line', i)")
    output = page.locator("#code-output")
    expect(output).to_contain_text("line 9999")
    expect(output).to_contain_text("9,000 earlier lines left out.")
    assert output.inner_text().count("line ") == 1_000
    lamp_shown(page)


@slow
def test_a_machine_that_ends_python_is_reported(page: Any) -> None:
    break_lamp(page, "import os\n" + LAMP.replace("while True: pass", "os._exit(1)"), by="Loop")
    expect(page.locator("#code-output")).to_contain_text("The code has ended Python")
    lamp_shown(page)


@long
def test_changed_code_outlasts_a_reload(browser: Any, site: str) -> None:
    other = Guarded(browser, site)
    area, reset = other.page.locator("#code-text"), other.page.locator("#code-reset")
    for asked, changed in (("program=examples/gun.py", "gun = 1"), ("code=pMSArIDE", "link = 1")):
        other.page.goto("about:blank")
        other.page.goto(f"{site}index.html#{asked}")
        expect(area).not_to_have_value("")
        given = area.input_value()
        area.fill(changed)
        other.page.reload()
        expect(area).to_have_value(changed)
        reset.click()
        expect(area).to_have_value(given)
        other.page.reload()
        expect(area).to_have_value(given)
        area.fill(changed)
    other.page.goto(f"{site}index.html#code=pMSArIDI")
    expect(area).to_have_value("1 + 2")
    other.page.goto(f"{site}index.html#program=examples/gun.py")
    expect(area).to_have_value("gun = 1")
    other.end()


@slow
def test_the_program_that_was_chosen_last_is_shown(browser: Any, site: str) -> None:
    other = Guarded(browser, site)
    other.page.goto(f"{site}index.html#code=pMSArIDE")
    expect(other.page.locator("#code-text")).to_have_value("1 + 1")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    other.context.route(re.compile("programs/examples/gun.py"), hold)
    chosen = other.page.locator("#program")
    chosen.select_option("examples/gun.py")
    chosen.select_option("examples/door.py")
    expect(other.page.locator("#code-text")).to_have_value(re.compile("door"))
    held[0].continue_()
    other.page.wait_for_timeout(500)
    expect(chosen).to_have_value("examples/door.py")
    expect(other.page.locator("#code-text")).to_have_value(re.compile("door"))
    other.end()


@slow
def test_two_machines_of_a_script_are_a_group(page: Any) -> None:
    run(page, LAMP + "desk = Fsm('Desk')\ndesk.add_state('Up')\n")
    expect(page.locator("#machines-list")).to_contain_text("Lamp")
    expect(page.locator("#machines-list")).to_contain_text("Desk")


@slow
def test_a_program_that_is_run_again_goes_on_where_it_was_and_another_one_does_not(
    page: Any,
) -> None:
    before = page.locator("#log-list .row.before", has_text="PRESSED")
    toast = page.locator(".toast")
    run(page, LAMP)
    expect(page.locator("#title")).to_have_text("Lamp", timeout=STARTS)
    page.locator("#events").get_by_text("PRESSED").click()
    expect(page.locator("#graph-pane .state.lit")).to_have_attribute("data-state", "On")
    page.locator('#events [data-event="BLOW"] .stop').click()
    expect(page.locator("#breakpoints li")).to_have_count(1)
    run(page, LAMP.replace("blown", "broken"))
    expect(toast.last).to_have_text("Started again.×")
    expect(before).to_have_count(1)
    expect(page.locator("#log-list .row", has_text="started again").last).to_be_visible()
    expect(page.locator("#breakpoints li")).to_have_count(1)
    toast.last.get_by_role("button").click()
    page.locator("#program").select_option("examples/door.py")
    expect(page.locator("#title")).to_have_text("Door", timeout=STARTS)
    expect(page.locator("#log-list .row").first).to_be_visible()
    expect(before).to_have_count(0)
    expect(page.locator("#breakpoints li")).to_have_count(0)
    expect(toast).to_have_count(0)


# Edits on the graph

DOOR = '''"""A door that closes by itself."""

from fsmkit import Fsm


def build():
    fsm = Fsm("Door")
    closed = fsm.add_state("Closed")
    return fsm
'''


def state(page: Any, name: str) -> Any:
    return page.locator(f'#graph-pane [data-state="{name}"]')


def add_state(page: Any, name: str) -> None:
    page.locator("#graph-pane").press("N")
    expect(page.locator("#name-field")).to_be_visible()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(state(page, name)).to_be_focused()


def choose_timed_wait(page: Any, duration: str) -> None:
    """Add the action to the state whose menu is open."""
    page.locator("#state-edits-add").click()
    page.locator("#gallery-search").fill("TimedWait")
    page.locator("#gallery-list").get_by_text("TimedWait", exact=True).click()
    page.locator("#action-form [name=duration]").fill(duration)
    page.keyboard.press("Enter")
    expect(page.locator("#gallery")).to_be_hidden()


def run_door(page: Any) -> Any:
    """Run a door with one state; return its code."""
    run(page, DOOR)
    expect(page.locator("#title")).to_have_text("Door", timeout=STARTS)
    expect(page.locator("#graph-pane .node[data-state]")).to_have_count(1)
    expect(state(page, "Closed")).to_have_class(re.compile(r"\blit\b"))
    return page.locator("#code-text")


@slow
def test_a_door_is_built_on_the_graph_and_its_code_reads_as_if_written_by_hand(page: Any) -> None:
    code = run_door(page)
    for name in "Opening", "Ajar":
        add_state(page, name)
    form = page.locator("#transition-form")
    for source, event, target in (
        ("Closed", "OPEN", "Opening"), ("Opening", "CLOSE", "Closed"), ("Opening", "STOP", "Ajar"),
    ):  # fmt: skip
        state(page, source).press("Enter")
        page.locator("#state-edits-transition").click()
        form.locator("[name=event]").fill(event)
        form.locator("[name=target]").select_option(target)
        page.locator("#transition-form-do").click()
        expect(form).to_be_hidden()
        expect(state(page, source)).to_be_focused()
    state(page, "Ajar").press("Enter")
    choose_timed_wait(page, "3.0")
    expect(state(page, "Ajar")).to_be_focused()
    door = DOOR.replace("from fsmkit", "from actions import TimedWait\nfrom fsmkit", 1)
    lines = """\
    closed = fsm.add_state("Closed")
    opening = fsm.add_state("Opening")
    ajar = fsm.add_state("Ajar")
    ajar.add_action(TimedWait(3.0))
    closed.add_transition("OPEN", opening)
    opening.add_transition("CLOSE", closed)
    opening.add_transition("STOP", ajar)
"""
    assert code.input_value() == door.replace('    closed = fsm.add_state("Closed")\n', lines)


@slow
def test_an_edit_is_marked_in_the_code_and_undone_there_or_on_the_graph(page: Any) -> None:
    code = run_door(page)
    add_state(page, "Opening")
    opening = code.input_value()
    assert 'opening = fsm.add_state("Opening")' in opening
    expect(page.locator("#code-changed")).to_be_visible()
    add_state(page, "Open")
    page.locator("#edit-report-undo").click()
    expect(state(page, "Open")).to_have_count(0)
    assert code.input_value() == opening
    run_door(page)
    for name in "Opening", "Open":
        add_state(page, name)
    code.press("Control+z")
    assert code.input_value() == opening
    code.press("Control+z")
    assert code.input_value() == DOOR
    page.locator("#graph-pane").press("N")
    page.keyboard.type("Locked")
    page.keyboard.press("Enter")
    expect(page.locator("#name-field-problem")).to_contain_text("has changed since it was run")
    page.keyboard.press("Escape")
    assert code.input_value() == DOOR


@slow
def test_a_line_that_stands_in_the_way_is_shown_in_the_code(page: Any) -> None:
    run(page, DOOR.replace('closed = fsm.add_state("Closed")', LOOPED))
    expect(page.locator("#title")).to_have_text("Door", timeout=STARTS)
    expect(state(page, "Ajar")).to_be_visible()
    state(page, "Ajar").click()
    expect(page.locator("#state-edits-rename")).to_be_disabled()
    page.locator("#state-edits-why .code-line").first.click()
    assert "for name in" in page.evaluate("getSelection().toString()")


def begin_new_machine(page: Any) -> None:
    before, code = page.locator("#program").input_value(), page.locator("#code-text")
    shown = code.input_value()
    page.locator("#program").select_option("new/guard.py")
    if before != "new/guard.py":
        expect(code).not_to_have_value(shown)
    if page.locator("#code-reset").is_enabled():
        page.locator("#code-reset").click()
        page.locator("#code-run").click()
    expect(page.locator("#title")).to_have_text("Guard", timeout=STARTS)
    expect(state(page, "Alarm")).to_have_count(0)


@slow
def test_the_tutorial_builds_an_alarm_as_it_says(page: Any) -> None:
    from making.places import DOCS

    begin_new_machine(page)
    expect(state(page, "Patrol")).to_be_visible()
    add_state(page, "Alarm")
    state(page, "Alarm").click()
    choose_timed_wait(page, "1.5")
    state(page, "Alarm").hover()
    page.locator("#Guard__Alarm .connect").hover()
    page.mouse.down()
    state(page, "Patrol").hover()
    page.mouse.up()
    form = page.locator("#transition-form")
    expect(form.locator("[name=event]")).to_be_focused()
    page.keyboard.type("FINISHED")
    page.keyboard.press("Enter")
    expect(form).to_be_hidden()
    state(page, "Alarm").click()
    page.locator("#state-edits-transition").click()
    form.locator("[name=source]").select_option("any state")
    form.locator("[name=event]").fill("BELL")
    form.locator("[name=target]").select_option("Alarm")
    page.locator("#transition-form-do").click()
    expect(form).to_be_hidden()
    tutorial = (DOCS / "tutorial.md").read_text("utf-8")
    written = re.split(r"each\s+line\s+in\s+its\s+place:", tutorial)[1].split("```")[1]
    lines = written.strip().splitlines()[1:]
    code = {each.strip() for each in page.locator("#code-text").input_value().splitlines()}
    assert [line for line in lines if line not in code] == []
    page.locator("#events").get_by_text("BELL").click()
    expect(page.locator("#state-name")).to_have_text("Alarm")


LOOPED = 'closed, ajar = (fsm.add_state(name.title()) for name in ("closed", "ajar"))'


@slow
def test_a_new_machine_begins_with_what_the_command_writes_and_is_downloaded_with_its_test(
    page: Any, tmp_path: Path
) -> None:
    from fsmkit.cli.new import starting_texts

    begin_new_machine(page)
    downloads: list[Any] = []

    def keep(download: Any) -> None:
        downloads.append(download)

    page.on("download", keep)
    page.locator("#code-download").click()
    while len(downloads) < 2:
        page.wait_for_timeout(20)
    texts = {path.name: text for path, text in starting_texts(tmp_path / "guard.py")}
    got = {each.suggested_filename: each.path().read_text("utf-8") for each in downloads}
    assert got == texts


# Links

CODE = "# Grüße, 状態機械 🚦\n" + 5 * LAMP


@slow
def test_a_link_holds_the_code_and_does_not_run_it(page: Any, browser: Any, site: str) -> None:
    page.locator("#code-text").fill(CODE)
    page.locator("#code-link").click()
    address = re.compile(rf"^{re.escape(site)}index\.html#code=d[\w-]+$")
    expect(page.locator("#link-address")).to_have_value(address)
    link = page.locator("#link-address").input_value()
    page.keyboard.press("Escape")
    assert len(link) < len(CODE)
    other = Guarded(browser, site)
    other.page.goto(link)
    expect(other.page.locator("#stage")).to_contain_text("anybody can write such a link")
    assert other.page.locator("#code-text").input_value() == CODE
    other.page.wait_for_timeout(1_000)
    expect(other.page.locator("#code-output")).to_be_hidden()
    other.page.locator("#stage").get_by_text("Run", exact=True).click()
    expect(other.page.locator("#title")).to_have_text("Lamp", timeout=STARTS)
    other.page.locator("#code-text").fill("x")
    other.page.locator("#code-reset").click()
    assert other.page.locator("#code-text").input_value() == CODE
    other.end()


@slow
def test_a_browser_that_cannot_compress_links_plain_code(browser: Any, site: str) -> None:
    other = Guarded(browser, site)
    other.context.add_init_script("delete window.CompressionStream")
    other.page.goto(f"{site}index.html#code=pMSArIDE")
    expect(other.page.locator("#stage")).to_contain_text("anybody")
    assert other.page.locator("#code-text").input_value() == "1 + 1"
    other.page.locator("#code-link").click()
    expect(other.page.locator("#link-address")).to_have_value(f"{site}index.html#code=pMSArIDE")
    other.end()


def bomb() -> str:
    """Return a short link to 50 megabytes."""
    deflate = compressobj(9, wbits=-15)
    content = deflate.compress(b"#" * 50_000_000) + deflate.flush()
    return "d" + urlsafe_b64encode(content).decode().rstrip("=")


@slow
def test_links_with_garbage_are_refused(page: Any, site: str) -> None:
    garbage = dict.fromkeys(("", "d", "d!!!", "dAAAA", "p_w", "xMSArIDE"), "is damaged")
    for packed, told in (garbage | {bomb(): "is too long"}).items():
        page.goto("about:blank")
        page.goto(f"{site}index.html#code={packed}")
        expect(page.locator("#stage")).to_contain_text(told)
        expect(page.locator("#program")).to_have_value(FIRST)
    lamp_shown(page)


@slow
def test_a_missing_program_is_reported(page: Any, site: str) -> None:
    page.goto(f"{site}index.html#program=examples/none.py")
    expect(page.locator("#code-note")).to_contain_text("no program examples/none.py")
    lamp_shown(page)


# The page

FETCH = """
from js import XMLHttpRequest
request = XMLHttpRequest.new()
request.open("GET", "ADDRESS", False)
request.send()
print("loaded", request.status)
"""


@slow
def test_a_program_loads_nothing_from_elsewhere(browser: Any, site: str, tmp_path: Path) -> None:
    asked: list[str] = []

    class Elsewhere(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    serving = Thread(target=server.serve_forever)
    serving.start()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site}index.html#code=pMQ")
    run(page, FETCH.replace("ADDRESS", f"http://127.0.0.1:{server.server_port}/x"))
    expect(page.locator("#code-output")).to_contain_text("NetworkError", timeout=STARTS)
    run(page, FETCH.replace("ADDRESS", f"{site}programs.json"))
    expect(page.locator("#code-output")).to_contain_text("loaded 200")
    context.close()
    server.shutdown()
    serving.join()
    server.server_close()
    assert asked == []


COLOURED = """\
@frozen
class Door:  # it is "open"
    text = f"it's {1}"
    '''long
    text'''
    match = 0x1F
"""


def letters(page: Any) -> str:
    """Return the letters that are seen."""
    return page.locator("#code-colours").evaluate("part => part.textContent")


@slow
def test_the_code_has_colours_that_follow_what_is_typed(page: Any) -> None:
    area = page.locator("#code-text")
    area.fill(COLOURED)
    spans = "spans => spans.map(({ className, textContent }) => [className, textContent])"
    assert page.locator("#code-colours span").evaluate_all(spans) == [
        ["decorator", "@frozen"], ["word", "class"], ["comment", '# it is "open"'],
        ["text", "f\"it's {1}\""], ["text", "'''long\n    text'''"], ["value", "0x1F"],
    ]  # fmt: skip
    page.evaluate("document.getElementById('code-text').setSelectionRange(8, 8)")
    page.keyboard.type("if None: '")
    assert letters(page) == area.input_value() == COLOURED[:8] + "if None: '" + COLOURED[8:]
    for _ in range(10):
        page.keyboard.press("Control+z")
    assert letters(page) == area.input_value()
    assert page.locator("#code-colours .text").first.inner_text() == 'f"it\'s {1}"'


@slow
def test_the_colours_lie_where_the_letters_are_typed_and_scroll_with_them(page: Any) -> None:
    colours, area = page.locator("#code-colours"), page.locator("#code-text")
    area.fill("\n".join(f"\tx {'x ' * line}" for line in range(200)))
    area.evaluate("area => area.scrollTo(300, 500)")
    expect(page.locator("#code-colours pre")).to_have_css("translate", "-300px -500px")
    clip = colours.bounding_box()
    coloured = page.screenshot(clip=clip)
    colours.evaluate("part => part.hidden = true")
    area.evaluate("({ style }) => style.webkitTextFillColor = 'currentcolor'")
    typed = page.screenshot(clip=clip)
    colours.evaluate("part => part.hidden = false")
    area.evaluate("({ style }) => style.webkitTextFillColor = ''")
    assert coloured == typed


@slow
def test_the_keyboard_suffices(page: Any) -> None:
    area = page.locator("#code-text")
    area.fill("")
    area.press_sequentially("if 1:")
    for key in ("Enter", "a", "Enter", "Tab", "b", "Shift+Tab"):
        page.keyboard.press(key)
    assert area.input_value() == "if 1:\n    a\n    b"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "code-run"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"


@long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_on_a_phone(browser: Any, site: str, scheme: str) -> None:
    phone = Guarded(browser, site, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page = phone.page
    page.goto(f"{site}index.html")
    page.wait_for_selector("#graph-pane .state.lit", timeout=STARTS)
    page.locator("#code-tab").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for each in ("#program", "#code-run", "#code-stop", "#code-reset", "#code-link"):
        box = page.locator(each).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    page.locator("#code-text").fill(LAMP)
    page.locator("#code-run").click()
    expect(page.locator("#code")).to_be_hidden()
    expect(page.locator("#title")).to_have_text("Lamp")
    page.locator("#tabs [data-tab=now]").click()
    page.locator("#events").get_by_text("PRESSED").click()
    expect(page.locator("#state-name")).to_have_text("On")
    phone.end()


# The pages of the documentation

CONF = """
import sys
sys.path.insert(0, {docs!r})
extensions = ["myst_parser", "making.browser"]
html_theme = "furo"
html_static_path = [{static!r}]
"""

PAGE = """
# A page

<!-- from: examples/guard.py -->

```py
guard
```

It prints:

```text
guard
```

<!-- from: examples/boids.py -->

```py
boids
```

<!-- made: example gun -->

## The gun

![a picture](gun.svg)

```py
gun
```

<!-- end -->

<!-- made: code examples/door.py build -->

```py
door
```

<!-- end -->

```py
anything
```

<!-- playground -->

A picture of it.

<!-- end -->

After it.
"""


def build(folder: Path) -> str:
    """Build a site of one page; give its HTML."""
    from making.places import DOCS
    from sphinx.application import Sphinx

    source = folder / "source"
    (source / "static/diagrams").mkdir(parents=True)
    (source / "gun.svg").write_text("<svg/>")
    graphs = (f"diagrams/first_guard_actions{mark}.svg" for mark in ("", "_dark"))
    for name in ("run_here.js", "run_here.css", *graphs):
        (source / "static" / name).write_bytes((DOCS / "_static" / name).read_bytes())
    conf = CONF.format(docs=str(DOCS), static="static")
    (source / "conf.py").write_text(conf)
    (source / "index.md").write_text(PAGE)
    site = folder / "site"
    app = Sphinx(source, source, site, folder / "trees", "html", status=None, warningiserror=True)
    app.build()
    return (site / "index.html").read_text("utf-8")


PLACE = re.compile(r'<div class="([\w-]+)" data-program="([^"]+)"></div>')


@pytest.mark.slow
def test_programs_that_run_get_a_place_for_a_button(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node_modules = tmp_path / "node_modules"
    from fsmkit.inspector.browser.folder import PYODIDE

    for name in PYODIDE:
        (node_modules / "pyodide" / name).parent.mkdir(parents=True, exist_ok=True)
        (node_modules / "pyodide" / name).write_text(name)
    monkeypatch.setenv("FSMKIT_PYODIDE", str(node_modules))
    text = build(tmp_path)
    assert PLACE.findall(text) == [
        ("run-here", "examples/guard.py"), ("run-here", "examples/gun.py"),
        ("run-here", "examples/door.py"), ("play-here", FIRST),
    ]  # fmt: skip
    assert "A picture of it." not in text
    assert "After it." in text
    assert "<noscript>" in text
    assert "run_here.js" in text
    assert (tmp_path / "site" / FOLDER / "programs" / "examples" / "guard.py").is_file()


@pytest.mark.slow
def test_without_python_for_browsers_there_are_pages_without_buttons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSMKIT_PYODIDE", str(tmp_path))
    text = build(tmp_path)
    assert PLACE.findall(text) == []
    assert "A picture of it." in text
    assert not (tmp_path / "site" / FOLDER).exists()


@slow
def test_a_button_opens_the_playground_with_the_program(
    browser: Any, runtime: Path, served: Callable[[Path], str], tmp_path: Path
) -> None:
    build(tmp_path)
    guarded = Guarded(browser, served(tmp_path / "site"))
    page = guarded.page
    page.goto(f"{guarded.site}index.html")
    page.locator(".run-here button").nth(1).click()
    frame = page.frame_locator(".run-here iframe")
    expect(frame.locator("#title")).to_have_text("Gun", timeout=STARTS)
    expect(frame.locator("#graph-pane .state.lit")).to_be_visible()
    address = f"{guarded.site}play/index.html#program=examples/gun.py"
    assert page.locator(".run-here a").nth(1).get_attribute("href") == address
    page.evaluate("document.body.dataset.theme = 'dark'")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Close it").click()
    expect(page.locator(".run-here iframe")).to_have_count(0)
    guarded.end()


@slow
def test_on_a_phone_the_playground_is_a_picture_until_the_reader_wants_to_run_it(
    browser: Any, runtime: Path, served: Callable[[Path], str], tmp_path: Path
) -> None:
    build(tmp_path)
    phone = Guarded(browser, served(tmp_path / "site"), viewport={"width": 390, "height": 844})
    page = phone.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{phone.site}index.html")
    place = page.locator(".play-here")
    place.scroll_into_view_if_needed()
    expect(place.locator("img.only-light")).to_have_js_property("complete", value=True)
    height = place.bounding_box()["height"]
    assert [url for url in asked if "/play/" in url] == []
    place.get_by_role("button", name="Run it here").click()
    frame = page.frame_locator(".play-here iframe")
    expect(frame.locator("#graph-pane .state.lit")).to_have_attribute(
        "data-state", "Patrol", timeout=STARTS
    )
    assert place.bounding_box()["height"] == height
    phone.end()
