"""The page about JSON describes every field of its examples; conftest.py runs these."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from making.places import DOCS

from fsmkit.cli import COMMANDS, _parser

PAGE = (DOCS / "formats.md").read_text("utf-8")

SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
BEFORE = PAGE[: PAGE.index("## check")]

BY_NAME = {"parameters", "seconds", "states", "values"}
"""The objects whose keys are names of the user's."""


def example(body: str) -> dict[str, Any]:
    (block,) = re.findall(r"^```console\n(.*?)^```$", body, re.MULTILINE | re.DOTALL)
    text = block[block.index('\n{"version') :]
    return dict(json.loads(text, strict=False))  # long texts are broken into lines


def names_in(text: str) -> set[str]:
    """The fields that a text names in code."""
    return {name for code in re.findall(r"`([^`]+)`", text) for name in re.findall(r"\w+", code)}


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from keys_of(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            if not (key in BY_NAME and isinstance(each, dict)):
                yield from keys_of(each)


def test_every_command_with_json_has_a_section() -> None:
    commands = [
        name
        for name in COMMANDS
        if name == "edit"  # each of its actions has the option
        or "--format" in _parser(name)._subparsers._group_actions[0].choices[name].format_help()
    ]
    assert sorted(SECTIONS) == sorted(commands)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_field_of_the_example_is_described(section: str) -> None:
    shown = example(SECTIONS[section])
    described = names_in(BEFORE) | names_in(SECTIONS[section]) | names_in(SECTIONS["run"])
    assert {*keys_of(shown)} - described == set()
    rows = re.findall(r"^\| ([^|]+) \|", SECTIONS[section], re.MULTILINE)
    fields = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {*shown} - {"version", "error"} <= fields


def test_an_error_is_described_by_field() -> None:
    shown = example(BEFORE)
    assert {*keys_of(shown)} - names_in(BEFORE) == set()
