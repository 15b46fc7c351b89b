"""The command `fsmkit completion`: a script that lets a shell complete our commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Final

from attrs import frozen

from fsmkit.cli import COMMANDS, CommandParser, declare

HELP: Final = """\
Print a script that lets a shell complete commands, options, their values and
files. Write it where your shell looks for such scripts; the next shell that
you open has it.

Example:
  fsmkit completion bash > ~/.local/share/bash-completion/completions/fsmkit
  fsmkit completion zsh > ~/.zfunc/_fsmkit
  fsmkit completion fish > ~/.config/fish/completions/fsmkit.fish

"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=SCRIPTS, metavar="SHELL", help="%(choices)s")


def carry_out(options: argparse.Namespace) -> int:
    print("\n".join(SCRIPTS[options.shell]()))
    return 0


@frozen
class CompletedArgument:
    """An option or a positional argument, as far as a shell completes it."""

    names: tuple[str, ...]
    """Of an option; empty for a positional argument."""
    help: str
    metavar: str
    """What its value is called; empty without one."""
    values: tuple[str, ...]
    """The values to choose from; empty if it takes others, too."""
    is_repeatable: bool

    @property
    def is_folder(self) -> bool:
        return self.metavar == "FOLDER"

    @property
    def is_path(self) -> bool:
        return self.metavar.startswith(("FILE", "FOLDER", "TARGET"))


def arguments_of(command: str) -> list[CompletedArgument]:
    """Return the arguments of a command, the options first, with those of its own commands."""
    if command == "help":
        return [CompletedArgument((), "", "COMMAND", tuple(COMMANDS), is_repeatable=False)]
    parser = CommandParser()
    declare(parser, command)
    found = dict.fromkeys(map(_argument, parser.declared))
    for action in parser.declared:
        if isinstance(action, argparse._SubParsersAction):
            deeper = (_argument(each) for verb in action.choices.values() for each in verb.declared)
            found.update((each, None) for each in deeper if each.names)
    return sorted(found, key=lambda each: not each.names)


def _argument(action: argparse.Action) -> CompletedArgument:
    values = tuple(map(str, action.choices or ()))
    text = (action.help or "") % (vars(action) | {"choices": ", ".join(values)})
    takes_value = action.nargs != 0
    shown = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    repeatable = isinstance(action, argparse._AppendAction) or action.nargs == "+"
    return CompletedArgument(
        tuple(action.option_strings), text.partition(";")[0], shown if takes_value else "",
        values, repeatable,
    )  # fmt: skip


# Bash


def _bash() -> Iterator[str]:
    yield BASH_BEGIN
    arguments = {command: arguments_of(command) for command in (*COMMANDS, "help")}
    given: dict[str, list[str]] = {}
    for command, found in arguments.items():
        for each in found:
            names = [f"{command}:{name}" for name in each.names if each.metavar]
            given.setdefault(_bash_values(each), []).extend(names)
    for values, names in given.items():
        if values and names:
            yield f"        {'|'.join(names)})"
            yield f"            {values}; return ;;"
    yield "    esac"
    yield "    case $command in"
    yield f"        '') values='{' '.join(arguments)}' options='--help --version' ;;"
    for command, found in arguments.items():
        options = " ".join(name for each in found for name in each.names)
        places = [each.values for each in found if not each.names]
        values = next((f"values='{' '.join(each)}'" for each in places if each), "")
        if values and not places[0]:  # a file is first
            values = f"if ((given > 1)); then {values}; fi;"
        yield f"        {command}) {values} options='{options}' ;;"
    yield BASH_END


def _bash_values(argument: CompletedArgument) -> str:
    """Return what completes the value of an option; empty for files, as Bash does it."""
    if argument.values:
        words = " ".join(argument.values)
        return f"""mapfile -t COMPREPLY < <(compgen -W '{words}' -- "$word")"""
    if argument.is_folder:
        return "compopt +o default -o dirnames"
    return "" if argument.is_path else "compopt +o default"


BASH_BEGIN: Final = """\
# Completion of fsmkit for Bash 4 and later
_fsmkit() {
    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}
    local command='' values='' options='' given=0 each
    if [[ $word == '=' ]]; then word=''; fi
    if [[ $option == '=' ]]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi
    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $each != -* ]]; then command=${command:-$each}; ((given += 1)); fi
    done
    case $command:$option in"""

