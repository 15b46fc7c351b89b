"""A file keeps its encoding, its line ends and its indentation, and is written wholly or not."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from a_door import DOOR

from fsmkit.cli.targets import find
from fsmkit.editing import (
    AddState,
    AddTransition,
    Editor,
    RefusedEditError,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
)

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


def test_a_digest_stands_for_one_diff_and_no_other(opened: Any) -> None:
    desk = opened()
    digest = desk.editor.proposed(AddState("Locked")).digest
    assert desk.editor.proposed(AddState("Locked"), digest=digest).digest == digest
    with pytest.raises(RefusedEditError, match="the file has changed; look at the diff again"):
        desk.editor.proposed(AddState("Barred"), digest=digest)
    desk.path.write_text(DOOR + "# more\n")
    with pytest.raises(RefusedEditError, match="the file has changed; look at the diff again"):
        desk.editor.proposed(AddState("Locked"), digest=digest)


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
    for path in (desk.path, inside / "link.py"):
        editor = Editor(find(str(path)).function, inside)
        with pytest.raises(RefusedEditError, match="the file is not below"):
            editor.write(editor.proposed(AddState("Locked")))
    assert desk.path.read_text() == DOOR


def test_a_file_that_becomes_a_link_out_of_the_folder_is_not_written_through(
    opened: Any, folder: Path
) -> None:
    project = folder / "project"
    project.mkdir()
    desk = opened(name="project/house.py")
    editor = Editor(find(str(desk.path)).function, project)
    proposal = editor.proposed(AddState("Locked"))
    outside = folder / "secret.py"
    outside.write_text(DOOR)
    desk.path.unlink()
    desk.path.symlink_to(outside)
    with pytest.raises(RefusedEditError, match="the file is not below"):
        editor.write(proposal)
    assert outside.read_text() == DOOR


def test_a_link_within_the_folder_stays_a_link(opened: Any, folder: Path) -> None:
    desk = opened(name="real.py")
    link = folder / "link.py"
    link.symlink_to(desk.path)
    editor = Editor(find(str(link)).function, folder)
    editor.write(editor.proposed(AddState("Locked")))
    assert link.is_symlink()
    assert desk.path.read_text() == DOOR.replace(*ADDED)


def test_a_file_that_is_gone_is_refused_and_not_made_again(opened: Any) -> None:
    desk = opened()
    proposal = desk.editor.proposed(AddState("Locked"))
    desk.path.unlink()
    with pytest.raises(RefusedEditError, match="the file cannot be read: No such file"):
        desk.editor.write(proposal)
    with pytest.raises(RefusedEditError, match="the file cannot be read"):
        desk.editor.proposed(AddState("Locked"))
    assert not desk.path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is POSIX's")
def test_a_full_disk_leaves_the_old_text(opened: Any) -> None:
    import resource

    desk = opened()
    proposal = desk.editor.proposed(AddState("Locked"))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        with pytest.raises(RefusedEditError, match="the file cannot be written: File too large"):
            desk.editor.write(proposal)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert desk.path.read_text() == DOOR
    assert [*desk.path.parent.glob(".house.py.*")] == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["    ", "\t", "  "])
def test_a_row_that_is_written_out_keeps_line_ends_and_indentation(
    opened: Any, end: str, indent: str
) -> None:
    before = LOOP.replace("    ", indent).replace("\n", end).encode()
    desk = opened(before)
    desk.editor.write(desk.editor.proposed(RemoveTransition("B", "GO")))
    after = desk.path.read_bytes()
    assert after.replace(b"in (a, c):", b"in (a, b, c):") == before
    desk.editor.undo()
    desk.editor.write(desk.editor.proposed(Retarget("C", "GO", "B")))
    assert desk.path.read_bytes().decode().split(end)[-4:] == [
        f"{indent}c.add_transition(", f'{indent}{indent}"GO", b)', f"{indent}return fsm", ""
    ]  # fmt: skip


LOOP = """\
from fsmkit import Fsm

def build():
    fsm = Fsm("Door")
    a, b, c = map(fsm.add_state, "ABC")
    for state in (a, b, c):
        state.add_transition(
            "GO", a)
    return fsm
"""


def test_what_building_does_besides_happens_at_each_trial(opened: Any, folder: Path) -> None:
    log = folder / "log"
    begin = '    door = Fsm("Door")\n'
    code = f'    with open({str(log)!r}, "a") as log:\n        log.write("built ")\n'
    desk = opened(DOOR.replace(begin, code + begin))
    desk.editor.proposed(AddState("Locked"))
    assert log.read_text() == "built built "  # as it was, and with the edit


@pytest.mark.slow
def test_a_project_formatted_by_ruff_stays_so_and_another_is_left_alone(
    opened: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    if shutil.which("ruff") is None:
        pytest.skip("needs ruff")
    (folder / "ruff.toml").write_text("line-length = 44\n")
    formatted = LOOP.replace('(\n            "GO", a)', '("GO", a)').replace("\n\ndef", "\n\n\ndef")
    desk = opened(formatted)
    after = desk.write(Retarget("C", "GO", "B"))
    assert after.splitlines()[-3:] == [
        '        state.add_transition("GO", a)', '    c.add_transition("GO", b)', "    return fsm"
    ]  # fmt: skip
    assert desk.write(RenameEvent("C", "GO", "WALK_AWAY_VERY_SLOWLY")).splitlines()[-4:] == [
        "    c.add_transition(", '        "WALK_AWAY_VERY_SLOWLY", b', "    )", "    return fsm"
    ]  # fmt: skip
    odd = opened(formatted.replace('("GO", a)', '( "GO", a )'))
    assert '( "GO", a )' in odd.write(RemoveTransition("B", "GO"))


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


def test_a_trial_leaves_installed_packages_imported(
    opened: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = folder / ".venv" / "site-packages"
    installed.mkdir(parents=True)
    (installed / "late_library.py").write_text("")
    monkeypatch.syspath_prepend(str(installed))
    desk = opened(f"{DOOR}\n\nimport late_library\n".encode())
    monkeypatch.delitem(sys.modules, "late_library")
    desk.editor.proposed(AddState("Ajar"))
    assert sys.modules.pop("late_library").__file__ == str(installed / "late_library.py")


def test_what_other_threads_print_meanwhile_is_printed(
    opened: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    code = """\
        from threading import Thread
        from fsmkit import Fsm

        def build():
            print("from the program")
            thread = Thread(target=print, args=("from a thread",))
            thread.start()
            thread.join()
            lamp = Fsm("Lamp")
            off = lamp.add_state("Off")
            return lamp
        """
    desk = opened(code)
    capsys.readouterr()
    desk.editor.proposed(AddState("On"))
    assert {*capsys.readouterr().out.splitlines()} == {"from a thread"}


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
