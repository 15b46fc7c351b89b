"""What a hostile page may try to write into the code: it is refused, or a harmless literal."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from socket import create_connection
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from fsmkit.cli.targets import find
from fsmkit.editing import Editor
from fsmkit.inspector.local import LocalInspector

CANARY = "__import__('pathlib').Path('canary').touch()"

GUARD = """\
import os

from actions import DelegateAction, Log, TimedWait
from fsmkit import Fsm

LOUD = 3


def build():
    guard = Fsm("Guard")
    patrol = guard.add_state("Patrol")
    fire = guard.add_state("Fire")
    patrol.add_action(TimedWait(2.0))
    patrol.add_action(Log("hello"))
    patrol.add_action(DelegateAction(on_enter=None, on_exit=None))
    patrol.add_transition("SEEN", fire)
    return guard
"""


class Attacker:
    """A page that edits `guard.py`."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page = page
        self.path = folder / "guard.py"
        self.folder = folder

    def tries(self, edit: Any, **options: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.page.ask("edit", edit=edit, **{"write": True, **options})
        assert not (self.folder / "canary").exists()
        return answer

    def literals(self) -> list[object]:
        """The constants of the file that GUARD has not."""
        mine, theirs = (
            [each.value for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Constant)]
            for text in (self.path.read_text(), GUARD)
        )
        return [each for each in mine if each not in theirs]

    def is_unchanged(self) -> bool:
        return self.path.read_bytes() == GUARD.encode()


@pytest.fixture
def opened(folder: Path, inspected: Callable[..., Any]) -> Callable[[], Attacker]:
    def opened() -> Attacker:
        (folder / "guard.py").write_text(GUARD)
        build = find("guard.py").function
        return Attacker(inspected(build(), editing=Editor(build, folder)), folder)

    return opened


@pytest.fixture
def attacker(opened: Any, request: Any) -> Any:
    return opened()


inside = pytest.mark.parametrize("inspected", ["inside"], indirect=True)

# Names

REFUSED_NAMES = {
    "nothing": "",
    "a new line": "x\nimport os",
    "a carriage return": "x\rimport os",
    "a line separator": "x\u2028import os",
    "a zero": "x\x00",
    "a tab": "\t",
    "an escape": "\x1b[2J",
    "another direction": "evil\u202egnp.exe",
    "no width": "Pat\u200brol",
    "half a letter": "\ud800",
    "private use": "\ue000",
    "too long": "x" * 201,
    "a number": 3,
    "a list": ["x"],
}

LITERAL_NAMES = {
    "a quote": "'",
    "a double quote": '"',
    "an end of the call": f'"); {CANARY}; ("',
    "an end of the string": f"' + {CANARY} + '",
    "three quotes": f'""" + {CANARY} + """',
    "a backslash": "\\",
    "an escaped quote": '\\"',
    "braces": f"{{{CANARY}}}",
    "a format": "%s %(x)s ${x} {0}",
    "a comment": "# x",
    "markup": "<script>alert(1)</script>",
    "a name of Python's": "__class__",
    "a word of Python's": "None",
    "a space": "a b",
    "a confusable": "P\u0430trol",
    "a combining letter": "e\u0301",
    "a ligature": "\ufb01re",
    "a picture": "\N{PILE OF POO}",
}


@inside
@pytest.mark.parametrize("name", REFUSED_NAMES.values(), ids=REFUSED_NAMES)
@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "add-state"},
        {"kind": "rename-state", "state": "Patrol"},
        {"kind": "add-transition", "source": "Fire", "event": ..., "target": "Fire"},
        {"kind": "rename-event", "source": "Patrol", "event": "SEEN", "new_event": ...},
    ],
    ids=lambda edit: edit["kind"],
)
def test_a_name_that_is_no_line_of_letters_is_refused(attacker: Any, edit: Any, name: Any) -> None:
    new = next((field for field, value in edit.items() if value is ...), "name")
    answer = attacker.tries({**edit, new: name})
    assert not answer["proved"]
    assert answer["reason"].startswith(f"{edit['kind']}: {new} must be ")
    assert attacker.is_unchanged()


