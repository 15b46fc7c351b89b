"""The command `fsmkit inspect`."""

from __future__ import annotations

import argparse
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from attrs import define, field

from fsmkit import Fsm, FsmError, FsmGroup, timing
from fsmkit.cli.command_errors import CommandError, explained, plain_errors
from fsmkit.cli.files import reading
from fsmkit.cli.interrupts import interrupts
from fsmkit.cli.options import (
    add_flag,
    add_rate_and_start,
    add_watch,
    check_start,
    expressions_in,
    given_option,
    group_of,
    integer_from,
    states_of,
)
from fsmkit.cli.settings import settings_for
from fsmkit.cli.targets import BuildFunction, file_of, find, folder_of, is_path
from fsmkit.diagram.positions import positions_file
from fsmkit.editing import Editor
from fsmkit.introspection.blocks import block
from fsmkit.introspection.definition_sites import DefinitionSites, noting_places
from fsmkit.introspection.nesting import members
from fsmkit.recording import RecordingError
from fsmkit.reloading import Origin, Reloader

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd
    from fsmkit.inspector import Inspector

HELP: Final = """\
Run a machine in real time and serve a live page that shows and controls it,
for this computer only. The address is printed and includes the access token.
Press Ctrl-C to stop. An open page comes back by itself when the program is
started again with the same --port.

TARGET is path.py:function or module:function, as for `fsmkit run`.

A state that is dragged on the page stays there: guard.positions.json, beside
guard.py, keeps its place, and `fsmkit draw` reads it as well.

With --edit the page changes the Python files of TARGET that are below the
working folder, a line or two at a time: each change is proved first, as by
`fsmkit edit`, and the machine goes on with the new code.

With a recording (a file that ends in .jsonl) the page shows what happened: the
graph, the timeline and the log, at any moment. With TARGET as well, the
recording is replayed, and actions and values are shown too. Two recordings are
shown side by side, at their first difference.

With --agents many agents run the machine, a CrowdFsm, and are counted, as by
`fsmkit crowd`.

With --static nothing runs here: a folder of files is written, and the machine
runs in the browser that shows them.

Example:
  fsmkit inspect examples/guard.py --open
  fsmkit inspect examples/guard.py --open --reload
  fsmkit inspect examples/guard.py --open --edit
  fsmkit inspect examples/guard.py --watch "context.transform.position"
  fsmkit inspect examples/stadium.py --agents 20000 --open
  fsmkit inspect guard.jsonl examples/guard.py --open
  fsmkit inspect before.jsonl after.jsonl examples/guard.py --open
  fsmkit inspect examples/guard.py --static site

"""

SUFFIX: Final = ".jsonl"

FOR_MACHINES: Final = ("edit", "reload", "stop_on_error", "watch")
"""The options that a crowd does not have."""

FOR_RUNS: Final = (*FOR_MACHINES, "start", "read_only", "dashboard", "editor", "agents")
"""Those for machines that run."""

FOR_LIVE: Final = (*FOR_RUNS, "fps")
"""Those that recordings do not have."""

FOR_SERVED: Final = (*FOR_RUNS, "open", "port")
"""Those that a page without a server does not have."""

ONE_FILE: Final = "--static needs one TARGET, a Python file: path.py or path.py:function."


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="the machine, one or two recordings, or both; see above",
    )
    command.add_argument(
        "--port", type=integer_from(0, 65_535), default=0,
        help="port to listen on (default: a free one)", metavar="N",
    )  # fmt: skip
    add_rate_and_start(command)
    add_flag(command, "--open", "open the page in a browser")
    add_flag(
        command,
        "--dashboard",
        "give the address of the dashboard: many machines on a big screen, no controls",
    )
    add_flag(command, "--read-only", "let the page watch but not control")
    add_flag(command, "--stop-on-error", "pause the machines at each error")
    command.add_argument(
        "--editor",
        type=_link_to_editor,
        metavar="NAME",
        help="let a click on a line of code open it: vscode, pycharm, ... or an address with "
        "{path} and {line}",
    )
    add_watch(command, "show the value of a Python expression")
    add_flag(command, "--reload", "when the code changes, continue with the new version")
    add_flag(command, "--edit", "let the page change the code, and continue with it (--reload)")
    command.add_argument(
        "--agents", type=integer_from(1), help="run a crowd of N agents", metavar="N"
    )
    _add_static_arguments(command)


