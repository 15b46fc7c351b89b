"""`fsmkit completion`: what shells complete by the scripts that it prints."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.cli import COMMANDS, CommandParser, declare

Command = Callable[..., tuple[int, list[str], list[str]]]

OPTIONS = {}
"""Command -> its options of several letters."""

for name in COMMANDS:
    parser = CommandParser()
    declare(parser, name)
    texts = [text for action in parser.declared for text in action.option_strings]
    OPTIONS[name] = {text for text in texts if text.startswith("--")}


@pytest.fixture
def script(folder: Path, command: Command) -> Callable[[str], Path]:
    """Writes the script of a shell, in a folder with two files and a folder."""

    def write(shell: str) -> Path:
        path = folder / f"completion.{shell}"
        exit_code, lines, errors = command("completion", shell)
        assert (exit_code, errors) == (0, [])
        path.write_text("\n".join(lines), "utf-8")
        (folder / "guard.py").touch()
        (folder / "museum").mkdir()
        return path

    return write


def available(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_every_option_is_completed(
    shell: str, script: Callable[[str], Path]
) -> None:
    words = set(script(shell).read_text("utf-8").replace("=[", " ").replace("[", " ").split())
    words |= {f"--{word}" for word in words} | {word.rpartition(")")[2] for word in words}
    words |= {word.lstrip("'*").partition(":")[0].rstrip("')") for word in words}
    missing = {
        name: options - words for name, options in OPTIONS.items() if {name, *options} - words
    }
    assert missing == {}


@pytest.mark.parametrize(
    "shell", [pytest.param(s, marks=available(s)) for s in ("bash", "zsh", "fish")]
)
def test_the_shell_understands_its_script(shell: str, script: Callable[[str], Path]) -> None:
    subprocess.run([shell, "-n", str(script(shell))], check=True)


LINES = [
    ("fsmkit ru", ["run"]),
    ("fsmkit run --re", ["--realtime", "--reload"]),
    ("fsmkit new --engine pyg", ["pygame", "pyglet"]),
    ("fsmkit edit guard.py ret", ["retarget"]),
    ("fsmkit help dr", ["draw"]),
    ("fsmkit completion ", ["bash", "fish", "zsh"]),
    ("fsmkit run --seconds ", []),
]

BASH = """
source completion.bash
compopt() { :; }
COMP_WORDS=($1)
case $1 in *' ') COMP_WORDS+=('') ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_fsmkit
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.slow
@available("bash")
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_bash_completes(line: str, expected: list[str], script: Callable[[str], Path]) -> None:
    script("bash")
    assert sorted(lines_of("bash", "-c", BASH, "bash", line)) == expected


@pytest.mark.slow
@available("fish")
@pytest.mark.parametrize(
    ("line", "expected"),
    [*LINES, ("fsmkit run gua", ["guard.py"]), ("fsmkit demo --copy mu", ["museum/"])],
)
def test_fish_completes(line: str, expected: list[str], script: Callable[[str], Path]) -> None:
    script("fish")
    found = lines_of("fish", "-N", "-c", "source completion.fish; complete -C $argv[1]", line)
    assert sorted(each.partition("\t")[0] for each in found) == expected


ZSH = """
zmodload zsh/zpty
zpty shell "PS1= zsh -f -i"
send() { zpty -w shell "$1"; }
send "autoload -Uz compinit; compinit -u -d dump; source completion.zsh; echo re''ady"
zpty -r shell answer '*ready*'
zpty -w -n shell "$1"$'\\t'
zpty -r shell answer "*$2*" && echo completed
zpty -d shell
"""


@pytest.mark.slow
@available("zsh")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fsmkit comp", "fsmkit completion"),
        ("fsmkit run --rel", "fsmkit run --reload"),
        ("fsmkit new --engine pan", "fsmkit new --engine panda3d"),
        ("fsmkit run gua", "fsmkit run guard.py"),
        ("fsmkit edit guard.py ret", "fsmkit edit guard.py retarget"),
    ],
)
def test_zsh_completes(line: str, expected: str, script: Callable[[str], Path]) -> None:
    script("zsh")
    assert lines_of("zsh", "-f", "-c", ZSH, "zsh", line, expected) == ["completed"]


def lines_of(*command: str) -> list[str]:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return [line for line in ended.stdout.splitlines() if line]
