"""`fsmkit mcp`, by the client of the protocol's own SDK: what the tools answer and refuse."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from served import Tools, has_ended, served

from fsmkit.cli.mcp import DESCRIPTIONS

pytestmark = pytest.mark.slow

LAMP = """\
from actions import TimedWait
from fsmkit import FINISHED, Fsm

def build():
    lamp = Fsm("Lamp", context={"hits": 0}, on_unhandled="ignore")
    off = lamp.add_state("Off")
    on = lamp.add_state("On")
    on.add_action(TimedWait(2.0))  # seconds
    off.add_transition("PRESS", on, when=lambda state: state.context["hits"] < 3)
    on.add_transition(FINISHED, off)
    on.add_transition("HIT", off, do=lambda state: 1 / 0)
    return lamp
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "lamp.py").write_text(LAMP)
    return folder


def with_tools(project: Path, story: Callable[[Tools], Awaitable[None]], *options: str) -> None:
    failures: list[AssertionError] = []

    async def told() -> None:
        async with served(project, *options) as tools:
            try:
                await story(tools)
            except AssertionError as failure:  # the client would put it into a group
                failures.append(failure)

    asyncio.run(told())
    for failure in failures:
        raise failure


def test_every_tool_says_what_it_does_and_takes(project: Path) -> None:
    async def story(tools: Tools) -> None:
        listed = (await tools.client.list_tools()).tools
        assert [tool.name for tool in listed] == [*DESCRIPTIONS]
        for tool in listed:
            assert tool.description == DESCRIPTIONS[tool.name]
            assert len(tool.description) < 1_400
        assert "check" in tools.client.instructions

    with_tools(project, story)


def test_the_tools_answer(project: Path) -> None:
    async def story(tools: Tools) -> None:
        checked = await tools.answer("check", target="lamp.py", inputs=["HIT"])
        assert [each["code"] for each in checked["findings"]] == ["never-sent"]

        explored = await tools.answer("explore", target="lamp.py")
        (finding,) = explored["findings"]
        assert (finding["code"], finding["script"]) == ("raises", ["PRESS", "HIT"])
        assert "test" not in finding
        tested = await tools.answer("test", target="lamp.py", code="raises", state="On")
        assert "def test_zerodivisionerror_at_hit():" in tested["findings"][0]["test"]
        failed, part = await tools.content("test", target="lamp.py", code="trap")
        assert failed
        assert "The codes that it finds: raises." in part.text

        paths = await tools.answer("paths", target="lamp.py")
        assert paths["scripts"] == [["PRESS", 0.5, 0.5, 0.5, 0.5]]
        assert paths["missing"] == ["On --HIT-->"]

        run = await tools.answer("run", target="lamp.py", seconds=2.0, events=["PRESS@1"])
        assert [(each["state"], each["start"]) for each in run["visits"]] == [
            ("Off", 0.0), ("On", 1.0),
        ]  # fmt: skip
        run = await tools.answer("run", target="lamp.py", events=["PRESS@1"], since=2.0)
        assert [each["event"] for each in run["visits"]] == ["FINISHED"]
        run = await tools.answer("run", target="lamp.py", events=["PRESS@1", "HIT@2"])
        assert run["error"]["details"][0] == "ZeroDivisionError: division by zero"

        why = await tools.answer("why", target="lamp.py:build", event="FINISHED", at=0.5)
        assert (why["why"][0]["outcome"], why["machines"][0]["state"]) == ("ignored", "Off")

        read = await tools.answer("read", target="lamp.py")
        assert [each["line"] for each in read["machines"][0]["transitions"]] == [9, 10, 11]
        read = await tools.answer("read", target="lamp.py", state="Off")
        assert [each["state"] for each in read["machines"][0]["states"]] == ["Off"]

    with_tools(project, story)


