"""The command `fsmkit mcp`: a server of the Model Context Protocol, for coding agents."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

from attrs import frozen

import fsmkit
from fsmkit.cli.command_errors import CommandError
from fsmkit.cli.edit import OPTIONS
from fsmkit.cli.limited_commands import LONGEST_ANSWER, LimitedCommands, short
from fsmkit.cli.options import above_zero, add_flag
from fsmkit.cli.pages import found_sections, sections
from fsmkit.cli.tool_arguments import fault_of_names, fault_of_value
from fsmkit.core.words.suggestions import did_you_mean, similar
from fsmkit.editing import MalformedEditError, edit_from
from fsmkit.editing.request import EDIT_KINDS

HELP: Final = """\
Serve the tools of fsmkit to a coding agent, by the Model Context Protocol on
stdin and stdout. An MCP client starts this command; see docs/agents.md for how
to set it up. The tools read Python files below FOLDER and run them as the other
commands do; with --edit they change them too.

Needs `pip install 'fsmkit[mcp]'`.

Example:
  fsmkit mcp
  fsmkit mcp game --edit

"""

INSTRUCTIONS: Final = """\
fsmkit builds state machines in Python. A target is a Python file in the folder, and the \
function in it that returns the machine: guard.py:build; without a function, build.
The loop: check (mistakes that the code shows), explore (mistakes that happen in some run, each \
with a test), read and draw (what is there, with lines), edit or change the file yourself, and \
check again. run and why show what happens at a time, and why an event leads nowhere. docs has \
the documentation of this version: search it before you write code for fsmkit.
Long answers are cut; left_out says where."""

TARGET: Final = "target: a Python file in the folder, and the function that builds: guard.py:build."
INPUTS: Final = 'inputs: events that come from outside: ["HIT", "NOISE=3"] with data as JSON.'
EVENTS: Final = 'events: sent from outside, at seconds: ["HIT@2.5", "NOISE@3={\\"at\\": [1, 2]}"].'

DESCRIPTIONS: Final = {
    "check": f"""\
Find mistakes without running the machine. Each finding has a code, a place with the line, what is \
wrong and what to do. {TARGET} {INPUTS} Name them, and events that nobody sends are found too.""",
    "explore": f"""\
Run the machine with every input through all its time, and find errors, endless loops, states that \
are never left or entered, transitions that are never taken, each with the shortest script there. \
{TARGET} {INPUTS} By default all events that no action sends. moments, seconds: how far to go. \
failures: let every action fail that may.""",
    "test": f"""\
Return the findings of explore that have the code, with a test in Python for each. It passes as \
long as the mistake is there: turn its last assertion round once it is mended. {TARGET} {INPUTS} \
state: only findings about this state.""",
    "paths": f"""\
Return a few scripts of waits (in seconds) and events that together take every transition, and the \
transitions that none takes. {TARGET} {INPUTS} For tests: fsmkit.testing.drive(fsm, script).""",
    "run": f"""\
Run the machine and return the visits to states, the events and the errors, with their times, and \
the seconds spent in each state. {TARGET} {EVENTS} start: the first state. since: leave out what \
began before this time.""",
    "why": f"""\
Say what an event would do in a machine at a time, and why, or why it would do nothing: which \
transition or action takes it, which guard refuses. {TARGET} at: seconds after the start. {EVENTS} \
data: that of the asked event, as JSON.""",
    "read": f"""\
Return the states, transitions, groups and actions with their parameters, each with file and line. \
An action's index is what edit and findings call it; a target of null stands for BACK. {TARGET} \
state: only this one, and its transitions.""",
    "draw": f"""\
Draw the machine. {TARGET} kind: text, mermaid, dot, svg, or png (an image). findings: mark what \
check finds.""",
    "edit": f"""\
Change the Python code by one edit. It is proved: the file is run with it, and must build the same \
machine but for this change; otherwise it is refused with the reason. Without write the diff is \
only shown. {TARGET} edit: an object with a kind and its fields: \
{"; ".join(f"{name}: {', '.join(kind.fields)}" for name, kind in EDIT_KINDS.items())}. \
A source is a state or a group, null for any state; a target may be BACK. rank, at, inside, \
within, parameters and machine may be left out. index is the action's ("2/0" for a child). \
inside: the index of a composite that the action is put into; within: a new one for it, such as \
Sequence. Values are text as written in Python: "4.0", "'SEEN'", "guard.body". everywhere: also \
if the line makes several parts. digest, of an answer: write that diff and no other.""",
    "docs": """\
Search the documentation of this version and return the best sections. page: return this page \
instead, by its name in a search result.""",
}
"""What the agent reads of each tool. It is no docstring: `python -OO` drops those."""

