"""`fsmkit inspect`: run a machine in real time, with a page to watch and control it."""

from __future__ import annotations

import argparse
import signal
import sys
import webbrowser
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from fsmkit import Fsm, FsmGroup, timing
from fsmkit.cli.errors import CommandError, explained
from fsmkit.cli.inspect_crowd import crowd_of
from fsmkit.cli.inspect_recordings import cannot_listen, given, inspect_recordings
from fsmkit.cli.interrupts import interrupts
from fsmkit.cli.options import add_rate_and_start, check_start, group_of, integer_from
from fsmkit.cli.settings import settings_for
from fsmkit.cli.static_page import add_static_arguments, write_static_page
from fsmkit.cli.targets import find, folder_of
from fsmkit.reloading import Origin, Reloader
from fsmkit.tooling.nesting import members
from fsmkit.tooling.places import Places, noting_places

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd
    from fsmkit.inspector import Inspector

HELP: Final = "show a machine that runs, or a recording of one, on a page in the browser"

DESCRIPTION: Final = """\
Run a machine in real time and serve a live page that shows and controls it,
for this computer only. The address is printed and includes the access token.
Press Ctrl-C to stop.

TARGET is path.py:function or module:function, as for `fsmkit run`.

With a recording (a file that ends in .jsonl) the page shows what was: graph,
timeline, log, at any moment. With TARGET beside it, it is replayed, and
actions and values are shown too. Two recordings are shown beside each other,
at their first difference.

With --agents many agents run the machine, a CrowdFsm, and are counted, as by
`fsmkit crowd`.

With --static nothing runs here: a folder of files is written, and the machine
runs in the browser that shows them.
"""

EXAMPLE: Final = """\
example:
  fsmkit inspect examples/guard.py --open
  fsmkit inspect examples/guard.py --open --reload
  fsmkit inspect examples/stadium.py --agents 20000 --open
  fsmkit inspect guard.jsonl examples/guard.py --open
  fsmkit inspect before.jsonl after.jsonl examples/guard.py --open
  fsmkit inspect examples/guard.py --static site
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    command.add_argument(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="the machine, one or two recordings, or both; see above",
    )
    command.add_argument(
        "--port", type=_port, default=0, help="port to listen on (default: a free one)", metavar="N"
    )
    add_rate_and_start(command)
    command.add_argument("--open", action="store_true", help="open the page in a browser")
    command.add_argument(
        "--dashboard",
        action="store_true",
        help="give the address of the dashboard: many machines on a big screen, no controls",
    )
    command.add_argument(
        "--read-only", action="store_true", help="let the page watch but not control"
    )
    command.add_argument(
        "--stop-on-error", action="store_true", help="hold the machines at each error"
    )
    command.add_argument(
        "--editor",
        type=_editor,
        metavar="NAME",
        help="let a click on a line of code open it: vscode, pycharm, ... or an address with "
        "{path} and {line}",
    )
    command.add_argument(
        "--reload",
        action="store_true",
        help="when the code is changed, go on with the new one",
    )
    command.add_argument(
        "--agents", type=integer_from(1), help="run a crowd of N agents", metavar="N"
    )
    add_static_arguments(command)


def carry_out(options: argparse.Namespace) -> int:
    """Run the command and return the exit code. Raises CommandError."""
    if options.static is not None:
        return write_static_page(options)
    wanted = given(options.targets)
    if wanted.recordings:
        return inspect_recordings(options, wanted)
    target = str(wanted.target)
    build = find(target)
    with noting_places() as places:  # to the end, since machines may be built anew
        machines = group_of(build()) if options.reload else build()
        check_start(machines, options.start)
        shown = machines if options.agents is None else crowd_of(machines, target, options)
        with _inspected(shown, target, places, options) as inspector:
            try:
                with interrupts(signal.SIGINT, signal.SIGTERM) as check_interrupts:
                    url = inspector.dashboard_url if options.dashboard else inspector.url
                    print(url, flush=True)
                    if options.open:
                        webbrowser.open(url)
                    origin = Origin(build.module, build.name) if options.reload else None
                    game = _Game(shown, inspector, origin, check_interrupts)
                    game.run(options.start, options.fps)
            except KeyboardInterrupt:
                print(file=sys.stderr)
    return 0


def _inspected(
    machines: Fsm[Any] | FsmGroup | Crowd, target: str, places: Places, options: argparse.Namespace
) -> Inspector:
    """Attach the inspector. Raises CommandError."""
    from fsmkit.inspector import inspect

    try:
        return inspect(
            machines,
            port=options.port,
            read_only=options.read_only,
            stop_on_error=options.stop_on_error,
            places=places,
            editor=options.editor,
            ignore=settings_for(folder_of(target)).ignore,
            announce=None,
        )
    except ImportError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise cannot_listen(options.port, error) from None


class _Game:
    """A loop that continues whatever the machines do."""

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup | Crowd,
        inspector: Inspector,
        origin: Origin | None,
        check_interrupts: Callable[[], None],
    ) -> None:
        self._machines = machines
        self._inspector = inspector
        self._origin = origin
        """Where the machines are built anew when the code has changed; None: never."""
        self._check_interrupts = check_interrupts
        self._reloader = Reloader(self._say)
        self._reload()  # from now on it watches the files

    def run(self, start: str | None, fps: float) -> None:
        """Start the machines and run them until the user interrupts."""
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
        """Let time pass."""
        self._check_interrupts()
        self._reload()
        self._attempt(lambda: self._machines.update(dt))

    def _reload(self) -> None:
        if self._origin is None or not isinstance(self._machines, Fsm | FsmGroup):
            return
        before = members(self._machines)
        self._reloader.reloaded_from(self._origin, self._machines)
        if members(self._machines) != before:
            self._inspector.note_exchange("the code has changed")

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def _attempt(self, call: Callable[[], object]) -> None:
        """Call; print an error and pause. The page shows it as well and can continue."""
        try:
            call()
        except Exception as error:
            print(*explained(error), sep="\n", file=sys.stderr, flush=True)
            self._inspector.pause()


def _editor(text: str) -> str:
    from fsmkit.inspector.reading.code import checked_editor

    try:
        checked_editor(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, got {text!r}")
    return int(text)