def _add_static_arguments(command: argparse.ArgumentParser) -> None:
    static = command.add_argument_group("without a server")
    static.add_argument(
        "--static",
        type=Path,
        help="write a page into FOLDER on which TARGET, a file, runs in the browser itself",
        metavar="FOLDER",
    )
    static.add_argument(
        "--runtime",
        type=Path,
        default=Path("node_modules"),
        help="where `npm install pyodide @viz-js/viz` has put Python for browsers "
        "(default: node_modules)",
        metavar="FOLDER",
    )


def carry_out(options: argparse.Namespace) -> int:
    if options.static is not None:
        return _write_static_page(options)
    recordings, target = _subjects(options.targets)
    if recordings:
        return _inspect_recordings(options, recordings, target)
    assert target is not None  # argparse wants a target
    build = find(target)
    reloads = options.reload or options.edit
    with noting_places() as places:  # to the end, since machines may be rebuilt
        machines = group_of(build()) if reloads else build()
        check_start(states_of(members(machines)), options.start)
        shown = machines if options.agents is None else _crowd_of(machines, target, options)
        with _inspected(shown, target, build, places, options) as inspector:
            try:
                with interrupts(signal.SIGINT, signal.SIGTERM) as check_interrupts:
                    url = inspector.dashboard_url if options.dashboard else inspector.url
                    print(url, flush=True)
                    if options.open:
                        webbrowser.open(url)
                    origin = Origin(build.module, build.name) if reloads else None
                    game = _Game(shown, inspector, origin, check_interrupts)
                    game.run(options.start, options.fps)
            except KeyboardInterrupt:
                print(file=sys.stderr)
    return 0


def _inspected(
    machines: Fsm[Any] | FsmGroup | Crowd,
    target: str,
    build: BuildFunction,
    places: DefinitionSites,
    options: argparse.Namespace,
) -> Inspector:
    from fsmkit.inspector import inspect

    script = file_of(target)
    editing = _editor_of(build, options) if options.edit else None
    with _listening(options.port):
        return inspect(
            machines,
            port=options.port,
            read_only=options.read_only,
            stop_on_error=options.stop_on_error,
            watch=expressions_in(options.watch, build.module) or None,
            places=places,
            editor=options.editor,
            ignore=settings_for(folder_of(target)).ignore,
            positions=None if script is None else positions_file(script),
            editing=editing,
            announce=None,
        )


def _editor_of(build: BuildFunction, options: argparse.Namespace) -> Editor:
    if options.read_only:
        raise CommandError("--edit is not for a page that is --read-only. Leave out one of them.")
    folder = Path.cwd()
    try:
        editor = Editor(build.function, folder)
    except (FsmError, TypeError) as error:  # the function cannot be found again
        raise CommandError(f"--edit: {error}") from None
    if not editor.file.resolve().is_relative_to(folder.resolve()):
        raise CommandError(f"--edit: {editor.file} is not below the working folder, {folder}.")
    return editor


@block
def _listening(port: int) -> Iterator[None]:
    """Explain the errors of the block, which starts a server."""
    try:
        yield
    except (ImportError, RecordingError, ValueError) as error:  # ValueError: the token
        raise CommandError(str(error)) from None
    except OSError as error:
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise CommandError(
            f"Cannot listen on port {port}: {cause.strerror}. Choose another --port, or omit it "
            "for a free one."
        ) from None


