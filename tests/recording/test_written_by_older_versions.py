"""Save games and recordings written by an older version still load, and continue the same way."""

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fsmkit.recording import Recording, load_snapshot, replay

FOLDER = Path(__file__).parent / "written_by_0_1_0"

NO_MORE = "Guard: finish When"
"""It finished in the middle of the `finish()` of its child, whose event exits the state."""


IGNORED = {"unhandled": "ignored"}
"""All machines of the stories ignore what they do not know."""


def loaded(path: Path) -> ModuleType:
    spec = spec_from_file_location("stories_written_by_0_1_0", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stories = loaded(FOLDER / "stories.py")


@pytest.mark.parametrize("name", stories.STORIES)
def test_a_machine_continues_from_an_old_save_game_as_it_did_then(name: str) -> None:
    old = json.loads((FOLDER / f"{name}.ending.json").read_text("utf-8"))
    beginning = old.pop("beginning")
    lines = (line for line in old["journal"] if not line.endswith(NO_MORE))
    old["journal"] = [re.sub(": unhandled$", ": ignored", line) for line in lines]
    story = stories.STORIES[name]()
    story.load_world(beginning)
    load_snapshot(story.machines, FOLDER / f"{name}.save.json")
    assert stories.ending(story) == old


@pytest.mark.parametrize("name", stories.STORIES)
def test_an_old_recording_is_replayed_without_a_difference(name: str) -> None:
    recording = Recording.load(FOLDER / f"{name}.jsonl")
    comparison = replay(lambda: stories.STORIES[name]().machines, recording)
    assert comparison, comparison
    assert comparison.steps > 5


def told(path: Path) -> list[dict[str, Any]]:
    """Return what a file says in every version: the machines, and what became of each call.

    Before 0.3 an event that is unknown to a machine that ignores such was "unhandled".
    """
    heading, *lines = map(json.loads, path.read_text("utf-8").splitlines())
    steps = [line for line in lines if "call" in line]
    for step in steps:
        step.pop("digest", None)
        journal = (entry[:5] for entry in step.get("journal", ()))
        step["journal"] = [[IGNORED.get(word, word) for word in entry] for entry in journal]
    return [heading["machines"], *steps]


@pytest.mark.parametrize("name", stories.STORIES)
def test_a_recording_of_the_same_run_says_the_same_now(name: str, tmp_path: Path) -> None:
    story = stories.STORIES[name]()
    with Recording(story.machines, tmp_path / "new.jsonl"):
        story.before()
        story.after()
    assert told(tmp_path / "new.jsonl") == told(FOLDER / f"{name}.jsonl")
    assert replay(lambda: stories.STORIES[name]().machines, tmp_path / "new.jsonl")
