"""Editing the code on the page: states, transitions and actions, by pointer and by keys."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsmkit import FsmGroup
from fsmkit.editing import Editor
from fsmkit.introspection.definition_sites import noting_places
from fsmkit.reloading import Origin, Reloader

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

CODE = '''"""A lamp."""

from actions import TimedWait
from fsmkit import FINISHED, Fsm

GLOW = 1000.0


def build():
    lamp = Fsm("Lamp", on_unhandled="ignore")
    off = lamp.add_state("Off")
    on = lamp.add_state("On")
    dim, dark = (lamp.add_state(name) for name in ("Dim", "Dark"))

    on.add_action(TimedWait(500.0))
    on.add_action(TimedWait(duration=GLOW, finish_event="COOLED"))
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", off)  # again
    on.add_transition(FINISHED, dim)
    dim.add_transition("PRESSED", dark)
    return lamp
'''


class Edited:
    """A program in a file, which a page shows and edits; it goes on with the new code."""

    def __init__(self, show: Callable[..., Any], folder: Path, code: str = CODE) -> None:
        self.file = folder / f"lamp_{id(self)}.py"
        self.file.write_text(code, "utf-8")
        name = self.file.stem
        spec = importlib.util.spec_from_file_location(name, self.file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(folder))
        with noting_places() as places:
            spec.loader.exec_module(module)
            self.group = FsmGroup([module.build()])
        self.group.start()
        self._reloader, self._origin = Reloader(lambda _: None), Origin(name, "build")
        editing = Editor(module.build, folder)
        self.stage = show(self.group, self._update, places=places, editing=editing)
        self.page = self.stage.page
        self.page.set_viewport_size({"width": 1400, "height": 900})
        expect(self.page.locator("#graph-pane .state.lit")).to_have_count(1)

    def _update(self, dt: float) -> None:
        before = [*self.group]
        self._reloader.reloaded_from(self._origin, self.group)
        if [*self.group] != before:
            self.stage.inspector.note_exchange("the code has changed")
        self.group.update(dt)

    def expect_line(self, line: str) -> None:
        """Wait until the file has this line."""
        for _ in range(400):
            if line in self.file.read_text("utf-8").splitlines():
                return
            self.page.wait_for_timeout(50)
        assert line in self.file.read_text("utf-8").splitlines()

    def expect_text(self, text: str) -> None:
        """Wait until the file is this."""
        for _ in range(400):
            if self.file.read_text("utf-8") == text:
                return
            self.page.wait_for_timeout(50)
        assert self.file.read_text("utf-8") == text

    def state(self, name: str) -> Any:
        return self.page.locator(f'#graph-pane [data-state="{name}"]')

    def arrow(self, words: str) -> Any:
        return self.page.locator(f'#graph-pane .label[aria-label^="{words}"]')


@pytest.fixture
def edited(
    show: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Edited]]:
    monkeypatch.chdir(tmp_path)
    before = [*sys.path]
    yield lambda code=CODE: Edited(show, tmp_path, code)
    sys.path[:] = before
    for name in [each for each in sys.modules if each.startswith("lamp_")]:
        del sys.modules[name]


def test_without_an_editor_nothing_of_it_is_visible(show: Any, tmp_path: Path) -> None:
    from fsmkit import Fsm

    lamp: Fsm[None] = Fsm("Lamp")
    lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
    lamp.start()
    page = show(lamp).page
    expect(page.locator("#graph-pane .state.lit")).to_have_count(1)
    page.locator('#graph-pane [data-state="Off"]').click()
    expect(page.locator("#state-menu")).to_be_visible()
    for each in ("state-edits", "edited-file", "add-state", "actions-edit", "actions-add"):
        expect(page.locator(f"#{each}")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("N")
    page.locator("#graph-pane").dblclick(position={"x": 5, "y": 5})
    expect(page.locator("#name-field")).to_be_hidden()
    expect(page.locator("#graph-pane .connect")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator("#help-keys")).not_to_contain_text("Editing")


def test_a_double_click_makes_a_state_and_a_drag_a_transition(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    expect(page.locator("#edited-file")).to_have_text(f"edits {lamp.file.name}")
    page.locator("#graph-pane").dblclick(position={"x": 30, "y": 30})
    page.keyboard.type("Broken")
    page.keyboard.press("Enter")
    lamp.expect_line('    broken = lamp.add_state("Broken")')
    expect(page.locator("#edit-report-diff ins")).to_have_text(
        '+ broken = lamp.add_state("Broken")'
    )
    expect(lamp.state("Broken")).to_be_focused()
    lamp.state("On").hover()
    page.locator("#Lamp__On .connect").hover()
    page.mouse.down()
    lamp.state("Broken").hover()
    expect(lamp.state("Broken")).to_have_class(re.compile(r"\baimed\b"))
    page.mouse.up()
    form = page.locator("#transition-form")
    expect(form.locator("[name=source]")).to_have_value("On")
    expect(form.locator("[name=target]")).to_have_value("Broken")
    page.keyboard.type("HIT")
    page.keyboard.press("Enter")
    expect(form).to_be_hidden()
    lamp.expect_line('    on.add_transition("HIT", broken)')
    expect(lamp.arrow("HIT, On → Broken")).to_be_visible()
    page.locator("#edit-report-undo").click()
    expect(lamp.arrow("HIT, On → Broken")).to_have_count(0)
    page.keyboard.press("Control+z")
    lamp.expect_text(CODE)
    expect(lamp.state("Broken")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(".toast").last).to_contain_text("There is no edit to undo.")


def test_with_shift_a_drag_from_a_state_draws_and_without_it_moves(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    before = lamp.file.read_text("utf-8")
    off, dark = (lamp.state(name).bounding_box() for name in ("Off", "Dark"))
    middle = [
        each + size / 3 for each, size in ((off["x"], off["width"]), (off["y"], off["height"]))
    ]
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1] + 10)
    page.mouse.up()
    expect(page.locator("#layout-reset")).to_be_visible()
    assert lamp.file.read_text("utf-8") == before
    page.locator("#layout-reset").click()
    expect(page.locator("#layout-reset")).to_be_hidden()
    off, dark = (lamp.state(name).bounding_box() for name in ("Off", "Dark"))
    page.keyboard.down("Shift")
    page.mouse.move(off["x"] + 12, off["y"] + 12)
    page.mouse.down()
    page.mouse.move(dark["x"] + 12, dark["y"] + 12)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator("#transition-form [name=target]")).to_have_value("Dark")
    page.keyboard.press("Escape")
    expect(page.locator("#transition-form")).to_be_hidden()
    expect(page.locator("#state-menu")).to_be_hidden()


def test_keys_alone_are_enough(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    keys = page.keyboard
    keys.press("N")
    keys.type("Blink")
    keys.press("Enter")
    lamp.expect_line('    blink = lamp.add_state("Blink")')
    expect(lamp.state("Blink")).to_be_focused()
    keys.press("Enter")
    expect(page.locator("#state-edits")).to_be_visible()
    for _ in range(3):
        keys.press("Tab")
    expect(page.locator("#state-edits-transition")).to_be_focused()
    keys.press("Enter")
    expect(page.locator("#transition-form [name=event]")).to_be_focused()
    keys.type("FINISHED")
    keys.press("Tab")
    keys.type("Off")
    keys.press("Enter")
    lamp.expect_line("    blink.add_transition(FINISHED, off)")
    expect(lamp.state("Blink")).to_be_focused()
    keys.press("F2")
    expect(page.locator("#name-field input")).to_have_value("Blink")
    keys.type("Off")
    keys.press("Enter")
    expect(page.locator("#name-field-problem")).to_contain_text("'Off' already")
    page.locator("#name-field input").fill("Flicker")
    keys.press("Enter")
    lamp.expect_line('    blink = lamp.add_state("Flicker")')
    lamp.arrow("FINISHED, Flicker → Off").focus()
    keys.press("Delete")
    expect(lamp.arrow("FINISHED, Flicker → Off")).to_have_count(0)
    lamp.state("Flicker").focus()
    keys.press("Delete")
    expect(lamp.state("Flicker")).to_have_count(0)
    lamp.expect_text(CODE)
    keys.press("?")
    for shown in ("F2", "Del", "N"):
        expect(page.locator("#help-keys kbd", has_text=shown).first).to_be_visible()


def test_the_menu_of_an_arrow_leads_it_elsewhere_renames_its_event_and_removes_it(
    edited: Any,
) -> None:
    lamp = edited()
    page = lamp.page
    lamp.arrow("PRESSED, On → Off").click()
    page.locator("#transition-edits-retarget").click()
    page.locator("#transition-form [name=target]").select_option("Dark")
    page.locator("#transition-form-do").click()
    lamp.expect_line('    on.add_transition("PRESSED", dark)  # again')
    lamp.arrow("PRESSED, On → Dark").click()
    page.locator("#transition-edits-rename").click()
    page.locator("#transition-form [name=event]").fill("PULLED")
    page.keyboard.press("Enter")
    lamp.expect_line('    on.add_transition("PULLED", dark)  # again')
    lamp.arrow("PULLED, On → Dark").click()
    page.locator("#transition-edits-remove").click()
    expect(lamp.arrow("PULLED, On → Dark")).to_have_count(0)
    assert "PULLED" not in lamp.file.read_text("utf-8")


def test_an_action_is_chosen_in_the_gallery_and_its_form_says_what_is_wrong(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    lamp.state("Off").click()
    page.locator("#state-edits-add").click()
    page.locator("#gallery-search").fill("random wait")
    entry = page.locator("#gallery-list button").first
    expect(entry).to_contain_text("RandomWait")
    page.locator("#gallery-search").fill("timedwait")
    page.keyboard.press("ArrowDown")
    expect(entry).to_be_focused()
    page.keyboard.press("Enter")
    duration = page.locator("#action-form [name=duration]")
    expect(duration).to_be_focused()
    expect(page.locator("#action-form .unit").first).to_have_text("s")
    page.keyboard.type("soon()")
    page.keyboard.press("Enter")
    expect(page.locator("#action-form-problem")).to_contain_text("soon()")
    assert lamp.file.read_text("utf-8") == CODE
    duration.fill("2.5")
    page.keyboard.press("Enter")
    expect(page.locator("#gallery")).to_be_hidden()
    lamp.expect_line("    off.add_action(TimedWait(2.5))")


def test_actions_are_edited_as_they_are_written(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    lamp.state("On").click()
    page.locator("#state-edits-actions").click()
    first, second = (page.locator(f'#action-sheet [data-index="{index}"]') for index in "01")
    expect(first.locator("[name=duration]")).to_have_value("500.0")
    first.locator("[name=duration]").fill("300.0")
    page.keyboard.press("Enter")
    lamp.expect_line("    on.add_action(TimedWait(300.0))")
    expect(first.locator("[name=duration]")).to_be_focused()
    first.locator("[name=duration]").fill("1.0")
    page.keyboard.press("Escape")
    expect(page.locator("#action-sheet")).to_be_hidden()
    lamp.state("On").click()
    page.locator("#state-edits-actions").click()
    expect(first.locator("[name=duration]")).to_have_value("300.0")
    second.locator("[name=finish_event]").fill("")
    page.keyboard.press("Enter")
    lamp.expect_line("    on.add_action(TimedWait(duration=GLOW, finish_event=None))")
    first.locator("[data-do=down]").click()
    expect(second.locator("[name=duration]")).to_have_value("300.0")
    expect(second.locator("[data-do]:focus")).to_have_count(1)
    second.locator("[data-do=remove]").click()
    expect(second).to_have_count(0)
    assert "300.0" not in lamp.file.read_text("utf-8")


MOVED = """
from types import SimpleNamespace