@inside
@pytest.mark.parametrize("name", LITERAL_NAMES.values(), ids=LITERAL_NAMES)
def test_a_name_is_written_as_a_literal(attacker: Any, name: str) -> None:
    assert attacker.tries({"kind": "add-state", "name": name})["written"]
    event = {"kind": "add-transition", "source": "Fire", "event": name, "target": name}
    assert attacker.tries(event)["written"]
    assert set(attacker.literals()) == {name}
    machine: Any = find("guard.py").function()
    assert [*machine.states] == ["Patrol", "Fire", name]
    assert [*machine.states["Fire"].transitions] == [name]


@inside
def test_a_name_that_python_reads_as_another_gets_a_variable_of_its_own(attacker: Any) -> None:
    assert attacker.tries({"kind": "add-state", "name": "\ufb01re"})["written"]
    assert "    fire_state = guard.add_state(" in attacker.path.read_text()


# Values

REFUSED_VALUES = {
    "a call": CANARY,
    "a call of the file": "build()",
    "a function": "lambda: 1",
    "a condition": "1 if True else 2",
    "a sum": "1 + LOUD",
    "a comprehension": "[1 for _ in (1, 2)]",
    "a format": "f'{LOUD}'",
    "a walrus": "(x := 1)",
    "a star": "*LOUD",
    "two arguments": "1, duration=2",
    "an end of the call": f"1)); {CANARY}; print((1",
    "a new line": f"1\n{CANARY}",
    "a tab": "\t1",
    "bytes": "b'x'",
    "dots": "...",
    "a set": "{1, 2}",
    "complex": "1j",
    "not a number": "nan",
    "infinite": "inf",
    "too large": "1e400",
    "below": "-1e400",
    "a huge integer": "9" * 400,
    "a huge hexadecimal": "0x" + "f" * 900,
    "too many digits": "9" * 5_000,
    "nothing": "",
    "a space": " ",
    "deep": "(" * 400 + "1" + ")" * 400,
    "deep lists": "[" * 450 + "]" * 450,
    "a builtin": "exit",
    "a module": "os",
    "a function of a module": "os.abort",
    "a dunder": "build.__globals__",
    "a keyword": "import",
    "a dot": ".",
    "dots between": "LOUD..real",
    "another letter": "LOUD\u200b",
    "a number that is none": 3,
    "a list": [1],
    "nothing at all": None,
}


@inside
@pytest.mark.parametrize("value", REFUSED_VALUES.values(), ids=REFUSED_VALUES)
def test_a_value_that_is_no_literal_and_no_name_of_the_file_is_refused(
    attacker: Any, value: Any
) -> None:
    edit = {"kind": "set", "state": "Patrol", "index": "0", "parameter": "duration"}
    answer = attacker.tries({**edit, "value": value})
    assert (answer["proved"], bool(answer["reason"])) == (False, True)
    assert attacker.is_unchanged()
    add = {"kind": "add-action", "state": "Fire", "action": "TimedWait"}
    assert not attacker.tries({**add, "parameters": {"duration": value}})["proved"]
    assert attacker.is_unchanged()


@inside
@pytest.mark.parametrize("value", ["os.abort", "os._exit", "exit", "print", "os.system", "eval"])
def test_a_function_that_is_not_the_files_is_never_given_to_an_action(
    attacker: Any, value: str
) -> None:
    edit = {"kind": "set", "state": "Patrol", "index": "2", "parameter": "on_enter"}
    assert not attacker.tries({**edit, "value": value})["proved"]
    add = {"kind": "add-action", "state": "Fire", "action": "DelegateAction"}
    assert not attacker.tries({**add, "parameters": {"on_enter": value}})["proved"]
    assert attacker.is_unchanged()


@inside
@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f'"); {CANARY}; ("', f"); {CANARY}; ("),
        (f"{{{CANARY}}}", f"{{{CANARY}}}"),
        ("'\\n'", "\n"),
        ("'\\u202e'", "\u202e"),
        ("'\\ud800'", "\ud800"),
        ("'\\x00'", "\x00"),
        ("rm -rf /", "rm -rf /"),
        ("True", "True"),
        ("1e400", "1e400"),
    ],
)
def test_a_text_is_written_as_a_literal(attacker: Any, text: str, value: str) -> None:
    edit = {"kind": "set", "state": "Patrol", "index": "1", "parameter": "message", "value": text}
    assert attacker.tries(edit)["written"]
    assert attacker.literals() == [value]


# What is not an edit


