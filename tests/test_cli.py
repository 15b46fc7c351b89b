"""The command `fsmkit run`: what it prints, and what it says when something is wrong."""

import os
import signal
import subprocess
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from importlib.metadata import version
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from fsmkit.cli.options import TimedEvent, timed_event
from fsmkit.core import CORE_KIND
from fsmkit.terminal.console import Console

ROOT = Path(__file__).parents[1]

LAMP = """
from fsmkit import Fsm, FsmAction, FsmGroup

def build():
    fsm = Fsm("Lamp")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", off)
    return fsm
"""

Command = Callable[..., tuple[int, list[str], list[str]]]


pytestmark = pytest.mark.usefixtures("folder")


def script(folder: Path, source: str, name: str = "lamp.py") -> str:
    (folder / name).write_text(LAMP + source, "utf-8")
    return name


def fsmkit(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, **options.pop("environment", {})}
    stdout = options.pop("stdout", subprocess.PIPE)
    return subprocess.Popen(
        [sys.executable, "-m", "fsmkit", *arguments],
        env=environment, stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip


# What it prints


def test_prints_a_line_per_change_and_a_bar_per_state(folder: Path, command: Command) -> None:
    lamp = script(folder, "")
    assert command("run", lamp, "--event", "PRESSED@2.5", "--event", "PRESSED@7.5") == (
        0,
        [
            "     time  machine  from  event      to",
            "   0.00 s  Lamp           (start)    Off",
            "   2.50 s  Lamp     Off   PRESSED    On",
            "   7.50 s  Lamp     On    PRESSED    Off",
            "",
            "Lamp",
            "  Off   5.00 s   50%  ████████████████████",
            "  On    5.00 s   50%  ████████████████████",
        ],
        [],
    )


def test_values_of_expressions_are_shown_at_each_change(folder: Path, command: Command) -> None:
    lamp = script(folder, "LIT = {'On': 40}\n")
    options = ("--event", "PRESSED@3", "--seconds", "4", "--fps", "8")
    code, lines, errors = command("run", lamp, *options, "--watch", "LIT[state]", "--watch", "time")
    assert (code, lines[1:3], errors) == (
        0,
        [
            "  0.00 s  Lamp           (start)    Off   LIT[state] = <KeyError: 'Off'>  time = 0.0",
            "  3.00 s  Lamp     Off   PRESSED    On    LIT[state] = 40  time = 3.0",
        ],
        [],
    )


def test_what_is_no_expression_is_refused(folder: Path, command: Command) -> None:
    code, _, errors = command("run", script(folder, ""), "--watch", "x = 1")
    assert code == 2
    assert "'x = 1' is not a Python expression (invalid syntax)." in errors[-1]


def test_a_failure_is_shown_with_its_reason(folder: Path, command: Command) -> None:
    lamp = script(
        folder,
        "class Burn(FsmAction):\n"
        "    def on_update(self):\n"
        "        self.fail('no oil')\n"
        "def build():\n"
        "    fsm = Fsm('Lamp')\n"
        "    fsm.add_state('On').add_action(Burn())\n"
        "    fsm.states['On'].add_transition('FAILED', fsm.add_state('Off'))\n"
        "    return fsm\n",
    )
    _, lines, _ = command("run", lamp, "--fps", "4", "--seconds", "1")
    assert lines[2] == "  0.25 s  Lamp     On    FAILED: 'no oil'  Off"


def test_times_are_those_of_the_steps(folder: Path, command: Command) -> None:
    lamp = script(folder, "")
    events = [f"--event=PRESSED@{seconds}" for seconds in (0, 0.26, 0.5, 1.0)]
    _, lines, _ = command("run", lamp, "--fps", "4", "--seconds", "1", *events)
    assert [line.split()[0] for line in lines[1:6]] == ["0.00", "0.00", "0.50", "0.50", "1.00"]


def test_events_of_one_step_are_sent_in_the_order_of_their_times(
    folder: Path, command: Command
) -> None:
    events = ["--event=LATER@0.9", "--event=EARLIER@0.8", "--event=LAST@0.9"]
    _, lines, _ = command("run", script(folder, ""), "--fps", "1", *events)
    assert [line.split()[4] for line in lines[2:5]] == ["EARLIER", "LATER", "LAST"]


@pytest.mark.slow
def test_many_steps_add_up_to_the_exact_time(folder: Path, command: Command) -> None:
    lamp = script(folder, "")
    _, lines, _ = command("run", lamp, "--seconds", "2000", "--fps", "10", "--event=PRESSED@1999.9")
    assert lines[2:] == [
        "  1999.90 s  Lamp     Off   PRESSED    On",
        "",
        "Lamp",
        "  Off  1999.90 s  100%  ████████████████████████████████████████",
        "  On      0.10 s    0%  ▏",
    ]


def test_start_chooses_the_first_state(folder: Path, command: Command) -> None:
    _, lines, _ = command("run", script(folder, ""), "--start", "On", "--seconds", "1")
    assert lines[1] == "  0.00 s  Lamp           (start)    On"


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        ("PRESED", "PRESED     (unknown; did you mean PRESSED?)"),
        ("NOISES", "NOISES     (unknown; did you mean NOISE?)"),
        ("RAIN", "RAIN       (unknown)"),
        ("SLEPT", "SLEPT      (no effect)"),  # another state knows it
    ],
)
def test_an_event_that_nobody_takes_is_shown(
    event: str, shown: str, folder: Path, command: Command
) -> None:
    slept = "fsm.states['On'].add_transition('SLEPT', 'Off')"
    ears = script(folder, EARS.replace("return", f"{slept}; return"))
    exit_code, lines, errors = command("run", f"{ears}:ears", "--event", f"{event}@3")
    assert lines[2] == f"   3.00 s  Lamp     Off   {shown}"
    assert (exit_code, errors) == (0, [])