def test_wrong_arguments_are_named_in_our_words(project: Path) -> None:
    calls: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("chek", {"target": "lamp.py"}, "There is no tool 'chek'. Did you mean 'check'?"),
        ("check", {"target": "lamp.py", "input": ["HIT"]}, "Did you mean 'inputs'?"),
        ("check", {"target": "lamp.py", "inputs": "HIT"}, "inputs must be a list of texts or null"),
        ("read", {"target": "lamp.py", "state": "Of"}, "no state 'Of'. Did you mean 'Off'?"),
        ("docs", {"page": "guard"}, "Did you mean 'concepts/guards'?"),
        ("edit", {"target": "lamp.py", "edit": {"kind": "add-state", "nam": "A"}},
         "there is no field 'nam' (did you mean 'name'?)"),
    )  # fmt: skip

    async def story(tools: Tools) -> None:
        for tool, arguments, message in calls:
            failed, part = await tools.content(tool, **arguments)
            assert failed
            assert message in part.text
            assert "pydantic" not in part.text

    with_tools(project, story)


def test_the_machine_is_drawn(project: Path) -> None:
    pytest.importorskip("resvg_py")

    async def story(tools: Tools) -> None:
        assert (await tools.text("draw", target="lamp.py")).startswith("Lamp\n├─○ Off  (start)")
        mermaid = await tools.text("draw", target="lamp.py", kind="mermaid", actions=True)
        assert mermaid.startswith("stateDiagram-v2")
        assert "TimedWait" in mermaid
        failed, image = await tools.content("draw", target="lamp.py", kind="png", findings=True)
        assert (failed, image.type, image.mime_type) == (False, "image", "image/png")

    with_tools(project, story)


def test_the_pages_of_this_version_are_searched_and_read(project: Path) -> None:
    async def story(tools: Tools) -> None:
        found = await tools.text("docs", query="suspend a state and come BACK")
        assert "concepts/interruptions: " in found
        page = await tools.text("docs", page="concepts/interruptions")
        assert page.startswith("# Interruptions")
        failed, part = await tools.content("docs", page="interruptions")
        assert failed
        assert "concepts/interruptions" in part.text
        failed, part = await tools.content("docs", query=" ")
        assert failed
        assert "docs needs a query" in part.text

    with_tools(project, story)


SLOWER: dict[str, Any] = {
    "kind": "set", "state": "On", "index": "0", "parameter": "duration", "value": 3,
}  # fmt: skip


def test_an_edit_is_shown_but_not_written_without_leave(project: Path) -> None:
    async def story(tools: Tools) -> None:
        shown = await tools.answer("edit", target="lamp.py", edit=SLOWER)
        assert (shown["proved"], shown["written"], shown["file"]) == (True, False, "lamp.py")
        assert "+    on.add_action(TimedWait(3.0))  # seconds" in shown["diff"]
        (project / "lamp.py").write_text(f"{LAMP}# more\n")
        again = await tools.answer("edit", target="lamp.py", edit=SLOWER, digest=shown["digest"])
        assert again["reason"] == "the file has changed; look at the diff again"
        (project / "lamp.py").write_text(LAMP)
        inner = {"kind": "add-action", "state": "On", "action": "TimedWait", "within": "Sequence"}
        shown = await tools.answer(
            "edit", target="lamp.py", edit={**inner, "parameters": {"duration": "1"}}
        )
        assert "+    on.add_action(Sequence(TimedWait(1)))" in shown["diff"]
        final = {"kind": "set-final", "state": "On", "final": True}
        shown = await tools.answer("edit", target="lamp.py", edit=final)
        assert 'lamp.add_state("On", final=True)' in shown["diff"]
        failed, part = await tools.content("edit", target="lamp.py", edit=SLOWER, write=True)
        assert failed
        assert "start it as `fsmkit mcp FOLDER --edit`" in part.text
        for name in ("--write", "-h", "--"):  # no option, whatever it looks like
            state = {"kind": "add-state", "name": name}
            shown = await tools.answer("edit", target="lamp.py", edit=state)
            assert (shown["proved"], shown["written"]) == (True, False)
            assert f'lamp.add_state("{name}")' in shown["diff"]
        assert (project / "lamp.py").read_text() == LAMP

    with_tools(project, story)


