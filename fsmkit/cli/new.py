"""The command `fsmkit new`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import Final

from fsmkit.cli.files import check_free, writing
from fsmkit.cli.json_answer import JsonAnswer, add_format
from fsmkit.cli.targets import load
from fsmkit.introspection.data_files import data_files

HELP: Final = """\
Write a starting point: somebody who patrols, chases and rests, named after the
file; with its test, and its picture, which needs
`pip install 'fsmkit[diagram]'`. With --engine a window is written too, in which
you are chased. Existing files are never overwritten.

Example:
  fsmkit new guard.py
  fsmkit new guard.py --engine pygame

"""

MODULES: Final = {
    "pygame": "pygame", "arcade": "arcade", "pyglet": "pyglet", "panda3d": "direct",
    "ursina": "ursina", "raylib": "pyray",
}  # fmt: skip
"""The engines, each with a module of its package."""

ENGINES: Final = tuple(MODULES)

TEMPLATES: Final = files("fsmkit.cli") / "templates"

TAKEN: Final = {"actions", "conftest", "fsmkit", "pytest", "test", *ENGINES, *MODULES.values()}
"""Names of modules that the machine's module would hide, beside those of Python."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=_module_file, metavar="FILE.py", help="the file to write")
    command.add_argument(
        "--engine", choices=ENGINES, help="write a game for this engine too: %(choices)s",
        metavar="ENGINE",
    )  # fmt: skip
    add_format(command)


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    file: Path = options.file
    texts = dict(starting_texts(file, options.engine))
    picture = file.with_suffix(".svg")
    check_free(*texts, picture)
    for path, text in texts.items():
        _write(path, text)
    drawn = _draw(file, picture)
    written = [*map(str, texts), *([str(picture)] if drawn else [])]
    next_commands = [*_next_commands(file, options.engine)]
    if options.format == "json":
        return JsonAnswer({"written": written, "next": next_commands})
    print("Written:", *written, sep="\n  ")
    print("Next:", *next_commands, sep="\n  ")
    return 0


def starting_texts(file: Path, engine: str | None = None) -> Iterator[tuple[Path, str]]:
    """Yield the files that are written, with their texts: the machine, its test, a game."""
    machine = _machine_name(file.stem)
    character = _class_name(machine)
    noun = _noun(character)
    names = {
        "module": file.stem,
        "machine": machine,
        "character": character,
        "noun": noun,
        "a_noun": f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}",
    }
    wanted = {"machine": file, "test": file.with_name(f"test_{file.name}")}
    if engine is not None:
        wanted[engine] = file.with_name(f"{file.stem}_game.py")
    for template, path in wanted.items():
        text = (TEMPLATES / f"{template}.py.template").read_text("utf-8")
        yield path, Template(text).substitute(names)


def _machine_name(module: str) -> str:
    """Return the name of the machine.

    >>> _machine_name("night_guard")
    'NightGuard'
    """
    return "".join(part[:1].upper() + part[1:] for part in module.split("_")) or module


def _class_name(machine: str) -> str:
    """Return the name of the character's class; the files must not use it already.

    >>> _class_name("Slime"), _class_name("Transform"), _class_name("X")
    ('Slime', 'Guard', 'Guard')
    """
    texts = (template.read_text("utf-8") for template in data_files(TEMPLATES).values())
    is_used = any(re.search(rf"\b{machine}\b", text) for text in texts)
    return "Guard" if is_used or machine.isupper() or not machine[0].isupper() else machine


def _noun(character: str) -> str:
    """Return the name of the character's class in words.

    >>> _noun("NightGuard")
    'night guard'
    """
    return re.sub(r"(?<!^)([A-Z])", r" \1", character).lower()


def _write(path: Path, text: str) -> None:
    with writing(str(path)), path.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def _draw(file: Path, picture: Path) -> bool:
    """Draw the machine; return False without Graphviz."""
    from fsmkit.diagram import to_svg

    try:
        svg = to_svg(load(str(file)), actions=True)
    except ImportError as error:
        print(f"fsmkit: {picture} is not drawn. {error}", file=sys.stderr)
        return False
    _write(picture, svg)
    return True


def _next_commands(file: Path, engine: str | None) -> Iterator[str]:
    game = file.with_name(f"{file.stem}_game.py")
    if engine is not None and find_spec(MODULES[engine]) is None:
        yield f"pip install 'fsmkit[{engine}]'"
    yield f"fsmkit run {file} --reload" if engine is None else f"python {game}"
    yield f"pytest {file.with_name(f'test_{file.name}')}"
    yield f"fsmkit inspect {file} --open"


def _is_no_module(name: str) -> bool:
    return not name.isidentifier() or iskeyword(name) or name.startswith("__")


def _module_file(text: str) -> Path:
    path = Path(text)
    name = path.stem if path.suffix else path.name
    if path.suffix not in ("", ".py") or _is_no_module(name):
        raise argparse.ArgumentTypeError(
            f"must be the name of a Python module, such as night_guard.py, got {text!r}"
        )
    if name in sys.stdlib_module_names | TAKEN:
        raise argparse.ArgumentTypeError(
            f"must be a name that no other module has, got {text!r}: `import {name}` would no "
            "longer find the other one"
        )
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(
            f"must be in a folder that exists, got {text!r}; make the folder first"
        )
    return path.with_name(f"{name}.py")