EARS = """
from actions import OnEvent

def ears():
    fsm = build()
    fsm.states["Off"].add_action(OnEvent("NOISE", lambda state, data: print("heard", data)))
    return fsm
"""


def test_events_are_sent_with_their_data_and_shown_with_it(folder: Path, command: Command) -> None:
    ears = script(folder, EARS)
    events = ['--event=NOISE@0.5={"at": [3, 3]}', "--event=PRESSED@1=0.5", '--event=OH@1.5="é"']
    assert command("run", f"{ears}:ears", "--seconds=2", *events)[1][:5] == [
        "    time  machine  from  event                 to",
        "  0.00 s  Lamp           (start)               Off",
        "heard {'at': [3, 3]}",
        "  1.00 s  Lamp     Off   PRESSED 0.5           On",
        '  1.50 s  Lamp     On    OH "é"                (unknown)',
    ]


def test_data_may_be_long_and_is_cut_where_it_is_shown(folder: Path, command: Command) -> None:
    lamp = script(folder, "")
    _, lines, _ = command("run", lamp, f"--event=PRESSED@1={[0] * 50}")
    assert lines[2] == (
        "   1.00 s  Lamp     Off   PRESSED [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,…  On"
    )


ODD_EVENTS = {
    "A=B@1": TimedEvent("A=B", 1.0),
    "a@b@1": TimedEvent("a@b", 1.0),
    "@@1": TimedEvent("@", 1.0),
    'MAIL@1="a@2"': TimedEvent("MAIL", 1.0, "a@2"),
    'MAIL@1="a@2=3"': TimedEvent("MAIL", 1.0, "a@2=3"),
    "A@1=B@2": TimedEvent("A@1=B", 2.0),
    "A@1=B@2=[1]": TimedEvent("A@1=B", 2.0, [1]),
    "A@1e-1=null": TimedEvent("A", 0.1),
}


@pytest.mark.parametrize("text", ODD_EVENTS)
def test_a_name_ends_where_a_time_follows_and_data_that_is_json(text: str) -> None:
    assert timed_event(text) == ODD_EVENTS[text]


def test_data_that_is_not_json_is_refused_with_the_reason(folder: Path, command: Command) -> None:
    exit_code, _, errors = command("run", script(folder, ""), "--event", "NOISE@2={at: 3}")
    assert exit_code == 2
    assert errors[-1] == (
        "fsmkit run: error: argument --event: the data after = must be JSON, such as SPOTTED@2.5, "
        "or NOISE@2={\"at\": [3, 3]} with data, got '{at: 3}': Expecting property name enclosed "
        "in double quotes: line 1 column 2 (char 1)"
    )


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]"])
def test_numbers_that_json_does_not_have_are_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match=f"got '.*': {text.strip('[]')} is not JSON"):
        timed_event(f"NOISE@2={text}")


GROUP = """
def group():
    lamps = FsmGroup(build() for _ in range({count}))
    list(lamps)[-1].start("On")
    return lamps
"""