@inside
@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"kind": "add-state", "name": "A", "code": CANARY}, "add-state: there is no field 'code'"),
        ({"kind": "add-state", "name": "A", "path": "/etc"}, "add-state: there is no field 'path'"),
        ({"kind": "__class__"}, "there is no edit '__class__'"),
        ({"kind": ["add-state"]}, "The kind of an edit must be a text"),
        ({}, "The kind of an edit must be a text"),
        (
            {"kind": "add-state", "name": "A", "machine": "../../etc/passwd"},
            "there is no machine '../../etc/passwd'",
        ),
        (
            {"kind": "remove-transition", "source": "Patrol", "event": "SEEN", "rank": 10**30},
            "remove-transition: rank must be an integer from 0 to 1000000",
        ),
        (
            {"kind": "move-action", "state": "Patrol", "index": 0, "to": True},
            "move-action: to must be an integer",
        ),
        (
            {"kind": "set", "state": "Patrol", "index": "0/../1", "parameter": "x", "value": "1"},
            "set: index must be the place of an action",
        ),
        (
            {
                "kind": "set",
                "state": "Patrol",
                "index": "0",
                "parameter": "__class__",
                "value": "1",
            },
            "TimedWait has no parameter '__class__'",
        ),
        ({"kind": "add-action", "state": "Fire", "action": "../evil"}, "there is no action"),
        ({"kind": "add-action", "state": "Fire", "action": "__getattr__"}, "there is no action"),
        ({"kind": "add-action", "state": "Fire", "action": "PathMode"}, "there is no action"),
        (
            {"kind": "add-action", "state": "Fire", "action": "Log", "parameters": {"x=1, y": "1"}},
            "Log has no parameter 'x=1, y'",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_no_edit_is_refused(attacker: Any, edit: Any, reason: str) -> None:
    answer = attacker.tries(edit)
    assert not answer["proved"]
    assert answer["reason"].startswith(reason)
    assert attacker.is_unchanged()


ADD = {"kind": "add-state", "name": "A"}


@inside
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"edit": "add-state", "write": True}, "'edit': 'edit' must be an object"),
        ({"edit": [ADD], "write": True}, "'edit': 'edit' must be an object"),
        ({"edit": ADD, "write": 1}, "'edit': 'write' must be true or false"),
        ({"edit": ADD}, "'edit' needs 'write'"),
        ({"edit": ADD, "write": True, "everywhere": "yes"}, "'edit': 'everywhere' must be"),
        ({"edit": ADD, "write": True, "file": "/etc/passwd"}, "'edit' has no argument 'file'"),
        ({"edit": ADD, "write": True, "text": "import os"}, "'edit' has no argument 'text'"),
    ],
)
def test_a_request_with_anything_else_is_refused(attacker: Any, arguments: Any, error: str) -> None:
    assert attacker.page.ask("edit", **arguments)["error"].startswith(error)
    assert attacker.is_unchanged()


# Files