BASH_END: Final = """\
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif [[ -n $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    fi
}
complete -o default -F _fsmkit fsmkit"""


# Zsh


def _zsh() -> Iterator[str]:
    yield ZSH_BEGIN
    for command, title in (*COMMANDS.items(), HELP_COMMAND):
        yield f"                {_quoted(f'{command}:{title}')}"
    yield "            )"
    yield "            _describe command commands ;;"
    yield "        arguments) case $words[1] in"
    for command in (*COMMANDS, "help"):
        yield f"            {command}) _arguments -s \\"
        *others, last = [spec for each in arguments_of(command) for spec in _zsh_specs(each)]
        yield from (f"                {spec} \\" for spec in others)
        yield f"                {last} ;;"
    yield ZSH_END


def _zsh_specs(argument: CompletedArgument) -> Iterator[str]:
    """Yield what `_arguments` reads of an argument: a line for each of its names."""
    action = _zsh_action(argument)
    if not argument.names:
        begin = "*:" if argument.is_repeatable else ":"
        yield _quoted(f"{begin}{argument.metavar}:{action}")
    for name in argument.names:
        others = " ".join(argument.names) if not argument.is_repeatable else ""
        begin = f"({others})" if others else "*"
        text = _escaped(argument.help)
        value = f":{argument.metavar}:{action}" if argument.metavar else ""
        equals = "=" if value and name.startswith("--") else ""
        yield _quoted(f"{begin}{name}{equals}[{text}]{value}")


def _zsh_action(argument: CompletedArgument) -> str:
    if argument.values:
        return f"({' '.join(argument.values)})"
    return "_files -/" if argument.is_folder else "_files" if argument.is_path else ""


def _escaped(text: str) -> str:
    for sign in "\\[]:":
        text = text.replace(sign, f"\\{sign}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


HELP_COMMAND: Final = ("help", "show the help of a command")

ZSH_BEGIN: Final = """\
#compdef fsmkit
# Completion of fsmkit for Zsh
_fsmkit() {
    local curcontext=$curcontext state line
    _arguments -C '(-)'{-h,--help}'[show the help]' '(-)--version[show the version]' \\
        '1: :->command' '*:: :->arguments'
    case $state in
        command)
            local -a commands=("""

ZSH_END: Final = """\
        esac ;;
    esac
}
if [[ $funcstack[1] == _fsmkit ]]; then _fsmkit "$@"; else compdef _fsmkit fsmkit; fi"""


# Fish


def _fish() -> Iterator[str]:
    yield "# Completion of fsmkit for fish"
    yield "complete -c fsmkit -f"
    yield f"complete -c fsmkit -n {FISH_FIRST} -s h -l help -d 'show the help'"
    yield f"complete -c fsmkit -n {FISH_FIRST} -l version -d 'show the version'"
    for command, title in (*COMMANDS.items(), HELP_COMMAND):
        yield f"complete -c fsmkit -n {FISH_FIRST} -a {command} -d {_fish_quoted(title)}"
        for each in arguments_of(command):
            if each.names or each.values or each.is_path:
                where = f"'__fish_seen_subcommand_from {command}'"
                yield f"complete -c fsmkit -n {where} {_fish_spec(each)}"


def _fish_spec(argument: CompletedArgument) -> str:
    parts = [f"-l {name[2:]}" if name[:2] == "--" else f"-s {name[1:]}" for name in argument.names]
    if argument.values:
        parts.append(f"{'-x ' if parts else ''}-a '{' '.join(argument.values)}'")
    elif argument.is_folder:
        parts.append("-x -a '(__fish_complete_directories)'")
    elif argument.is_path:
        parts.append("-r -F" if parts else "-F")
    elif argument.metavar:
        parts.append("-x")
    if argument.names:
        parts.append(f"-d {_fish_quoted(argument.help)}")
    return " ".join(parts)


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


FISH_FIRST: Final = "__fish_use_subcommand"

SCRIPTS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "bash": _bash, "zsh": _zsh, "fish": _fish,
}  # fmt: skip