def test_a_group_is_run_as_one_and_the_started_are_left_alone(
    folder: Path, command: Command
) -> None:
    lamps = script(folder, GROUP.format(count=2))
    assert command("run", f"{lamps}:group", "--seconds=2", "--event=PRESSED@1")[1] == [
        "    time  machine  from  event      to",
        "  0.00 s  Lamp           (start)    Off",
        "  0.00 s  Lamp #2        (running)  On",
        "  1.00 s  Lamp     Off   PRESSED    On",
        "  1.00 s  Lamp #2  On    PRESSED    Off",
        "",
        "Lamp",
        "  Off  1.00 s   50%  ████████████████████",
        "  On   1.00 s   50%  ████████████████████",
        "",
        "Lamp #2",
        "  Off  1.00 s   50%  ████████████████████",
        "  On   1.00 s   50%  ████████████████████",
    ]


def test_the_times_of_a_big_group_are_summed_up(folder: Path, command: Command) -> None:
    lamps = script(folder, GROUP.format(count=10))
    assert command("run", f"{lamps}:group", "--seconds=2")[1][-4:] == [
        "",
        "Lamp and 9 more",
        "  Off  18.00 s   90%  ████████████████████████████████████",
        "  On    2.00 s   10%  ████",
    ]


NESTED = """
from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import FINISHED

def house():
    fsm = Fsm("House")
    evening, night = fsm.add_state("Evening"), fsm.add_state("Night")
    evening.add_action(RunFsm(build()))
    evening.add_transition("LATE", night)
    night.add_action(TimedWait(1.0))
    night.add_action(DelegateAction(on_exit=lambda state: print("(yawn)")))
    night.add_transition(FINISHED, evening)
    night.add_transition("OFF", evening)
    return fsm
"""


def test_machines_inside_machines_are_shown(folder: Path, command: Command) -> None:
    house = script(folder, NESTED)
    events = ["--event=PRESSED@1", "--event=LATE@2"]
    assert command("run", f"{house}:house", "--seconds=3", *events)[1] == [
        "    time  machine     from     event      to",
        "  0.00 s  House                (start)    Evening",
        "  0.00 s  House/Lamp           (start)    Off",
        "  1.00 s  House/Lamp  Off      PRESSED    On",
        "  2.00 s  House       Evening  LATE       Night",
        "  2.00 s  House/Lamp  On       (stop)",
        "(yawn)",
        "  3.00 s  House       Night    FINISHED   Evening",
        "  3.00 s  House/Lamp           (start)    Off",
        "",
        "House",
        "  Evening  2.00 s   67%  ██████████████████████████▋",
        "  Night    1.00 s   33%  █████████████▍",
        "",
        "House/Lamp",
        "  Off  1.00 s   33%  █████████████▍",
        "  On   1.00 s   33%  █████████████▍",
    ]


GAME = """
from fsmkit import BACK

def game():
    fsm = Fsm("Game")
    play, menu, title = fsm.add_state("Play"), fsm.add_state("Menu"), fsm.add_state("Title")
    play.add_transition("PAUSE", menu, suspend=True)
    menu.add_transition("RESUME", BACK)
    menu.add_transition("QUIT", title, when=lambda state: state.fsm.time > 5)
    return fsm
"""


def test_what_is_suspended_and_resumed_is_shown_and_counted(folder: Path, command: Command) -> None:
    game = script(folder, GAME)
    sent = ("PAUSE@1", "QUIT@2", "RESUME@3", "PAUSE@4", "QUIT@6")
    events = [f"--event={event}" for event in sent]
    assert command("run", f"{game}:game", "--seconds=8", "--fps=4", *events)[1] == [
        "    time  machine  from   event      to",
        "  0.00 s  Game            (start)    Play",
        "  1.00 s  Game     Play   PAUSE      Menu",
        "  2.00 s  Game     Menu   QUIT       (no effect)",
        "  3.00 s  Game     Menu   RESUME     Play",
        "  4.00 s  Game     Play   PAUSE      Menu",
        "  6.00 s  Game     Menu   QUIT       Title",
        "",
        "Game",
        "  Play   2.00 s   25%  ██████████",
        "  Menu   4.00 s   50%  ████████████████████",
        "  Title  2.00 s   25%  ██████████",
    ]


