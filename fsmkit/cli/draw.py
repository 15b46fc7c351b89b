"""`fsmkit draw`: a picture of a machine."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.checking import Finding
from fsmkit.checking.checker import findings_in
from fsmkit.checking.comments import Comments
from fsmkit.checking.ignoring import Ignores
from fsmkit.cli.draw_datasets import drawn_datasets
from fsmkit.cli.errors import FAILED, CommandError
from fsmkit.cli.options import add_target
from fsmkit.cli.output import write_file
from fsmkit.cli.replay import read_recording
from fsmkit.cli.settings import settings_for
from fsmkit.cli.targets import folder_of, load_datasets_or_machine
from fsmkit.diagram.choosing import PictureError
from fsmkit.diagram.dot import dot_of
from fsmkit.diagram.graph import Graph, clusters_of
from fsmkit.diagram.mermaid import mermaid_of
from fsmkit.diagram.options import DIRECTIONS, View
from fsmkit.diagram.png import png_of
from fsmkit.diagram.svg import drawn
from fsmkit.diagram.text import ASCII, text_of
from fsmkit.recording import Recording
from fsmkit.terminal.console import Console
from fsmkit.tooling.places import noting_places

if TYPE_CHECKING:  # imported where it is needed: other commands do without
    from fsmkit.goap import DataSet

HELP: Final = "draw a picture of a machine"

DESCRIPTION: Final = """\
Draw the states of a machine and the transitions between them: on the terminal,
or with -o as a picture (.svg, .png), as Mermaid (.mmd), as Graphviz DOT (.dot)
or as text (.txt).

With --findings and --recording the picture shows what is known about the
machine: mistakes at the states and arrows they are about, how long states
lasted, and how often arrows were taken.

TARGET is path.py:function or module:function, as for `fsmkit run`; or the name
of a list of DataSets, of which it draws the actions, and which extends which
(--actions shows what each action needs and makes). The formats .svg and .png
need `pip install 'fsmkit[diagram]'`, or Graphviz with its program `dot`.
"""

EXAMPLE: Final = """\
example:
  fsmkit draw examples/guard.py
  fsmkit draw examples/guard.py --actions --dark -o guard.svg
  fsmkit draw examples/guard.py --findings --recording run.jsonl -o guard.png
  fsmkit draw examples/woodcutter.py:DATASETS -o datasets.svg