KINDS: Final = {"text": "txt", "mermaid": "mmd", "dot": "dot", "svg": "svg", "png": "png"}
"""Kinds of drawings -> the ends of their files."""

SECTIONS: Final = 6
"""How many sections a search returns."""

LONGEST_SECTION: Final = 3_000
"""Its characters there."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="FOLDER",
        help="the folder of the project (default: the working folder)",
    )  # fmt: skip
    add_flag(command, "--edit", "let the tools write files below the folder")
    command.add_argument(
        "--seconds", type=above_zero, default=60.0, metavar="S",
        help="how long a tool may take (default: 60)",
    )  # fmt: skip


def carry_out(options: argparse.Namespace) -> int:
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise CommandError(f"The server needs mcp: pip install 'fsmkit[mcp]'. ({error})") from None
    if not options.folder.is_dir():
        raise CommandError(f"There is no folder {str(options.folder)!r}.")
    commands = LimitedCommands(options.folder.resolve(), options.seconds, ToolError)
    agent_tools = AgentTools(commands, options.edit)
    tools = {name: getattr(agent_tools, name) for name in DESCRIPTIONS}

    class AgentServer(MCPServer):  # type: ignore[misc, unused-ignore]  # optional
        """Says itself what is wrong with arguments; the SDK ignores unknown names."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            if fault := fault_of_names(tools, name, arguments):
                raise ToolError(fault)
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                cause: Any = error.__cause__
                if type(cause).__name__ != "ValidationError":  # pydantic's, of an argument's type
                    raise
                argument = str(cause.errors()[0]["loc"][0])
                fault = fault_of_value(tools[name], argument, arguments[argument])
                raise ToolError(fault) from None

    server = AgentServer(
        "fsmkit", version=fsmkit.__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )
    for name, tool in tools.items():
        description = DESCRIPTIONS[name]
        server.add_tool(tool, name=name, description=description, structured_output=False)
    server.run()
    return 0