def test_ends_when_all_machines_have_stopped(folder: Path, command: Command) -> None:
    lamp = script(
        folder,
        """
from actions import DelegateAction

def mortal():
    fsm = build()
    fsm.states["On"].add_action(DelegateAction(lambda state: fsm.stop()))
    return fsm

def mortals():
    return FsmGroup([mortal(), mortal()])
""",
    )
    assert command("run", f"{lamp}:mortals", "--event=PRESSED@2")[1][1:11] == [
        "   0.00 s  Lamp           (start)    Off",
        "   0.00 s  Lamp #2        (start)    Off",
        "   2.00 s  Lamp     Off   PRESSED    On",
        "   2.00 s  Lamp #2  Off   PRESSED    On",
        "   2.00 s  Lamp     On    (stop)",
        "   2.00 s  Lamp #2  On    (stop)",
        "",
        "Lamp",
        "  Off  2.00 s  100%  ████████████████████████████████████████",
        "  On   0.00 s    0%",
    ]


def test_machines_that_join_the_group_are_watched(folder: Path, command: Command) -> None:
    lamps = script(
        folder,
        """
from actions import DelegateAction

def growing():
    group = FsmGroup()
    fsm = group.add(build())
    fsm.states["On"].add_action(DelegateAction(lambda state: group.add(build()).start()))
    return group
""",
    )
    _, lines, _ = command("run", f"{lamps}:growing", "--event=PRESSED@1", "--event=PRESSED@2")
    assert [line.split()[2:] for line in lines[1:]][:4] == [
        ["Lamp", "(start)", "Off"],
        ["Lamp", "Off", "PRESSED", "On"],
        ["Lamp", "On", "PRESSED", "Off"],
        ["Lamp", "#2", "Off", "PRESSED", "On"],
    ]


def test_wide_and_unprintable_names_stay_in_their_columns(folder: Path, command: Command) -> None:
    guard = script(
        folder,
        r"""
def guard():
    fsm = Fsm("守卫")
    patrol, chase = fsm.add_state("巡逻"), fsm.add_state("on\nfoot")
    patrol.add_transition("看见", chase)
    return fsm
""",
    )
    assert command("run", f"{guard}:guard", "--seconds=4", "--event=看见@1")[1] == [
        "    time  machine  from      event      to",
        "  0.00 s  守卫               (start)    巡逻",
        r"  1.00 s  守卫     巡逻      看见       on\nfoot",
        "",
        "守卫",
        "  巡逻      1.00 s   25%  ██████████",
        r"  on\nfoot  3.00 s   75%  ██████████████████████████████",
    ]


def test_realtime_steps_by_the_clock(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds + 0.001

    monkeypatch.setattr("fsmkit.timing.time.monotonic", lambda: now)
    monkeypatch.setattr("fsmkit.timing.time.sleep", sleep)
    lamp = script(folder, "")
    arguments = ["run", lamp, "--seconds=2", "--event=PRESSED@0.5"]
    by_the_clock = command(*arguments, "--realtime")
    assert now >= 2.0
    assert by_the_clock == command(*arguments)


# Where it looks


@pytest.mark.parametrize(
    "target", ["lamp.py", "lamp.py:build", "./lamp.py:build", "lamp", "lamp:build", "lamp:"]
)
def test_a_target_is_a_file_or_a_module_with_or_without_a_function(
    target: str, folder: Path, command: Command
) -> None:
    script(folder, "")
    exit_code, lines, errors = command("run", target, "--seconds", "1")
    assert (exit_code, lines[-1], errors) == (0, "  On   0.00 s    0%", [])


def test_a_script_finds_its_siblings_but_is_not_run_as_a_script(
    folder: Path, command: Command
) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "sibling.py").write_text("import lamp\nassert lamp.__file__", "utf-8")
    script(folder, 'import sibling\nassert __name__ != "__main__"', "below/lamp.py")
    assert command("run", "below/lamp.py")[0] == 0


def test_a_script_may_have_the_name_of_a_module_in_use(folder: Path, command: Command) -> None:
    script(folder, "import argparse\nassert argparse.ArgumentParser", "argparse.py")
    assert command("run", "argparse.py")[0] == 0