@define(eq=False)
class _Game:
    """A loop that continues after errors of the machines."""

    _machines: Fsm[Any] | FsmGroup | Crowd
    _inspector: Inspector
    _origin: Origin | None
    """The function that rebuilds the machines when their code has changed; None: never."""
    _check_interrupts: Callable[[], None]
    _reloader: Reloader = field(init=False)
    _told: list[str] = field(factory=list, init=False)
    """What the reloader has told since the last update."""

    def __attrs_post_init__(self) -> None:
        self._reloader = Reloader(self._tell)

    def run(self, start: str | None, fps: float) -> None:
        self._reload()  # from now on it watches the files
        if isinstance(self._machines, Fsm | FsmGroup):
            for machine in members(self._machines):
                if start in machine.states:
                    self._attempt(partial(machine.start, start))
                elif not machine.is_running:
                    self._attempt(machine.start)
        else:
            self._attempt(partial(self._machines.start, start))
        timing.run(self, fps)

    def update(self, dt: float) -> None:
        self._check_interrupts()
        self._reload()
        self._attempt(lambda: self._machines.update(dt))

    def _reload(self) -> None:
        if self._origin is None or not isinstance(self._machines, Fsm | FsmGroup):
            return
        before = members(self._machines)
        self._told.clear()
        self._reloader.reloaded_from(self._origin, self._machines)
        if members(self._machines) != before:
            self._inspector.note_exchange("the code has changed")
        elif self._told:  # what is wrong with the new code; the page would just stay as it is
            self._inspector.session.note("\n".join(self._told))

    def _tell(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
        self._told.append(text)

    def _attempt(self, call: Callable[[], object]) -> None:
        """Call; on an error, print it and pause. The page shows it as well and can continue."""
        try:
            call()
        except Exception as error:
            print(*explained(error), sep="\n", file=sys.stderr, flush=True)
            self._inspector.pause()


def _crowd_of(built: Fsm[Any] | FsmGroup, target: str, options: argparse.Namespace) -> Crowd:
    if option := given_option(options, FOR_MACHINES):
        raise CommandError(f"{option} is not for crowds. Leave out --agents.")
    with plain_errors():
        from fsmkit.crowd import Crowd, CrowdFsm
    if not isinstance(built, CrowdFsm):
        raise CommandError(
            f"--agents: {target!r} must return a CrowdFsm, got {built!r}. Give the function that "
            "returns one, or leave out --agents."
        )
    with plain_errors():
        return Crowd(built, options.agents)


def _subjects(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    recordings = [each for each in arguments if _is_recording(each)]
    targets = [each for each in arguments if not _is_recording(each)]
    if len(recordings) > 2:
        raise CommandError(f"Two recordings can be compared, got {len(recordings)}.")
    if len(targets) > 1:
        raise CommandError(
            f"{targets[0]!r} and {targets[1]!r} both name machines: give one of them. (A recording "
            f"is a file whose name ends in {SUFFIX}.)"
        )
    return recordings, targets[0] if targets else None


def _is_recording(argument: str) -> bool:
    """Return True for a path that ends in `.jsonl`, or of a file that begins as a recording."""
    if argument.endswith(SUFFIX):
        return True
    with suppress(OSError, ValueError), Path(argument).open("rb") as file:
        return file.read(40).startswith(b'{"format": "fsmkit recording"')
    return False


def _inspect_recordings(
    options: argparse.Namespace, recordings: Sequence[str], target: str | None
) -> int:
    if option := given_option(options, FOR_LIVE):
        raise CommandError(f"{option} is for machines that run, not for recordings.")
    from fsmkit.inspector import inspect_recording

    build = find(target) if target is not None else None
    for path in recordings:
        with reading(path), Path(path).open("rb"):
            pass
    with _listening(options.port):
        inspector = inspect_recording(*recordings, build=build, port=options.port, announce=None)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
    with inspector:
        try:
            print(inspector.url, flush=True)
            if target is None:
                print(
                    "The graph shows what occurred. To see actions and values too, give the "
                    f"machine as well: fsmkit inspect {' '.join(recordings)} game.py:build",
                    file=sys.stderr,
                    flush=True,
                )
            if options.open:
                webbrowser.open(inspector.url)
            Event().wait()
        except KeyboardInterrupt:
            print(file=sys.stderr)
    return 0


def _write_static_page(options: argparse.Namespace) -> int:
    from fsmkit.inspector.browser.folder import write_folder

    if option := given_option(options, FOR_SERVED):
        raise CommandError(f"--static writes files and runs nothing. Leave out {option}.")
    [target, *more] = options.targets
    if more or target.endswith(SUFFIX):
        raise CommandError(ONE_FILE)
    build = find(target)
    where = build.label.rpartition(":")[0]
    if not is_path(where):
        raise CommandError(ONE_FILE)
    build()  # an error here would be one on the page
    try:
        page = write_folder(options.static, Path(where), build.name, options.runtime)
    except OSError as error:
        folder = str(options.static)
        text = f"Cannot write into {folder!r}: {error.strerror}." if error.strerror else str(error)
        raise CommandError(text) from None
    print(page)
    print(f"Serve the folder as it is: python3 -m http.server --directory {options.static}")
    return 0


def _link_to_editor(text: str) -> str:
    from fsmkit.inspector.reading.code import checked_editor

    try:
        checked_editor(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
