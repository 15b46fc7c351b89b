"""The command `fsmkit draw`."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import evolve

from fsmkit import Fsm, FsmGroup
from fsmkit.checking import Finding
from fsmkit.checking.checker import findings_in
from fsmkit.checking.ignores import Comments, Ignores
from fsmkit.cli.command_errors import UNSUCCESSFUL, CommandError, plain_errors
from fsmkit.cli.files import kind_of, read_recording, reading, write_file
from fsmkit.cli.json_answer import JsonAnswer, JsonObject, add_format
from fsmkit.cli.options import add_flag, add_target, given_option, group_of
from fsmkit.cli.settings import settings_for
from fsmkit.cli.targets import file_of, folder_of, load_datasets_or_machine
from fsmkit.diagram.datasets import (
    datasets_to_dot,
    datasets_to_png,
    datasets_to_svg,
    datasets_to_text,
    text_of_datasets,
)
from fsmkit.diagram.dot import dot_of
from fsmkit.diagram.graph import Graph, clusters_of
from fsmkit.diagram.layout import png_of, svg_of
from fsmkit.diagram.mermaid import mermaid_of
from fsmkit.diagram.model_reader import read
from fsmkit.diagram.picture_options import DIRECTIONS, View
from fsmkit.diagram.placement import placed
from fsmkit.diagram.positions import (
    PlacesByMachine,
    known_positions,
    positions_file,
    read_positions,
)
from fsmkit.diagram.selection import PictureError
from fsmkit.diagram.svg import drawn
from fsmkit.diagram.text import ASCII, text_of
from fsmkit.introspection.definition_sites import DefinitionSites, noting_places
from fsmkit.recording import Recording
from fsmkit.terminal.console import Console

if TYPE_CHECKING:
    from fsmkit.goap import DataSet

HELP: Final = """\
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

States are drawn where guard.positions.json, next to guard.py, keeps them: the
page of `fsmkit inspect` writes this file when a state is dragged.

Example:
  fsmkit draw examples/guard.py
  fsmkit draw examples/guard.py --actions --dark -o guard.svg
  fsmkit draw examples/guard.py --findings --recording run.jsonl -o guard.png
  fsmkit draw examples/woodcutter.py:DATASETS -o datasets.svg