WRONG_TARGETS = {
    "nowhere.py": "There is no file 'nowhere.py'. Give the path of a Python file, relative to "
    "'{folder}', or the name of a module.",
    ".": "'.' is a folder. Give the path of a Python file, relative to '{folder}', or the name of "
    "a module.",
    "nowhere.to:go": "There is no module 'nowhere.to', neither installed nor in '{folder}'. Check "
    "the spelling, or give the path of a Python file.",
    "lamp.py:biuld": "'lamp.py' has no function 'biuld'. Its functions: build, nothing, needy. "
    "Name the one that returns the machine: lamp.py:FUNCTION.",
    "lamp.py:number": "'lamp.py:number' is not a function but 5. Give a function without arguments "
    "that returns the machine.",
    "lamp.py:nothing": "'lamp.py:nothing' must return an Fsm or an FsmGroup, got None. Let it end "
    "with `return fsm`.",
    "lamp.py:FsmGroup": "'lamp.py:FsmGroup' returned an FsmGroup without machines. Add at least "
    "one.",
    "lamp.py:needy": "'lamp.py:needy' takes arguments: (guard). Give a function without arguments "
    "that returns the machine; it may call this one.",
}


@pytest.mark.parametrize("target", WRONG_TARGETS)
def test_says_what_is_wrong_with_a_target(target: str, folder: Path, command: Command) -> None:
    script(folder, "number = 5\ndef nothing(): pass\ndef needy(guard): pass")
    message = WRONG_TARGETS[target].format(folder=folder)
    assert command("run", target) == (2, [], [f"fsmkit: {message}"])


BROKEN = {
    "import nowhere": ["ModuleNotFoundError: No module named 'nowhere'"],
    "raise KeyError('door')": ["KeyError: 'door'"],
    "assert False": ["AssertionError"],
}


@pytest.mark.parametrize("target", ["broken.py", "broken"])
@pytest.mark.parametrize("source", BROKEN)
def test_says_why_a_file_or_module_cannot_be_imported(
    source: str, target: str, folder: Path, command: Command
) -> None:
    (folder / "broken.py").write_text(source, "utf-8")
    what = "file" if target == "broken.py" else "module"
    assert command("run", target) == (
        2,
        [],
        [
            f"fsmkit: The {what} '{target}' cannot be imported.",
            *(f"  {line}" for line in BROKEN[source]),
            "  in broken.py, line 1, <module>",
            "  Add --traceback to see the calls that led there.",
        ],
    )


def test_shows_a_syntax_error_where_it_is(folder: Path, command: Command) -> None:
    (folder / "broken.py").write_text("def build(:\n", "utf-8")
    exit_code, lines, errors = command("run", "broken.py")
    assert (exit_code, lines) == (2, [])
    assert "      def build(:" in errors
    assert "  SyntaxError: invalid syntax" in errors


def test_the_error_about_a_script_that_ends_the_program_says_how_not_to(
    folder: Path, command: Command
) -> None:
    (folder / "broken.py").write_text("raise SystemExit(3)", "utf-8")
    exit_code, _, errors = command("run", "broken.py")
    assert exit_code == 2
    assert errors[0] == (
        "fsmkit: The file 'broken.py' exits as soon as it is imported. Put the code that only a "
        'script should run below `if __name__ == "__main__":`.'
    )


def test_says_why_the_function_failed(folder: Path, command: Command) -> None:
    lamp = script(folder, "def twice():\n    build().add_state('Off')\n")
    assert command("run", f"{lamp}:twice") == (
        2,
        [],
        [
            "fsmkit: 'lamp.py:twice' failed before it returned a machine.",
            (
                "  DuplicateStateError: Fsm 'Lamp' has a state 'Off' already. "
                "Names are unique in a machine."
            ),
            "  in lamp.py, line 11, twice",
            "  Add --traceback to see the calls that led there.",
        ],
    )


PARSING = """
import json
from actions import DelegateAction

def read(text):
    return json.loads(text)

def broken():
    return read("{")

def failing():
    fsm = build()
    fsm.states["Off"].add_action(DelegateAction(on_update=lambda state: read("{")))
    return fsm

def evaluated():
    return eval("1 +")
"""


@pytest.mark.parametrize("function", ["broken", "failing"])
def test_an_error_of_a_library_is_shown_where_the_user_called_it(
    function: str, folder: Path, command: Command
) -> None:
    _, _, errors = command("run", f"{script(folder, PARSING)}:{function}")
    called, raised, _ = errors[-3:]
    assert called == "  in lamp.py, line 15, read"
    assert raised.startswith("  raised in ")
    assert "decoder.py, line " in raised


