"""What an agent reads that gives a tool wrong arguments."""

import inspect
from pathlib import Path

from every import every

from fsmkit.cli.limited_commands import LimitedCommands
from fsmkit.cli.mcp import DESCRIPTIONS, AgentTools
from fsmkit.cli.tool_arguments import fault_of_names, fault_of_value

AGENT_TOOLS = AgentTools(LimitedCommands(Path(), 1.0, ValueError), may_write=False)
TOOLS = {name: getattr(AGENT_TOOLS, name) for name in DESCRIPTIONS}
GUARD = {"target": "guard.py"}


@every(
    ("tool", "given", "fault"),
    [
        ("check", GUARD, None),
        ("docs", {}, None),
        ("chek", GUARD, ("There is no tool 'chek'. Did you mean 'check'? The tools: "
         "check, explore, test, paths, run, why, read, draw, edit, docs.")),
        ("check", {}, "check needs 'target'. Its arguments: target, inputs."),
        ("check", {"taget": "guard.py"},
         "check has no argument 'taget'. Did you mean 'target'? Its arguments: target, inputs."),
        ("run", {**GUARD, "second": 3}, ("run has no argument 'second'. Did you mean 'seconds'? "
         "Its arguments: target, seconds, events, start, since.")),
        ("read", {**GUARD, "xyz": 1},
         "read has no argument 'xyz'. Its arguments: target, state."),
        ("why", {**GUARD, "event": "HIT"},
         "why needs 'at'. Its arguments: target, event, at, events, data."),
    ],
)  # fmt: skip
def test_a_wrong_name_is_named_with_the_nearest_right_one(
    tool: str, given: dict[str, object], fault: str | None
) -> None:
    assert fault_of_names(TOOLS, tool, given) == fault


@every(
    ("tool", "name", "value", "fault"),
    [
        ("check", "target", 3, "check: target must be a text, got 3."),
        ("run", "seconds", None, "run: seconds must be a number, got null."),
        ("run", "start", 1, "run: start must be a text or null, got 1."),
        ("explore", "moments", "many", 'explore: moments must be a whole number, got "many".'),
        ("edit", "edit", "add", 'edit: edit must be an object, got "add".'),
        ("draw", "kind", "pgn", ("draw: kind must be one of 'text', 'mermaid', 'dot', 'svg', "
         "'png', got \"pgn\". Did you mean 'png'?")),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_what_is_wanted(
    tool: str, name: str, value: object, fault: str
) -> None:
    assert fault_of_value(TOOLS[tool], name, value) == fault


def test_every_argument_of_every_tool_has_a_kind_of_value() -> None:
    for tool in TOOLS.values():
        for name in inspect.signature(tool).parameters:
            assert " must be " in fault_of_value(tool, name, "?")