@frozen
class AgentTools:
    """The tools. Their names and parameters are those that the agent sees."""

    commands: LimitedCommands
    may_write: bool

    async def check(self, target: str, inputs: list[str] | None = None) -> str:
        return short(await self._checked(target, inputs))

    async def explore(
        self,
        target: str,
        inputs: list[str] | None = None,
        moments: int = 1000,
        seconds: float = 60.0,
        failures: bool = False,
    ) -> str:
        options = [f"--moments={moments}", f"--seconds={seconds}"]
        options += ["--failures"] if failures else []
        found = await self._checked(target, inputs, "--explore", *options)
        for finding in found["findings"]:
            finding.pop("test", None)  # they are long; the tool `test` returns them
        return short(found)

    async def test(
        self, target: str, code: str, state: str | None = None, inputs: list[str] | None = None
    ) -> str:
        found = (await self._checked(target, inputs, "--explore"))["findings"]
        meant = [
            each
            for each in found
            if each["code"] == code and state in (None, each["place"]["state"])
        ]
        if not meant:
            codes = ", ".join(dict.fromkeys(each["code"] for each in found)) or "none"
            raise self.commands.failure(
                f"explore finds no {code!r} there. The codes that it finds: {codes}."
            )
        if not any(each.get("test") for each in meant):
            raise self.commands.failure(
                f"{code!r} is found in the code, without running it, so there is no test to show."
            )
        return short({"findings": meant})

    async def paths(self, target: str, inputs: list[str] | None = None, moments: int = 1000) -> str:
        options = ("--explore", "--paths", f"--moments={moments}")
        found = await self._checked(target, inputs, *options)
        (only,) = found["targets"]
        return short({**only["paths"], "walk": only["walk"]})

    async def run(
        self,
        target: str,
        seconds: float = 10.0,
        events: list[str] | None = None,
        start: str | None = None,
        since: float = 0.0,
    ) -> str:
        options = [f"--start={start}"] if start is not None else []
        found = await self._ran(target, seconds, events, *options)
        for key, when in (("visits", "start"), ("events", "time"), ("errors", "time")):
            found[key] = [each for each in found[key] if each[when] >= since]
        return short({key: each for key, each in found.items() if key not in ("values", "why")})

    async def why(
        self,
        target: str,
        event: str,
        at: float,
        events: list[str] | None = None,
        data: str | None = None,
    ) -> str:
        asked = event if data is None else f"{event}={data}"
        found = await self._ran(target, at, events, f"--why={asked}")
        return short({key: found[key] for key in ("error", "seconds", "machines", "why")})

    async def read(self, target: str, state: str | None = None) -> str:
        found = await self.commands.answer("draw", "--", self.commands.target(target))
        states = dict.fromkeys(
            each["state"] for machine in found["machines"] for each in machine["states"]
        )
        if state is not None and state not in states:
            raise self.commands.failure(
                f"There is no state {state!r}. {did_you_mean(state, states)}The states: "
                f"{', '.join(states)}."
            )
        for machine in found["machines"] if state is not None else ():
            machine["states"] = [each for each in machine["states"] if each["state"] == state]
            machine["transitions"] = [
                each for each in machine["transitions"] if state in (each["source"], each["target"])
            ]
        return short({"machines": found["machines"]})

    async def draw(
        self,
        target: str,
        kind: Literal["text", "mermaid", "dot", "svg", "png"] = "text",
        actions: bool = False,
        findings: bool = False,
    ) -> Any:
        flags = [*(["--actions"] if actions else []), *(["--findings"] if findings else [])]
        with TemporaryDirectory() as folder:
            picture = Path(folder, f"machine.{KINDS[kind]}")
            arguments = [*flags, "-o", str(picture), "--", self.commands.target(target)]
            await self.commands.answer("draw", *arguments)
            if kind != "png":
                return _cut(picture.read_text("utf-8"), LONGEST_ANSWER)
            from mcp.server.mcpserver import Image

            return Image(data=picture.read_bytes(), format="png")

    async def edit(
        self,
        target: str,
        edit: dict[str, Any],
        write: bool = False,
        everywhere: bool = False,
        digest: str | None = None,
    ) -> str:
        if write and not self.may_write:
            raise self.commands.failure(
                "This server may not write: start it as `fsmkit mcp FOLDER --edit`. Without write "
                "the diff is shown."
            )
        try:
            kind, options, arguments = _edit_arguments(edit)
        except MalformedEditError as error:
            raise self.commands.failure(str(error)) from None
        options += ["--write"] if write else []
        options += ["--everywhere"] if everywhere else []
        options += [f"--digest={digest}"] if digest is not None else []
        target = self.commands.target(target)
        found = await self.commands.answer("edit", target, kind, *options, "--", *arguments)
        if found.get("shared"):
            found["reason"] += ". To change all of them, call edit again with everywhere"
        return short(found)

    def docs(self, query: str = "", page: str | None = None) -> str:
        if page is not None:
            text = "\n\n".join(each.text for each in sections() if each.page == page)
            if not text:
                raise self.commands.failure(_no_page(page))
            return _cut(text, LONGEST_ANSWER)
        if not query.strip():
            raise self.commands.failure('docs needs a query, such as "pause the game", or a page.')
        found = found_sections(query)
        shown = [
            f"# {each.page}: {each.heading}\n\n{_cut(each.text, LONGEST_SECTION)}"
            for each in found[:SECTIONS]
        ]
        others = [f"{each.page}: {each.heading}" for each in found[SECTIONS : 3 * SECTIONS]]
        return "\n\n".join([*shown, f"More: {'; '.join(others) or 'nothing'}."])

    async def _checked(
        self, target: str, inputs: list[str] | None, *options: str
    ) -> dict[str, Any]:
        events = [f"--input={each}" for each in inputs or ()]
        arguments = [*options, *events, "--", self.commands.target(target)]
        found = await self.commands.answer("check", *arguments)
        for each in found["targets"]:
            if each["error"] is not None:
                raise self.commands.failed(each["error"])
        return found

    async def _ran(
        self, target: str, seconds: float, events: list[str] | None, *options: str
    ) -> dict[str, Any]:
        sent = [f"--event={event}" for event in events or ()]
        arguments = [f"--seconds={seconds}", *sent, *options, "--", self.commands.target(target)]
        return await self.commands.answer("run", *arguments)


def _edit_arguments(edit: dict[str, Any]) -> tuple[str, list[str], list[str]]:
    """Return the kind of an edit, its options and its arguments, for `fsmkit edit`."""
    request: dict[str, Any] = {
        key: repr(each) if key == "value" and isinstance(each, (bool, float, int)) else each
        for key, each in edit.items()
    }
    edit_from(request)
    kind: str = request.pop("kind")
    options = [
        f"--{key}={request[key]}" for key in ("machine", *OPTIONS) if request.get(key) is not None
    ]
    arguments: list[str] = []
    for key in EDIT_KINDS[kind].fields:
        if key == "parameters":
            arguments += [f"{name}={value}" for name, value in request.get(key, {}).items()]
        elif key not in OPTIONS:
            arguments.append("*" if request[key] is None else str(request[key]))
    return kind, options, arguments


def _no_page(name: str) -> str:
    pages = dict.fromkeys(each.page for each in sections())
    by_last_part = {page.rpartition("/")[2]: page for page in pages}
    close = similar(name.rpartition("/")[2], by_last_part)
    hint = "" if close is None else f"Did you mean {by_last_part[close]!r}? "
    return f"There is no page {name!r}. {hint}The pages: {', '.join(pages)}."


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest} characters were left out)"