def test_a_library_that_fails_while_a_file_is_imported_is_called_from_that_file(
    folder: Path, command: Command
) -> None:
    (folder / "raises.py").write_text("import json\nx = json.loads('{')\n", "utf-8")
    _, _, errors = command("draw", "raises.py")
    assert errors[0] == "fsmkit: The file 'raises.py' cannot be imported."
    assert errors[2] == "  in raises.py, line 2, <module>"
    assert errors[3].startswith("  raised in ")


def test_a_syntax_error_in_code_that_is_in_no_file_has_the_line_that_ran_it(
    folder: Path, command: Command
) -> None:
    _, _, errors = command("run", f"{script(folder, PARSING)}:evaluated")
    assert "  SyntaxError: invalid syntax" in errors
    assert "  in lamp.py, line 26, evaluated" in errors


# When the machine fails

FAILING = """
class Flicker(FsmAction):
    def on_update(self):
        if self.fsm.time > 1.4999:
            raise RuntimeError("no more light")

def failing():
    fsm = build()
    fsm.states["Off"].add_action(Flicker())
    return fsm

def failing_group():
    return FsmGroup(failing() for _ in range(7))
"""

FAILED = [
    "RuntimeError: no more light",
    "Fsm 'Lamp', state 'Off', actions[0] (Flicker), on_update",
    "in lamp.py, line 14, on_update",
]


def test_an_exception_ends_the_run_and_is_reported_without_a_traceback(
    folder: Path, command: Command
) -> None:
    lamp = script(folder, FAILING)
    assert command("run", f"{lamp}:failing") == (
        1,
        [
            "     time  machine  from  event      to",
            "   0.00 s  Lamp           (start)    Off",
        ],
        [
            "fsmkit: The run failed at 1.50 s.",
            *(f"  {line}" for line in FAILED),
            "  Add --traceback to see the calls that led there.",
        ],
    )


def test_the_traceback_comes_first_on_request(folder: Path, command: Command) -> None:
    lamp = script(folder, FAILING)
    exit_code, _, errors = command("run", f"{lamp}:failing", "--traceback")
    assert exit_code == 1
    assert errors[0] == "Traceback (most recent call last):"
    assert '    raise RuntimeError("no more light")' in errors
    assert errors[-4:] == ["fsmkit: The run failed at 1.50 s.", *(f"  {line}" for line in FAILED)]


def test_several_exceptions_in_a_group_are_reported_one_by_one(
    folder: Path, command: Command
) -> None:
    lamp = script(folder, FAILING)
    exit_code, _, errors = command("run", f"{lamp}:failing_group")
    assert exit_code == 1
    assert errors == [
        "fsmkit: The run failed at 1.50 s.",
        "  ExceptionGroup: 7 machines of the group failed (7 sub-exceptions)",
        *(f"    {line}" for line in FAILED * 5),
        "    and 2 more",
        "  Add --traceback to see the calls that led there.",
    ]


def test_a_chain_without_end_is_reported(folder: Path, command: Command) -> None:
    lamp = script(
        folder,
        """
class Press(FsmAction):
    def on_enter(self):
        self.fsm.send_event("PRESSED")

def endless():
    fsm = build()
    for state in fsm.states.values():
        state.add_action(Press())
    return fsm
""",
    )
    exit_code, _, errors = command("run", f"{lamp}:endless")
    assert exit_code == 1
    assert errors == [
        "fsmkit: The run failed at 0.00 s.",
        (
            "  TransitionLoopError: Fsm 'Lamp': more than 100 state changes within one call. They "
            "repeat: On -> Off -> On. Let one of them wait for an update or an event, or raise "
            "max_transitions."
        ),
        "  Add --traceback to see the calls that led there.",
    ]


# Wrong usage


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--event", "PRESSED@11"],
            (
                "fsmkit: --event PRESSED@11 is after the end of the run at 10 s. "
                "Send it earlier, or increase --seconds."
            ),
        ),
        (
            ["--start", "Om"],
            "fsmkit: --start 'Om': there is no such state. The states are: 'Off', 'On'.",
        ),
        *(
            (
                ["--event", event],
                (
                    "fsmkit run: error: argument --event: must be an event with a time in seconds, "
                    f'such as SPOTTED@2.5, or NOISE@2={{"at": [3, 3]}} with data, got {event!r}'
                ),
            )
            for event in ("PRESSED", "PRESSED@", "@1", "PRESSED@-1", "PRESSED@inf", "PRESSED@x")
        ),
        *(
            (
                [option, number],
                (
                    f"fsmkit run: error: argument {option}: must be a finite number > 0, "
                    f"got {number!r}"
                ),
            )
            for option in ("--seconds", "--fps")
            for number in ("0", "-1", "nan", "inf", "ten")
        ),
    ],
)
def test_says_what_is_wrong_with_an_argument(
    arguments: list[str], message: str, folder: Path, command: Command
) -> None:
    exit_code, lines, errors = command("run", script(folder, ""), *arguments)
    assert (exit_code, lines, errors[-1]) == (2, [], message)