"""

WritePicture: TypeAlias = Callable[[Graph, View], str | bytes]

FORMATS: Final[dict[str, WritePicture]] = {
    ".svg": lambda graph, view: drawn(view.arranged(graph), view.theme, view.look),
    ".png": lambda graph, view: png_of(
        placed(view.arranged(graph), view.theme, view.look, svg_of).dot
    ),
    ".mmd": lambda graph, view: mermaid_of(graph, view.look),
    ".dot": lambda graph, view: dot_of(view.arranged(graph), view.theme, view.look),
    ".txt": lambda graph, view: text_of(graph, view.look) + "\n",
}

FORMATS_OF_DATASETS: Final[dict[str, Callable[[tuple[DataSet, ...], Any], str | bytes]]] = {
    ".svg": lambda datasets, options: datasets_to_svg(datasets, **_looks(options)),
    ".png": lambda datasets, options: datasets_to_png(datasets, **_looks(options)),
    ".dot": lambda datasets, options: datasets_to_dot(datasets, **_looks(options)),
    ".txt": lambda datasets, options: datasets_to_text(datasets, facts=options.actions) + "\n",
}

NOT_FOR_DATASETS: Final = (
    "findings", "senders", "recordings", "machine", "depth", "around", "format",
)  # fmt: skip


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_target(command)
    command.add_argument(
        "-o", dest="output", metavar="FILE",
        help=f"write the picture to FILE; its extension is one of {', '.join(FORMATS)}",
    )  # fmt: skip
    add_flag(command, "--actions", "show the actions of each state")
    add_flag(
        command, "--senders", "mark events that come from outside, and those that an action sends"
    )
    add_flag(command, "--dark", "use dark colours (.svg, .png, .dot)")
    command.add_argument(
        "--direction", choices=DIRECTIONS, default="TB",
        help="where arrows lead: to the bottom (TB, default), the right (LR), the top or the left",
    )  # fmt: skip
    _add_annotations(command)
    _add_selection(command)
    add_format(command)


def _add_annotations(command: argparse.ArgumentParser) -> None:
    add_flag(command, "--findings", "show what `fsmkit check` finds, where it is")
    command.add_argument(
        "--recording", action="append", default=[], dest="recordings", metavar="FILE",
        help="show how long states lasted in this recording, and how often arrows were taken; may "
        "be repeated",
    )  # fmt: skip


def _add_selection(command: argparse.ArgumentParser) -> None:
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


def carry_out(options: argparse.Namespace) -> int | JsonAnswer:
    kind = kind_of(options.output, FORMATS) if options.output else ""
    recordings = [read_recording(path) for path in options.recordings]
    for recording, path in zip(recordings, options.recordings, strict=True):
        if recording.fault:
            print(f"fsmkit: {path!r}: {recording.fault}; drawn up to there.", file=sys.stderr)
    thing, places = _built(options)
    if isinstance(thing, tuple):
        picture, contents = _drawn_datasets(thing, kind, options)
    else:
        findings = _findings(thing, places, options)
        graph, picture = _drawn(thing, findings, recordings, kind, options)
        contents = _contents(graph)
    if options.output:
        write_file(options.output, picture, contents)
    if options.format == "json":
        return JsonAnswer(_fields(thing, places, options))
    if not options.output:
        _print(str(picture))
    return 0


def _built(
    options: argparse.Namespace,
) -> tuple[Fsm[Any] | FsmGroup | tuple[DataSet, ...], DefinitionSites]:
    if not options.findings and options.format == "text":
        return load_datasets_or_machine(options.target), DefinitionSites()
    with noting_places() as places:
        return load_datasets_or_machine(options.target), places


def _fields(machine: Any, places: DefinitionSites, options: argparse.Namespace) -> JsonObject:
    from fsmkit.cli.machine_objects import machine_objects  # here: it is slow to import

    return {"machines": machine_objects(group_of(machine), places), "written": options.output}


def _findings(
    machine: Fsm[Any] | FsmGroup, places: DefinitionSites, options: argparse.Namespace
) -> list[Finding]:
    if not options.findings:
        return []
    ignores = Ignores(settings_for(folder_of(options.target)).ignore, Comments())
    try:
        return findings_in(machine, ignores, places)
    except Exception as error:
        raise CommandError("The machine cannot be checked.", UNSUCCESSFUL) from error


def _drawn(
    machine: Fsm[Any] | FsmGroup,
    findings: list[Finding],
    recordings: list[Recording],
    kind: str,
    options: argparse.Namespace,
) -> tuple[Graph, str | bytes]:
    names = ("actions", "senders", "dark", "direction", "machine", "depth", "around", "radius")
    chosen = {name: getattr(options, name) for name in names}
    try:
        view = View(findings=findings, recordings=recordings or None, **chosen)
    except ValueError as error:
        raise CommandError(f"--{error}") from None
    try:
        with plain_errors(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            view = evolve(view, positions=_positions(machine, options.target))
            graph = view.graph(machine)
            if kind:
                picture = FORMATS[kind](graph, view)
            else:
                picture = text_of(graph, view.look, Console(sys.stdout).columns)
    except PictureError as error:
        raise CommandError(f"--{error}".replace("--recordings:", "--recording:")) from None
    except CommandError:
        raise
    except Exception as error:
        raise CommandError("The machine cannot be drawn.", UNSUCCESSFUL) from error
    for each in caught:
        print(f"fsmkit: {each.message}", file=sys.stderr)
    return graph, picture


def _positions(machine: Fsm[Any] | FsmGroup, target: str) -> PlacesByMachine:
    """Return the positions beside the target, and report those of states that do not exist."""
    script = file_of(target)
    if script is None:
        return {}
    path = positions_file(script)
    try:
        with reading(str(path)):
            positions = read_positions(path)
    except ValueError as error:
        raise CommandError(f"{error} Correct the file, or remove it.") from None
    known, messages = known_positions(read(machine), positions) if positions else ({}, [])
    for message in messages:
        print(f"fsmkit: {str(path)!r}: {message.removeprefix('positions: ')}", file=sys.stderr)
    return known


def _contents(graph: Graph) -> str:
    """Return how much there is in a picture: `5 states, 8 transitions`."""
    clusters = [*clusters_of(graph)]
    states = sum(len(cluster.nodes) for cluster in clusters)
    transitions = sum(len(edge.labels) for cluster in clusters for edge in cluster.all_edges)
    counts = {"machine": len(clusters), "state": states, "transition": transitions}
    return ", ".join(
        f"{count} {what}{'s' * (count != 1)}"
        for what, count in counts.items()
        if what != "machine" or count > 1
    )


def _drawn_datasets(
    datasets: tuple[DataSet, ...], kind: str, options: argparse.Namespace
) -> tuple[str | bytes, str]:
    from fsmkit.goap import DataSetError

    if kind and kind not in FORMATS_OF_DATASETS:
        raise CommandError(
            f"-o {options.output!r}: data sets are drawn as {', '.join(FORMATS_OF_DATASETS)}."
        )
    if option := given_option(options, NOT_FOR_DATASETS):
        option = option.replace("recordings", "recording")
        raise CommandError(f"{option} is for machines, not for data sets.")
    with plain_errors():
        try:
            if kind:
                picture = FORMATS_OF_DATASETS[kind](datasets, options)
            else:
                columns = Console(sys.stdout).columns
                picture = text_of_datasets(datasets, facts=options.actions, columns=columns)
        except (DataSetError, TypeError) as error:
            raise CommandError(str(error)) from None
    return picture, f"{len(datasets)} data set{'s' * (len(datasets) != 1)}"


def _looks(options: argparse.Namespace) -> dict[str, Any]:
    return {"facts": options.actions, "dark": options.dark, "direction": options.direction}


def _print(text: str) -> None:
    console = Console(sys.stdout)
    if not console.has_blocks:
        text = text.translate(ASCII)
    for line in text.splitlines():
        console.line(line)