@inside
def test_a_link_that_leads_out_of_the_folder_is_not_followed(
    folder: Path, inspected: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "guard.py"
    outside.write_text(GUARD)
    (folder / "guard.py").symlink_to(outside)
    build = find("guard.py").function
    attacker = Attacker(inspected(build(), editing=Editor(build, folder)), folder)
    assert attacker.tries(ADD)["reason"] == f"the file is not below {folder}"
    assert outside.read_text() == GUARD


@inside
def test_a_module_that_is_a_link_out_of_the_folder_is_not_written(
    folder: Path, inspected: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "pace.py"
    outside.write_text("SLOW = 2.0\n")
    (folder / "pace.py").symlink_to(outside)
    code = GUARD.replace("import os\n", "from pace import SLOW\n").replace(
        "Wait(2.0)", "Wait(SLOW)"
    )
    (folder / "guard.py").write_text(code)
    build = find("guard.py").function
    attacker = Attacker(inspected(build(), editing=Editor(build, folder)), folder)
    edit = {"kind": "set", "state": "Patrol", "index": "0", "parameter": "duration", "value": "3"}
    answer = attacker.tries(edit, everywhere=True)
    assert not answer["proved"]
    assert outside.read_text() == "SLOW = 2.0\n"
    assert attacker.path.read_text() == code


@inside
def test_a_file_that_became_a_link_is_not_followed(
    attacker: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "guard.py"
    attacker.path.rename(outside)
    attacker.path.symlink_to(outside)
    assert not attacker.tries(ADD)["proved"]
    assert outside.read_text() == GUARD


@inside
def test_a_file_that_changes_while_an_edit_is_proved_is_left_alone(
    attacker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed = Editor.proposed

    def and_save(editor: Editor, *arguments: Any, **named: Any) -> Any:
        proposal = proposed(editor, *arguments, **named)
        attacker.path.write_text(f"# mine\n{GUARD}")
        return proposal

    monkeypatch.setattr(Editor, "proposed", and_save)
    answer = attacker.tries(ADD)
    assert (answer["proved"], answer["reason"]) == (False, "the file has changed meanwhile")
    assert attacker.path.read_text() == f"# mine\n{GUARD}"


@inside
def test_two_pages_edit_what_is_there_and_not_what_they_saw(attacker: Any) -> None:
    other = Attacker(attacker.page.another(), attacker.folder)
    assert attacker.tries({"kind": "rename-state", "state": "Fire", "name": "Ice"})["written"]
    assert other.tries({"kind": "remove-state", "state": "Fire"})["reason"] == (
        "Guard has no state 'Fire'"
    )
    assert other.tries({"kind": "add-state", "name": "Fire"})["written"]
    machine: Any = find("guard.py").function()
    assert [*machine.states] == ["Patrol", "Ice", "Fire"]
    assert other.page.ask("undo_edit")["written"]
    assert attacker.page.ask("undo_edit")["written"]
    assert attacker.is_unchanged()


@inside
def test_undo_does_not_take_back_what_somebody_else_wrote(attacker: Any) -> None:
    assert attacker.tries(ADD)["written"]
    mine = f"{attacker.path.read_text()}# mine\n"
    attacker.path.write_text(mine)
    assert attacker.page.ask("undo_edit")["reason"] == "the file has changed meanwhile"
    assert attacker.path.read_text() == mine


# Who may ask


def test_a_page_that_may_only_watch_cannot_edit(folder: Path) -> None:
    (folder / "guard.py").write_text(GUARD)
    build: Any = find("guard.py").function
    with pytest.raises(ValueError, match="editing cannot be given with read_only"):
        LocalInspector(build(), editing=Editor(build, folder), read_only=True)


@pytest.mark.parametrize("inspected", ["server"], indirect=True)
@pytest.mark.parametrize(
    ("old", "new", "headers"),
    [
        (".{20}/$", "/", {}),
        ("/[^/]+/$", "/", {}),
        ("$", "", {"origin": "http://evil.example"}),
        ("127.0.0.1", "evil.example", {}),
    ],
    ids=["token", "no token", "origin", "host"],
)
def test_who_has_not_the_token_or_comes_from_elsewhere_edits_nothing(
    attacker: Any, old: str, new: str, headers: Any
) -> None:
    url = attacker.page.inspector.url
    address = re.sub(old, new, url).replace("http", "ws") + "socket"
    with (
        create_connection(("127.0.0.1", urlsplit(url).port)) as line,
        pytest.raises(InvalidStatus) as refused,
        connect(address, sock=line, **headers) as socket,
    ):
        socket.send(json.dumps({"id": 1, "do": "edit", "edit": ADD, "write": True}))
    assert refused.value.response.status_code == 403
    attacker.page.update()
    assert attacker.is_unchanged()


@pytest.mark.parametrize("inspected", ["server"], indirect=True)
def test_a_page_of_a_program_that_was_started_with_another_token_edits_nothing(
    attacker: Any, inspected: Any
) -> None:
    url = attacker.page.inspector.url
    attacker.page.inspector.close()
    build: Any = find("guard.py").function
    port = urlsplit(url).port
    options = {"editing": Editor(build, attacker.folder), "token": "another-token-of-this-run"}
    again = inspected(build(), port=port, **options)
    again.inspector.url, new = url, again.inspector.url
    with pytest.raises(InvalidStatus):
        again.another()
    assert new != url
    assert attacker.is_unchanged()


@pytest.mark.parametrize("inspected", ["server"], indirect=True)
def test_a_message_that_is_too_long_ends_the_page(attacker: Any) -> None:
    with pytest.raises(ConnectionClosed):
        attacker.tries({**ADD, "name": "x" * 70_000})
    assert attacker.is_unchanged()