"""

Draw: TypeAlias = Callable[[Graph, View], str | bytes]

FORMATS: Final[dict[str, Draw]] = {
    ".svg": lambda graph, view: drawn(view.arranged(graph), view.theme, view.look),
    ".png": lambda graph, view: png_of(dot_of(view.arranged(graph), view.theme, view.look)),
    ".mmd": lambda graph, view: mermaid_of(graph, view.look),
    ".dot": lambda graph, view: dot_of(view.arranged(graph), view.theme, view.look),
    ".txt": lambda graph, view: text_of(graph, view.look) + "\n",
}


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_target(command)
    command.add_argument(
        "-o", dest="output", metavar="FILE",
        help=f"write the picture to FILE; its extension is one of {', '.join(FORMATS)}",
    )  # fmt: skip
    command.add_argument("--actions", action="store_true", help="show the actions of each state")
    command.add_argument(
        "--senders", action="store_true",
        help="mark events that come from outside, and those that an action sends",
    )  # fmt: skip
    command.add_argument("--dark", action="store_true", help="use dark colours (.svg, .png, .dot)")
    command.add_argument(
        "--direction", choices=DIRECTIONS, default="TB",
        help="where arrows lead: to the bottom (TB, default), the right (LR), the top or the left",
    )  # fmt: skip
    _add_what_is_known(command)
    _add_parts(command)


def _add_what_is_known(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--findings", action="store_true", help="show what `fsmkit check` finds, where it is"
    )
    command.add_argument(
        "--recording", action="append", default=[], dest="recordings", metavar="FILE",
        help="show how long states lasted in this recording, and how often arrows were taken; may "
        "be repeated",
    )  # fmt: skip


def _add_parts(command: argparse.ArgumentParser) -> None:
    command.add_argument("--machine", metavar="NAME", help="draw one of several machines only")
    command.add_argument(
        "--depth", type=int, metavar="N", help="draw N levels of nested machines; 0 for none"
    )
    command.add_argument(
        "--around", metavar="STATE", help="draw only this state and its neighbours"
    )
    command.add_argument(
        "--radius", type=int, default=1, metavar="N",
        help="how many arrows away the neighbours may be (default: 1)",
    )  # fmt: skip


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    kind = Path(options.output).suffix.lower() if options.output else ".txt"
    if kind not in FORMATS:
        raise CommandError(
            f"-o {options.output!r}: the extension must be one of {', '.join(FORMATS)}, got "
            f"{kind or 'none'}."
        )
    recordings = [read_recording(path) for path in options.recordings]
    for recording, path in zip(recordings, options.recordings, strict=True):
        if recording.fault:
            print(f"fsmkit: {path!r}: {recording.fault}; drawn up to there.", file=sys.stderr)
    thing, findings = _built(options)
    if isinstance(thing, tuple):
        picture, contents = drawn_datasets(thing, kind, options)
    else:
        graph, picture = _drawn(thing, findings, recordings, kind, options)
        contents = _contents(graph)
    if options.output:
        write_file(options.output, picture, contents)
    else:
        _print(str(picture))
    return 0


def _built(
    options: argparse.Namespace,
) -> tuple[Fsm[Any] | FsmGroup | tuple[DataSet, ...], list[Finding]]:
    """Return the machines or data sets and, if they are wished for, what `fsmkit check` finds."""
    if not options.findings:
        return load_datasets_or_machine(options.target), []
    with noting_places() as places:
        machine = load_datasets_or_machine(options.target)
    if isinstance(machine, tuple):
        return machine, []
    ignores = Ignores(settings_for(folder_of(options.target)).ignore, Comments())
    try:
        return machine, findings_in(machine, ignores, places)
    except Exception as error:
        raise CommandError("The machine cannot be checked.", FAILED) from error


def _drawn(
    machine: Fsm[Any] | FsmGroup,
    findings: list[Finding],
    recordings: list[Recording],
    kind: str,
    options: argparse.Namespace,
) -> tuple[Graph, str | bytes]:
    names = ("actions", "senders", "dark", "direction", "machine", "depth", "around", "radius")
    wishes = {name: getattr(options, name) for name in names}
    try:
        view = View(findings=findings, recordings=recordings or None, **wishes)
        graph = view.graph(machine)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            picture = FORMATS[kind](graph, view)
    except PictureError as error:
        raise CommandError(f"--{error}".replace("--recordings:", "--recording:")) from None
    except ImportError as error:
        raise CommandError(str(error)) from None
    except FsmError as error:
        raise CommandError(str(error), FAILED) from None
    except Exception as error:
        raise CommandError("The machine cannot be drawn.", FAILED) from error
    for each in told:
        print(f"fsmkit: {each.message}", file=sys.stderr)
    return graph, picture


def _contents(graph: Graph) -> str:
    """Return how much there is in a picture: `5 states, 8 transitions`."""
    clusters = [*clusters_of(graph)]
    states = sum(len(cluster.nodes) for cluster in clusters)
    ways = sum(len(edge.labels) for cluster in clusters for edge in cluster.all_edges)
    counts = {"machine": len(clusters), "state": states, "transition": ways}
    return ", ".join(
        f"{count} {what}{'s' * (count != 1)}"
        for what, count in counts.items()
        if what != "machine" or count > 1
    )


def _print(text: str) -> None:
    console = Console(sys.stdout)
    if not console.has_blocks:
        text = text.translate(ASCII)
    for line in text.splitlines():
        console.line(line)