def test_an_edit_is_written_with_leave(project: Path) -> None:
    async def story(tools: Tools) -> None:
        done = await tools.answer("edit", target="lamp.py", edit=SLOWER, write=True)
        assert (done["proved"], done["written"]) == (True, True)
        assert (project / "lamp.py").read_text() == LAMP.replace("2.0", "3.0")
        refused = await tools.answer(
            "edit", target="lamp.py", edit={"kind": "add-state", "name": "On"}, write=True
        )
        assert refused["proved"] is False
        assert refused["reason"] == "Lamp has a state or a group 'On' already"
        failed, part = await tools.content("edit", target="lamp.py", edit={"kind": "explode"})
        assert failed
        assert "there is no edit" in part.text

    with_tools(project, story, "--edit")


def test_nothing_outside_the_folder_is_read_run_or_written(project: Path) -> None:
    outside = project.parent / "outside.py"
    outside.write_text(f'{LAMP}\nopen("ran", "w")\n')
    (project / "link.py").symlink_to(outside)
    calls: dict[str, dict[str, Any]] = {
        "check": {}, "explore": {}, "test": {"code": "raises"}, "paths": {}, "run": {},
        "why": {"event": "PRESS", "at": 1.0}, "read": {}, "draw": {},
        "edit": {"edit": SLOWER, "write": True},
    }  # fmt: skip

    async def story(tools: Tools) -> None:
        for tool, arguments in calls.items():
            for target in ("../outside.py", "link.py", str(outside)):
                failed, part = await tools.content(tool, target=target, **arguments)
                assert failed
                assert "is not in the folder." in part.text

    with_tools(project, story, "--edit")
    assert set(DESCRIPTIONS) - set(calls) == {"docs"}
    assert not (project / "ran").exists()


def test_a_module_that_a_link_leads_out_to_is_not_written(project: Path) -> None:
    outside = project.parent / "outside.py"
    outside.write_text(LAMP)
    (project / "parts.py").symlink_to(outside)
    (project / "main.py").write_text("from parts import build\n")

    async def story(tools: Tools) -> None:
        _, part = await tools.content("edit", target="main.py", edit=SLOWER, write=True)
        assert '"written":true' not in part.text

    with_tools(project, story, "--edit")
    assert outside.read_text() == LAMP


def test_a_target_that_hangs_does_not_stop_the_server(project: Path) -> None:
    (project / "hangs.py").write_text(f"{LAMP}\nwhile True: pass\n")

    async def story(tools: Tools) -> None:
        hanging = asyncio.create_task(tools.content("check", target="hangs.py"))
        assert (await tools.text("docs", page="concepts/guards")).startswith("# Guards")
        failed, part = await hanging
        assert failed
        assert "It took longer than 4 s and was ended." in part.text
        assert "Waiting for hangs.py:14, which runs when the file is imported." in part.text

    with_tools(project, story, "--seconds", "4")


WAITS = """
import os, time
open("pid", "w").write(str(os.getpid()))
while True:
    time.sleep(0.01)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("is_given_up", [True, False])
def test_no_process_is_left_behind(project: Path, is_given_up: bool) -> None:
    """Neither when a call is given up nor when the client goes away."""
    (project / "waits.py").write_text(f"{LAMP}{WAITS}")

    async def story(tools: Tools) -> None:
        call = asyncio.create_task(tools.content("check", target="waits.py"))
        while not (project / "pid").exists() or not (project / "pid").read_text():
            await asyncio.sleep(0.05)
        if is_given_up:
            call.cancel()
            assert await asyncio.to_thread(has_ended, int((project / "pid").read_text()))
        calls.append(call)

    calls: list[asyncio.Task[Any]] = []
    with_tools(project, story)
    assert has_ended(int((project / "pid").read_text()))