from actions import MoveTowards
from fsmkit import Fsm
from fsmkit.space import Transform

npc = SimpleNamespace(body=Transform(), home=Transform((9.0, 0.0)))


def move(state, seconds):
    state.add_action(MoveTowards(npc.body, npc.home, speed=6.0 / seconds))


def build():
    fsm = Fsm("Npc")
    for seconds, name in enumerate(("Walk", "Stroll"), 1):
        move(fsm.add_state(name), seconds)
    return fsm
"""


def test_a_name_in_place_of_a_literal_is_edited_and_the_sheet_says_in_which_file(
    edited: Any,
) -> None:
    npc = edited(MOVED)
    page = npc.page
    npc.state("Walk").click()
    page.locator("#state-edits-actions").click()
    title = page.locator("#action-sheet-title")
    expect(title).to_have_text(f"Actions of Walk in {npc.file.name}")
    expect(page.locator("#action-sheet .why p")).to_contain_text(["`speed` is computed"])
    expect(page.locator("#action-sheet [name=speed]")).to_be_disabled()
    body = page.locator("#action-sheet [name=transform]")
    expect(body).to_have_value("npc.body")
    body.fill("npc.home")
    page.keyboard.press("Enter")
    expect(page.locator("#action-sheet-problem")).to_contain_text("One line makes 2 parts")
    page.locator("#action-sheet-problem .chip").click()
    npc.expect_text(MOVED.replace("npc.body, npc", "npc.home, npc"))


def test_what_cannot_be_edited_is_grey_and_names_the_line(edited: Any) -> None:
    code = CODE.replace("state(name) for", "state(name.title()) for")
    code = code.replace('("Dim", "Dark")', '("dim", "dark")')
    lamp = edited(code)
    page = lamp.page
    lamp.state("Dim").click()
    expect(page.locator("#state-edits-rename")).to_be_disabled()
    expect(page.locator("#state-edits-transition")).to_be_enabled()
    line = code.splitlines().index(next(each for each in code.splitlines() if "dim, dark" in each))
    expect(page.locator("#state-edits-why")).to_contain_text(f"open {lamp.file.name}:{line + 1}")


def test_a_value_that_was_tuned_is_kept_in_the_code(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    page.locator("#events").get_by_text("PRESSED").click()
    value = page.locator('#actions [data-value="duration"] .value').first
    expect(value).to_have_text("500.0")
    keep = page.locator("#actions .keep")
    expect(keep.first).to_be_hidden()
    value.click()
    page.locator("form.editing input").fill("750")
    page.keyboard.press("Enter")
    expect(keep.first).to_be_visible()
    assert lamp.file.read_text("utf-8") == CODE
    keep.first.click()
    lamp.expect_line("    on.add_action(TimedWait(750.0))")
    expect(keep.first).to_be_hidden()


def test_a_constant_of_several_actions_is_changed_for_all_when_that_is_asked_for(
    edited: Any,
) -> None:
    shared = CODE.replace("TimedWait(500.0)", "TimedWait(GLOW)")
    lamp = edited(shared)
    page = lamp.page
    page.locator("#events").get_by_text("PRESSED").click()
    page.locator('#actions [data-value="duration"] .value').first.click()
    page.locator("form.editing input").fill("750")
    page.keyboard.press("Enter")
    page.locator("#actions .keep").first.click()
    expect(page.locator("#edit-report-title")).to_contain_text("One line makes 2 parts")
    assert lamp.file.read_text("utf-8") == shared
    page.locator("#edit-report-all").click()
    lamp.expect_text(shared.replace("1000.0", "750.0"))
    lamp.state("On").click()
    page.locator("#state-edits-actions").click()
    first = page.locator('#action-sheet [data-index="0"] [name=duration]')
    expect(first).to_have_value("GLOW")
    first.fill("125.0")
    page.keyboard.press("Enter")
    expect(page.locator("#action-sheet-problem")).to_contain_text("One line makes 2 parts")
    page.locator("#action-sheet-problem .chip").click()
    lamp.expect_text(shared.replace("1000.0", "125.0"))


def test_findings_appear_beside_the_graph_at_once(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    before = page.locator("#findings-open").inner_text()
    page.keyboard.press("N")
    page.keyboard.type("Limbo")
    page.keyboard.press("Enter")
    expect(lamp.state("Limbo")).to_have_class(re.compile(r"\bfound\b"))
    expect(page.locator("#findings-open")).not_to_have_text(before)


def test_a_sequence_is_built_from_the_gallery_and_its_actions_are_edited_in_it(edited: Any) -> None:
    lamp = edited()
    page, keys = lamp.page, lamp.page.keyboard
    lamp.state("Off").focus()
    keys.press("Enter")
    page.locator("#state-edits-add").focus()
    keys.press("Enter")
    keys.type("sequence")
    expect(page.locator("#gallery-list b").first).to_have_text("Sequence")
    keys.press("Enter")
    expect(page.locator("#gallery-title")).to_contain_text("Add Sequence: its first action to Off")
    expect(page.locator("#gallery-search")).to_be_focused()
    keys.type("timedwait")
    keys.press("Enter")
    expect(page.locator("#action-form [name=duration]")).to_be_focused()
    keys.type("2.5")
    keys.press("Enter")
    lamp.expect_line("    off.add_action(Sequence(TimedWait(2.5)))")
    expect(page.locator("#gallery")).to_be_hidden()
    lamp.state("Off").click()
    page.locator("#state-edits-actions").click()
    sheet = page.locator("#action-sheet")
    sheet.locator('[data-index="0"] [data-do=add]').click()
    expect(page.locator("#gallery-title")).to_contain_text("Add an action to Sequence of Off")
    page.locator("#gallery-search").fill("log")
    keys.press("Enter")
    page.locator("#action-form [name=message]").fill("on")
    keys.press("Enter")
    lamp.expect_line('    off.add_action(Sequence(TimedWait(2.5), Log("on")))')
    second = sheet.locator('[data-index="0/1"]')
    expect(second.locator("[data-do=down]")).to_be_disabled()
    second.locator("[data-do=up]").click()
    lamp.expect_line('    off.add_action(Sequence(Log("on"), TimedWait(2.5)))')
    expect(sheet.locator('[data-index="0/0"] b')).to_have_text("Log")
    sheet.locator('[data-index="0/0"] [data-do=remove]').click()
    lamp.expect_line("    off.add_action(Sequence(TimedWait(2.5)))")
    last = sheet.locator('[data-index="0/0"]')
    expect(last.locator("[data-do=remove]")).to_be_disabled()
    expect(last.locator(".why")).to_contain_text("It is the last action of Sequence")


GROUPED = CODE.replace("    return lamp", '    lamp.add_group("Lit", on, dim)\n    return lamp')


def test_the_menu_of_a_state_makes_it_final_and_changes_its_groups(edited: Any) -> None:
    lamp = edited(GROUPED)
    page = lamp.page
    lamp.state("Off").click()
    page.locator("#state-edits-final", has_text="Make it final").click()
    lamp.expect_line('    off = lamp.add_state("Off", final=True)')
    lamp.state("Off").click()
    page.locator("#state-edits-final", has_text="Not final any more").click()
    lamp.expect_text(GROUPED)
    lamp.state("On").click()
    page.locator("#state-edits-groups button", has_text="Take it out of the group Lit").click()
    lamp.expect_line('    lamp.add_group("Lit", dim)')
    lamp.state("On").click()
    page.locator("#state-edits-groups button", has_text="Add it to the group Lit").click()
    lamp.expect_line('    lamp.add_group("Lit", dim, on)')
    lamp.state("Dark").click()
    expect(page.locator("#state-edits-final")).to_be_disabled()
    expect(page.locator("#state-edits-why")).to_contain_text("Built by the loop there")


def test_a_transition_is_led_back(edited: Any) -> None:
    lamp = edited()
    page = lamp.page
    lamp.arrow("PRESSED, On → Off").click()
    page.locator("#transition-edits-retarget").click()
    page.locator("#transition-form [name=target]").select_option("back to what was suspended")
    page.locator("#transition-form-do").click()
    lamp.expect_line('    on.add_transition("PRESSED", BACK)  # again')
    lamp.expect_line("from fsmkit import BACK, FINISHED, Fsm")
