"""Compares finding ways with fsmkit and with other packages.

    uv run --group bench python tests/benchmarks/pathfinding/run.py --check

prints tables, and with `--check` whether the goals are met: far ways within 1.3 times what tcod
takes, near ways ahead of every library written in Python, and `smooth` under a tenth of its search.

The maps have 256 by 256 and 512 by 512 tiles, a quarter of them walls at random; the graph has
100,000 places in the plane, each joined with its six nearest. Every contestant gets the map, or the
graph of it, beforehand, by its best interface. In every round each finds the same ways, one
contestant after the other; ratios are taken within a round, and their median is reported. All ways
are checked, step by step, and those of contestants with the same rule for corners have to be
equally long.

`w9-pathfinding` has to be compiled by whoever wants it (`uv pip install w9-pathfinding`). What is
not installed is left out, and named.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

sys.path.append(str(Path(__file__).parents[1]))

from boards import Board, random_board
from graph_contestants import GRAPH_CONTESTANTS, GraphContestant, Roads, random_roads
from graph_rounds import graph_rounds
from path_goals import Verdict, far_verdicts, near_verdicts, pulling_verdicts, verdicts_table
from path_rounds import Rounds
from pulling_rounds import MAKERS, SEARCH, SMOOTH, pulling_rounds
from report import aligned, significant
from results import environment
from tile_contestants import ASTAR, GRID, PURE_GRID, TILE_CONTESTANTS, TileContestant
from tile_rounds import tile_rounds
from walker_rounds import walker_rounds

SEED: Final = 7
SIZES: Final = (256, 512)
NODES: Final = 100_000
PARTS: Final = ("tiles", "graph", "smooth", "walkers")
ContestantT = TypeVar("ContestantT", TileContestant, GraphContestant)


def main() -> int:
    """Run what the command line asks for; return 1 if a way was wrong or a goal was missed."""
    options = parse_arguments()
    where = environment()
    print(f"{where['python']}, {where['cpu']} ({where['cores']} cores), {where['date']}\n")
    results: list[Rounds] = []
    verdicts: list[Verdict] = []
    wrong: list[str] = []
    if "tiles" in options.parts:
        wrong += run_tiles(options, results, verdicts)
    if "graph" in options.parts:
        wrong += run_graph(options, results)
    if "smooth" in options.parts:
        run_smooth(options, results, verdicts)
    if "walkers" in options.parts:
        run_walkers(options, results)
    write(options.json, results, verdicts)
    for text in wrong:
        print(text, file=sys.stderr)
    missed = [verdict for verdict in verdicts if verdict.word == "missed"]
    if options.check:
        print(verdicts_table(verdicts))
    return 1 if wrong or (options.check and missed) else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="TILES")
    parser.add_argument("--nodes", type=int, default=NODES, help="of the graph")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="contestants, and no others")
    parser.add_argument("--check", action="store_true", help="tell which goals are met")
    parser.add_argument("--json", type=Path, metavar="FILE", default=Path("build/pathfinding.json"))
    return parser.parse_args()


def run_tiles(
    options: argparse.Namespace, results: list[Rounds], verdicts: list[Verdict]
) -> list[str]:
    wrong: list[str] = []
    contestants = those_here(TILE_CONTESTANTS, options.only, Board([[1, 1]] * 2))
    for size in options.sizes:
        found, mistakes = tile_rounds(random_board(size, SEED), contestants, options.rounds, SEED)
        wrong += mistakes
        results += found
        verdicts += [*far_verdicts(found[0]), *near_verdicts(found[1])]
        print(tile_table(found), end="\n\n", flush=True)
    return wrong


def run_graph(options: argparse.Namespace, results: list[Rounds]) -> list[str]:
    if find_spec("scipy") is None:
        print("left out: the graph (SciPy, which finds the nearest places, is not installed)\n")
        return []
    contestants = those_here(GRAPH_CONTESTANTS, options.only, Roads([(0.0, 0.0)], [(0, 0, 0.0)]))
    roads = random_roads(options.nodes, SEED)
    found, wrong = graph_rounds(roads, contestants, options.rounds, SEED)
    results += found
    print(table(found[0], ASTAR), end="\n\n")
    return wrong


def run_smooth(options: argparse.Namespace, results: list[Rounds], verdicts: list[Verdict]) -> None:
    for kind in kinds_here():
        found = pulling_rounds(options.rounds, MAKERS[kind], SEED)
        results += found
        verdicts += pulling_verdicts(kind, found)
        rows = [[f"smooth, {kind}", "search, ms", "smooth, ms (times)"]]
        for each in found:
            search = significant_time(each.milliseconds(SEARCH))
            rows.append([each.title, search, cell(each, SMOOTH, SEARCH)])
        print("\n".join(aligned(rows)), end="\n\n", flush=True)


def run_walkers(options: argparse.Namespace, results: list[Rounds]) -> None:
    board = random_board(options.sizes[0], SEED)
    for found in walker_rounds(board, kinds_here(), options.rounds, SEED):
        results.append(found)
        print(table(found, next(iter(found.seconds))), end="\n\n")


def those_here(
    contestants: Mapping[str, ContestantT], only: Iterable[str] | None, sample: Any
) -> dict[str, ContestantT]:
    """Return the contestants that can be had, and print which cannot."""
    chosen = {name: each for name, each in contestants.items() if only is None or name in only}
    here: dict[str, ContestantT] = {}
    for name, each in chosen.items():
        try:
            each.make(sample)
        except ImportError as error:
            print(f"left out: {name} ({error})")
        else:
            here[name] = each
    return here


def kinds_here() -> list[str]:
    """Return the kinds of grids that there are: compiled ones need numba."""
    try:
        MAKERS["compiled"](Board([[1]]))
    except ImportError as error:
        print(f"left out: compiled grids ({error})")
        return ["pure"]
    return ["compiled", "pure"]


def tile_table(found: Sequence[Rounds]) -> str:
    """Return a table of the ways on one map: milliseconds, and times fsmkit's grid."""
    far, near, first = found
    base = GRID if GRID in far.seconds else PURE_GRID
    titles = [f"{far.title}, ms (times)", "near pairs, ms (times)", "near, first time, ms"]
    rows = [["package", "corners", *titles]]
    for name in far.seconds:
        contestant = TILE_CONTESTANTS[name]
        corners = contestant.rule.name + ("" if contestant.diagonal > 1.0 else ", diagonals cost 1")
        once = significant_time(first.milliseconds(name)) if name in first.seconds else ""
        rows.append([name, corners, *(cell(each, name, base) for each in (far, near)), once])
    return "\n".join(aligned(rows))


def table(found: Rounds, base: str) -> str:
    """Return a table of one workload."""
    rows = [[found.title, "ms (times)"]]
    rows += [[name, cell(found, name, base)] for name in found.seconds]
    return "\n".join(aligned(rows))


def cell(found: Rounds, name: str, base: str) -> str:
    time = significant_time(found.milliseconds(name))
    if base not in found.seconds:
        return time
    times = found.times(name, base)
    return f"{time} ({times:.3g})"


def significant_time(milliseconds: float) -> str:
    return significant(milliseconds) if milliseconds >= 1.0 else f"{milliseconds:.4f}"


def write(file: Path, results: Sequence[Rounds], verdicts: Sequence[Verdict]) -> None:
    content: dict[str, Any] = {
        "environment": environment(),
        "rounds": [asdict(result) for result in results],
        "verdicts": [verdict._asdict() | {"word": verdict.word} for verdict in verdicts],
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