def test_version(command: Command) -> None:
    assert command("--version") == (0, [f"fsmkit {version('fsmkit')} ({CORE_KIND})"], [])


def test_without_a_command_it_prints_its_help(command: Command) -> None:
    exit_code, lines, _ = command()
    assert exit_code == 2
    assert lines[0].startswith("usage: fsmkit ")


@pytest.mark.parametrize(
    ("arguments", "usage", "message"),
    [
        (
            ["run", "lamp.py", "--secnds", "3"],
            "usage: fsmkit run ",
            "fsmkit run: error: unrecognized arguments: --secnds. Did you mean --seconds?",
        ),
        (
            ["draw", "lamp.py", "--drak=1"],
            "usage: fsmkit draw ",
            "fsmkit draw: error: unrecognized arguments: --drak=1. Did you mean --dark?",
        ),
        (
            ["run", "lamp.py", "-z", "--qwxyz"],
            "usage: fsmkit run ",
            "fsmkit run: error: unrecognized arguments: -z --qwxyz",
        ),
        (
            ["run", "lamp.py", "other.py"],
            "usage: fsmkit run ",
            "fsmkit run: error: unrecognized arguments: other.py",
        ),
        (
            ["--verison"],
            "usage: fsmkit [",
            "fsmkit: error: unrecognized arguments: --verison. Did you mean --version?",
        ),
    ],
)
def test_an_unknown_option_is_refused_by_its_command(
    arguments: list[str], usage: str, message: str, command: Command
) -> None:
    exit_code, lines, errors = command(*arguments)
    assert (exit_code, lines, errors[-1]) == (2, [], message)
    assert errors[0].startswith(usage)


@pytest.mark.parametrize("arguments", [["chekc", "lamp.py"], ["help", "chekc"]])
def test_a_misspelt_command_is_understood(arguments: list[str], command: Command) -> None:
    exit_code, lines, errors = command(*arguments)
    assert (exit_code, lines) == (2, [])
    assert errors[-1].startswith(
        "fsmkit: error: There is no command 'chekc'. Did you mean 'check'? The commands are: new, "
    )


def test_help_is_a_command_too(command: Command) -> None:
    assert command("help") == command("--help")
    assert command("help", "check") == command("check", "--help")
    assert command("help")[0] == 0


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_every_help_shows_an_example(arguments: list[str], command: Command) -> None:
    exit_code, lines, _ = command(*arguments)
    assert exit_code == 0
    assert "  fsmkit run examples/guard.py --seconds 20" in lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ([], "check     find mistakes in a machine before it runs"),
        (["check"], "Look for mistakes in a machine without running it"),
    ],
)
def test_help_needs_no_docstrings(command: list[str], words: str) -> None:
    arguments = [sys.executable, "-OO", "-m", "fsmkit", *command, "--help"]
    assert words in subprocess.check_output(arguments, encoding="utf-8")


# Terminals


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (StringIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    stream: StringIO, environment: dict[str, str], coloured: bool
) -> None:
    console = Console(stream, environment=environment)
    assert console.styled("Patrol", "bold") == ("\033[1mPatrol\033[0m" if coloured else "Patrol")


@pytest.mark.parametrize(
    ("encoding", "bars"),
    [
        ("utf-8", ["", "▏", "▌", "███▊", "████"]),
        ("ascii", ["", "#", "#", "####", "####"]),
        ("cp1252", ["", "#", "#", "####", "####"]),
    ],
)
def test_bars_are_made_of_what_the_encoding_has(
    encoding: str, bars: list[str], tmp_path: Path
) -> None:
    with (tmp_path / "out").open("wb") as file:
        console = Console(TextIOWrapper(file, encoding=encoding))
        assert [console.bar(share, 4) for share in (0.0, 0.001, 0.125, 0.95, 1.0)] == bars


