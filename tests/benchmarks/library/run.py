"""Compares the library of actions with hand-written code, and other events with the plainest.

    uv run --group bench python tests/benchmarks/library/run.py

Every action has a twin that is written by hand (`twins.py`). In every round each contestant, an
interpreter with a tree of fsmkit with its kernel or without, measures everything once in a process
of its own, and all of them take turns. A ratio is taken within such a process, and its median over
the rounds is reported; of microseconds the least. `--before TREE` adds another checkout, with its
kernel built; what that lacks is left out there. `--python` adds other interpreters, which need
attrs and typing-extensions, and `--markdown docs/benchmarks_library.md` writes the tables that the
page shows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

sys.path.append(str(Path(__file__).parents[1]))

from contestant import KERNEL, PURE, environment_of
from figures import Figures, middle, tables
from results import environment

ROUND: Final = Path(__file__).with_name("one_round.py")
HERE: Final = Path(__file__).parents[3]


class Contestant(NamedTuple):
    """An interpreter, a tree, and one of the two cores."""

    python: str
    tree: Path
    core: str

    def measure(self, parts: Sequence[str]) -> tuple[str, Figures]:
        """Measure one round in a process of its own; return what it calls itself, and figures."""
        variables = environment_of(self.core) | {"PYTHONPATH": str(self.tree)}
        done = subprocess.run(
            [self.python, str(ROUND), *parts], env=variables, check=True, stdout=subprocess.PIPE
        )
        answer = json.loads(done.stdout)
        when = "" if self.tree == HERE else "before, "
        version = ".".join(answer["python"].split(".")[:2])
        return f"{when}{version} {answer['core'].removesuffix(' Python')}", answer["figures"]


def main() -> int:
    """Measure, and print the tables."""
    options = parse_arguments()
    trees = [HERE, *options.before]
    contestants = [
        Contestant(python, tree, core)
        for python, core, tree in product(options.python, (KERNEL, PURE), trees)
    ]
    found: dict[str, list[Figures]] = {}
    for _ in range(options.rounds):
        for contestant in contestants:
            name, figures = contestant.measure(options.parts)
            found.setdefault(name, []).append(figures)
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    text = tables({name: middle(rounds) for name, rounds in found.items()})
    where = environment()
    heading = f"{where['cpu']} ({where['cores']} cores, {where['system']}), {where['date']}"
    text = f"{heading}, {options.rounds} rounds\n\n{text}\n"
    print(text)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", nargs="+", default=[sys.executable], metavar="PATH")
    parser.add_argument("--before", nargs="+", type=Path, default=[], metavar="TREE")
    parser.add_argument("--parts", nargs="+", default=[], help="update, visit, lanes, ...")
    parser.add_argument("--json", type=Path, default=Path("build/library.json"), metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
