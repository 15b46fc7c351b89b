"""The cookbook: a page for each program in examples/cookbook, and the table of all."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from making.blocks import shown_code
from making.drawings import shown
from making.places import DOCS, EXAMPLES, ROOT, link

from fsmkit.cli.targets import load

RECIPES: Final = {
    "Input and player": (
        "button_with_two_meanings",
        "double_click_and_hold",
        "debounce",
        "combo",
        "pause_menu",
    ),
    "Characters": (
        "stun_and_return",
        "boss_phases",
        "animation_layers",
        "alarm_for_all",
        "dialogue",
    ),
    "The course of a game": (
        "spawn_waves",
        "cut_scene",
        "turn_based_game",
        "undo_by_copies",
        "save_slots",
        "fixed_step_physics",
    ),
    "Devices and robots": (
        "traffic_light",
        "vending_machine",
        "elevator",
        "robot_docking",
        "emergency_stop",
    ),
    "Services": (
        "task_while_a_state_lasts",
        "retry_with_backoff",
        "connection_with_backoff",
        "asyncio_service",
        "socket_thread",
        "orders_in_a_database",
    ),
    "Ways to write a machine": ("machine_from_a_table", "state_per_enum", "hot_reload"),
    "Tests and faults": ("testing_chance", "check_and_replay_in_ci", "crash_report"),
}
"""What the recipes are about, and their programs in examples/cookbook."""

PROGRAMS: Final = EXAMPLES / "cookbook"
PAGES: Final = DOCS / "cookbook"
PICTURES: Final = DOCS / "_static" / "cookbook"


def faults(programs: list[str]) -> list[str]:
    """Return the faults of `RECIPES`, one sentence each."""
    listed = [name for names in RECIPES.values() for name in names]
    return [
        *(
            f"{name} is in no group of docs/making/recipes.py."
            for name in programs
            if name not in listed
        ),
        *(f"There is no recipe {name}." for name in listed if name not in programs),
        *(f"{name} is in two groups." for name in sorted(set(listed)) if listed.count(name) > 1),
    ]


def recipe_names() -> list[str]:
    """Return the names of the programs."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def recipe_pages() -> dict[Path, str]:
    """Return the page of each recipe, and its pictures."""
    made: dict[Path, str] = {}
    for name in recipe_names():
        made |= recipe_page(name)
    return made


def recipe_page(name: str) -> dict[Path, str]:
    """Return a recipe's page: its title, machine, story, code, and what it prints."""
    program, page = PROGRAMS / f"{name}.py", PAGES / f"{name}.md"
    title, _, story = docstring(program).partition("\n")
    image, files = shown(
        page, PICTURES / f"{name}.svg", load(str(program)), f"The machine of {name}.py"
    )
    parts = [
        f"<!-- made of examples/cookbook/{name}.py by docs/generate.py: edit it there -->",
        f"# {title.removesuffix('.')}",
        image,
        story.strip(),
        f"## The program\n\n`examples/cookbook/{name}.py`, without its docstring:",
        shown_code(program),
    ]
    if printed := output(program):
        parts += ["It prints:", f"```text\n{printed}```"]
    return {page: "\n\n".join(part for part in parts if part) + "\n", **files}


def docstring(program: Path) -> str:
    """Return the docstring of a program. Raises ValueError if it has none."""
    text = ast.get_docstring(ast.parse(program.read_text("utf-8")))
    if not text:
        raise ValueError(f"{program.relative_to(ROOT)} has no docstring to make a page of.")
    return text


def output(program: Path) -> str:
    """Return what a program prints."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(program)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"{program.relative_to(ROOT)} failed:\n{done.stderr}")
    return done.stdout


def table(page: Path, _arguments: str) -> str:
    """`recipes`: a card for each recipe, by what they are about, and their order in the menu."""
    groups = [group(page, title, names) for title, names in RECIPES.items()]
    order = "\n".join(link(page, PAGES / name) for names in RECIPES.values() for name in names)
    return "\n\n".join([*groups, f"```{{toctree}}\n:hidden:\n\n{order}\n```"])


def group(page: Path, title: str, names: tuple[str, ...]) -> str:
    """Return a heading and a card for each of the recipes below it."""
    return "\n\n".join([f"## {title}", *(card(page, name) for name in names)])


def card(page: Path, name: str) -> str:
    """Return the title of a recipe, its picture, and the first sentence of its story."""
    title, _, story = docstring(PROGRAMS / f"{name}.py").partition("\n")
    first = re.match(r".*?[.:!?](?=\s|$)", " ".join(story.split()))
    there, picture = link(page, PAGES / f"{name}.md"), link(page, PICTURES / f"{name}.svg")
    parts = [
        f"### [{title.removesuffix('.')}]({there})",
        f"[![The machine of {name}.py]({picture})]({there})",
        first[0].removesuffix(":") + "." * first[0].endswith(":") if first else "",
    ]
    return "\n\n".join(part for part in parts if part)