@pytest.mark.slow
def test_an_encoding_without_the_characters_changes_them_and_not_the_columns(folder: Path) -> None:
    script(folder, 'def guard():\n    fsm = Fsm("Wächter")\n    fsm.add_state("A")\n    return fsm')
    run = fsmkit("run", "lamp.py:guard", "--seconds=1", environment={"PYTHONIOENCODING": "ascii"})
    output, errors = run.communicate()
    assert errors == ""
    assert output.splitlines() == [
        "    time  machine     from  event      to",
        r"  0.00 s  W\xe4chter        (start)    A",
        "",
        r"W\xe4chter",
        "  A  1.00 s  100%  ########################################",
    ]


# Being cut short


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("function", ["build", "chatty", "group"])
def test_ends_quietly_when_its_reader_has_gone(
    function: str, unbuffered: str, folder: Path
) -> None:
    script(
        folder,
        GROUP.format(count=9)
        + """
from actions import DelegateAction

def chatty():
    fsm = build()
    fsm.states["Off"].add_action(DelegateAction(on_update=lambda state: print("x" * 1000)))
    return fsm
""",
    )
    reader, writer = os.pipe()
    os.close(reader)
    try:
        environment = {"PYTHONUNBUFFERED": unbuffered}
        run = fsmkit("run", f"lamp.py:{function}", environment=environment, stdout=writer)
    finally:
        os.close(writer)
    _, errors = run.communicate()
    assert (errors, run.returncode) == ("", 141)


def test_a_broken_pipe_of_the_machines_own_is_an_error_like_any_other(
    folder: Path, command: Command
) -> None:
    lamp = script(
        folder,
        """
from actions import DelegateAction

def radio(state):
    raise BrokenPipeError("nobody listens")

def failing():
    fsm = build()
    fsm.states["Off"].add_action(DelegateAction(radio))
    return fsm
""",
    )
    exit_code, _, errors = command("run", f"{lamp}:failing")
    assert (exit_code, errors[1]) == (1, "  BrokenPipeError: nobody listens")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
def test_ctrl_c_ends_the_run_with_what_there_is(folder: Path) -> None:
    script(folder, "")
    with fsmkit("run", "lamp.py", "--realtime", "--seconds", "60") as run:
        assert run.stdout is not None
        first = [run.stdout.readline() for _ in range(2)]
        run.send_signal(signal.SIGINT)
        rest, errors = run.communicate()
    assert first[1] == "   0.00 s  Lamp           (start)    Off\n"
    assert rest.splitlines()[:2] == ["", "Lamp"]
    assert (errors, run.returncode) == ("", 130)


def test_a_choice_that_is_misspelt_is_named(folder: Path, command: Command) -> None:
    for arguments, meant in (
        (("new", "slime.py", "--engine=pygam"), "pygame"),
        (("edit", script(folder, ""), "add-stat", "Dim"), "add-state"),
    ):
        code, _, errors = command(*arguments)
        assert (code, errors[-1].endswith(f". Did you mean {meant!r}?")) == (2, True)


def test_a_file_of_another_kind_is_not_imported(folder: Path, command: Command) -> None:
    (folder / "guard.svg").write_text("<svg/>")
    advice = "Give one that has a function build."
    assert command("run", "guard.svg") == (
        2, [], [f"fsmkit: 'guard.svg' is not a Python file. {advice}"],
    )  # fmt: skip


@pytest.mark.slow
def test_a_command_loads_no_package_that_it_does_not_need(folder: Path) -> None:
    for arguments, unneeded in (
        (["--help"], {"attr", "inspect", "fsmkit.checking", "fsmkit.recording"}),
        (["--version"], {"attr", "inspect", "fsmkit.checking", "fsmkit.recording"}),
        (["check", script(folder, "")], {"fsmkit.diagram", "fsmkit.exploring", "fsmkit.recording"}),
        (["run", script(folder, "")], {"fsmkit.checking", "fsmkit.diagram", "fsmkit.inspector"}),
    ):
        code = f"""
import sys, fsmkit.cli
try:
    fsmkit.cli.main({arguments!r})
finally:
    print()
    print(*sys.modules)
"""
        process = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False
        )
        loaded = process.stdout.splitlines()[-1].split()
        assert "fsmkit.cli.command_errors" in loaded
        assert not unneeded.intersection(loaded), arguments
