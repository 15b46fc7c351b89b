"""A file keeps its encoding, its line ends and its indentation, and is written wholly or not."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from a_door import DOOR

from fsmkit.editing import AddState, AddTransition, Editor, RefusedEditError, RenameState

TABBED = DOOR.replace("    ", "\t")


@pytest.mark.parametrize(
    "before",
    [
        DOOR.replace("\n", "\r\n").encode(),
        DOOR.encode("utf-8-sig"),
        ("# coding: latin-1\n# é\n" + DOOR).encode("latin-1"),
        TABBED.encode(),
        DOOR.replace('"', "'").replace("'''A door.'''", '"""A door."""').encode(),
        DOOR.rstrip("\n").encode(),
        (DOOR + "\f\n# Übergänge 🚪\n").encode(),
    ],
    ids=["CRLF", "BOM", "Latin-1", "tabs", "single quotes", "no last line end", "form feed"],
)
def test_the_rest_of_the_file_stays_byte_for_byte(opened: Any, before: bytes) -> None:
    desk = opened(before)
    desk.editor.write(desk.editor.proposed(AddState("Locked")))
    after = desk.path.read_bytes()
    quote = b"'" if b"PUSH'" in before else b'"'
    indent, end = (b"\t" if b"\t" in before else b"    "), (b"\r\n" if b"\r" in before else b"\n")
    added = indent + b"locked = door.add_state(" + quote + b"Locked" + quote + b")" + end
    assert after.replace(added, b"", 1) == before
    assert after.count(added) == 1


def test_a_name_that_the_encoding_lacks_is_refused(opened: Any) -> None:
    desk = opened(("# coding: latin-1\n" + DOOR).encode("latin-1"))
    with pytest.raises(RefusedEditError, match="its encoding, iso-8859-1, has no '→'"):
        desk.editor.proposed(AddState("→"))


def test_a_file_that_changed_meanwhile_is_not_written(opened: Any) -> None:
    desk = opened()
    proposal = desk.editor.proposed(AddState("Locked"))
    desk.path.write_text(DOOR + "# more\n")
    with pytest.raises(RefusedEditError, match="the file has changed meanwhile"):
        desk.editor.write(proposal)
    assert desk.path.read_text() == DOOR + "# more\n"
    desk.editor.write(desk.editor.proposed(AddState("Locked")))
    assert desk.path.read_text().endswith("# more\n")


def test_undo_puts_back_the_text_before_step_by_step(opened: Any) -> None:
    desk = opened()
    first = desk.write(AddState("Locked"))
    desk.write(AddTransition("Closed", "LOCK", "Locked"))
    assert desk.editor.undo() is not None
    assert desk.path.read_text() == first
    assert desk.editor.undo() is not None
    assert desk.path.read_text() == DOOR
    assert desk.editor.undo() is None


def test_undo_keeps_what_somebody_has_typed_since(opened: Any) -> None:
    desk = opened()
    after = desk.write(AddState("Locked")) + "# mine\n"
    desk.path.write_text(after)
    with pytest.raises(RefusedEditError, match="changed meanwhile"):
        desk.editor.undo()
    assert desk.path.read_text() == after


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_refused(opened: Any) -> None:
    desk = opened()
    desk.path.chmod(0o444)
    with pytest.raises(RefusedEditError, match="the file is read-only"):
        desk.editor.proposed(AddState("Locked"))


def test_a_file_outside_the_folder_is_refused_by_whatever_way(opened: Any, folder: Path) -> None:
    outside = folder / "outside"
    outside.mkdir()
    desk = opened(name="outside/house.py")
    inside = folder / "inside"
    inside.mkdir()
    (inside / "link.py").symlink_to(desk.path)
    from fsmkit.cli.targets import find

    for path in (desk.path, inside / "link.py"):
        editor = Editor(find(str(path)).function, inside)
        with pytest.raises(RefusedEditError, match="the file is not below"):
            editor.write(editor.proposed(AddState("Locked")))
    assert desk.path.read_text() == DOOR


def test_the_permissions_of_the_file_stay(opened: Any) -> None:
    desk = opened()
    desk.path.chmod(0o750)
    desk.write(AddState("Locked"))
    assert desk.path.stat().st_mode & 0o777 == 0o750


def test_a_text_that_is_no_python_is_refused(opened: Any) -> None:
    desk = opened()
    desk.path.write_text("def build(:\n")
    with pytest.raises(RefusedEditError, match="does not build its machines: SyntaxError"):
        desk.editor.proposed(AddState("Locked"))


def test_the_program_that_runs_is_not_touched_by_a_trial(opened: Any) -> None:
    desk = opened()
    module = sys.modules["house"]
    desk.editor.proposed(RenameState("Open", "Ajar"))
    assert sys.modules["house"] is module
    assert [*module.build().states] == ["Closed", "Open"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a process of POSIX is killed")
def test_a_process_killed_while_it_writes_leaves_one_text_or_the_other(opened: Any) -> None:
    desk = opened()
    code = (
        "from fsmkit.cli.targets import find\n"
        "from fsmkit.editing import AddState, Editor\n"
        f"editor = Editor(find({str(desk.path)!r}).function)\n"
        "proposal = editor.proposed(AddState('Locked'))\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    editor.write(proposal)\n"
        "    editor.undo()\n"
    )
    texts = set()
    for _ in range(5):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        texts.add(desk.path.read_text())
        desk.path.write_text(DOOR)
    assert all(text in (DOOR, DOOR.replace(*ADDED)) for text in texts)


ADDED = (
    '    opened = door.add_state("Open")  # at first\n',
    '    opened = door.add_state("Open")  # at first\n    locked = door.add_state("Locked")\n',
)
