"""Editor: proposes edits of the code that builds machines, proves them, and writes them."""

from __future__ import annotations

import difflib
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from attrs import field, frozen

from fsmkit.editing.definition import MachineData, defined, differences, replaced
from fsmkit.editing.draft import Draft
from fsmkit.editing.edits import Edit, RenameState, SetParameter
from fsmkit.editing.edits.edit import check_edit
from fsmkit.editing.refusal import RefusedEditError, SharedEditError
from fsmkit.editing.source import SourceFile
from fsmkit.editing.trial import Built, Program
from fsmkit.introspection.code_place import CodePlace, shown_path
from fsmkit.terminal.atomic_file import write_atomically


@frozen
class Proposal:
    """An edit that was proved: a file, as it is and as it will be."""

    path: Path
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    built: Built = field(repr=False)

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        name = shown_path(self.path)
        before, after = (
            content.decode("utf-8", "replace").splitlines(keepends=True)
            for content in (self.before, self.after)
        )
        return "".join(_ended(difflib.unified_diff(before, after, name, name)))


class Editor:
    """Edits the code of the machines that `build` returns, and of the modules it imports.

    Only files below `folder` are written, by default the working folder. Each edit is proved: the
    program is built with it, aside, and has to be what it was with this one change. Otherwise
    RefusedEditError is raised, and nothing has changed.

        editor = Editor(build)
        proposal = editor.proposed(Retarget("Patrol", "SEEN", "Chase"))
        print(proposal.diff)
        editor.write(proposal)
    """

    def __init__(self, build: Callable[[], object], folder: str | Path = ".") -> None:
        self._program = Program(build)
        self._folder = Path(folder).resolve()
        self._contents: dict[Path, bytes] = {}
        self._built: Built | None = None
        self._written: list[Proposal] = []

    def built(self) -> Built:
        """Return the machines that the files build now."""
        contents = {path: path.read_bytes() for path in self._program.files}
        if self._built is None or contents != self._contents:
            self._built, self._contents = self._run(contents), contents
        return self._built

    def proposed(self, edit: Edit, *, everywhere: bool = False) -> Proposal:
        """Return how an edit is written. Raises RefusedEditError, TypeError for a wrong argument.

        With `everywhere` it may change several parts that one line makes.
        """
        check_edit(edit)
        built = self.built()
        draft = Draft(self._program, self._contents, built, edit.machine)
        before = defined(built.machines)
        refused: RefusedEditError | None = None

        def proved(path: Path, content: bytes) -> Built:
            trial = self._run({**self._contents, path: content})
            _prove(edit, draft.name, before, defined(trial.machines), everywhere=everywhere)
            return trial

        for source, pieces in edit.patches(draft):
            try:
                after = source.with_pieces(pieces)
                self._check_comments(source, pieces, after)
                trial = proved(source.path, after)
                if (formatted := _formatted(source, after)) != after:
                    after, trial = formatted, proved(source.path, formatted)
            except RefusedEditError as error:
                refused = refused if isinstance(refused, SharedEditError) else error
            else:
                self._check_place(source.path)
                return Proposal(source.path, source.content, after, trial)
        if refused is None or (refused.place is None and not isinstance(refused, SharedEditError)):
            refused = draft.made_with_others(edit) or refused
        raise refused or RefusedEditError("there is no way to write it")

    def write(self, proposal: Proposal) -> None:
        """Write a proposal to its file, wholly or not at all.

        Raises RefusedEditError if the file has changed meanwhile, or may not be written.
        """
        self._replace(proposal.path, proposal.before, proposal.after)
        self._written.append(proposal)
        self._built, self._contents = proposal.built, {
            **self._contents, proposal.path: proposal.after,
        }  # fmt: skip

    def undo(self) -> Proposal | None:
        """Put the text before the last edit back, and return that edit; None if there is none."""
        if not self._written:
            return None
        last = self._written[-1]
        self._replace(last.path, last.after, last.before)
        return self._written.pop()

    def _run(self, contents: dict[Path, bytes]) -> Built:
        try:
            return self._program.run(contents)
        except RefusedEditError:
            raise
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(".")
            raise RefusedEditError(f"the program does not build its machines: {what}") from error

    def _replace(self, path: Path, before: bytes, after: bytes) -> None:
        self._check_place(path)
        if path.read_bytes() != before:
            raise RefusedEditError("the file has changed meanwhile", CodePlace(str(path), 1))
        write_atomically(path, after)

    def _check_place(self, path: Path) -> None:
        place = CodePlace(str(path), 1)
        if not path.is_relative_to(self._folder):
            raise RefusedEditError(f"the file is not below {self._folder}", place)
        if not os.access(path, os.W_OK):
            raise RefusedEditError("the file is read-only", place)

    def _check_comments(self, source: SourceFile, pieces: list[Any], after: bytes) -> None:
        kept = Counter(source.comments())
        for begin, end, text in pieces:
            if not text:  # a removed line takes the comment behind it along
                kept -= Counter(source.comments_between(begin, end))
        if kept - Counter(SourceFile(source.path, after).comments()):
            raise RefusedEditError("a comment would be lost", CodePlace(str(source.path), 1))


AllMachines: TypeAlias = dict[str, MachineData]


def _prove(
    edit: Edit, name: str, before: AllMachines, after: AllMachines, *, everywhere: bool
) -> None:
    """Raise RefusedEditError unless the machines differ by the edit alone."""
    if before.keys() != after.keys():
        raise RefusedEditError("other machines would be built")
    changed = [each for each in before if before[each] != after[each]]
    if name not in changed:
        raise RefusedEditError("the machine would not change")
    if isinstance(edit, RenameState):
        shared = _prove_replaced(before, after, edit.state, edit.to, changed)
        shared = [each for each in shared if edit.to in after[each]["states"]]
    else:
        expected = deepcopy(before)
        odd = [each for each in changed if not _expects(edit, expected[each], after[each])]
        shared = changed
        if odd and isinstance(edit, SetParameter):
            old, new = edit.value_in(before[name]), edit.value_in(after[name])
            _prove_replaced(before, after, old, new, changed)
            pairs = [(before[each], after[each]) for each in changed]
            shared = [part for pair in pairs for part in differences(*pair)]
        elif odd:
            raise RefusedEditError(f"{odd[0]} would change in more than this")
    if len(shared) > 1 and not everywhere:
        raise SharedEditError(shared)


def _expects(edit: Edit, definition: MachineData, after: MachineData) -> bool:
    """Return whether an edit makes one definition of another; it changes the first."""
    try:
        edit.expect(definition)
    except LookupError:
        return False
    return definition == after


def _prove_replaced(
    before: AllMachines, after: AllMachines, old: object, new: object, changed: list[str]
) -> list[str]:
    """Raise RefusedEditError if more has changed than one value that has become another."""
    for name in changed:
        if replaced(before[name], old, new) != replaced(after[name], old, new):
            raise RefusedEditError(f"{name} would change in more than this")
    return changed


@lru_cache(maxsize=20)
def _is_formatted(ruff: str, path: Path, content: bytes) -> bool:
    return _by_ruff(ruff, path, content) == content


def _formatted(source: SourceFile, content: bytes) -> bytes:
    """Return the text as the project's formatter writes it, if it wrote the old one."""
    ruff = shutil.which("ruff")
    if ruff is None or not _has_ruff(source.path):
        return content
    if not _is_formatted(ruff, source.path, source.content):
        return content
    return _by_ruff(ruff, source.path, content) or content


def _by_ruff(ruff: str, path: Path, content: bytes) -> bytes | None:
    command = [ruff, "format", "--quiet", "--stdin-filename", str(path), "-"]
    done = subprocess.run(command, input=content, capture_output=True, check=False, timeout=30)
    return done.stdout if done.returncode == 0 else None


def _has_ruff(path: Path) -> bool:
    for folder in path.parents:
        if any((folder / name).is_file() for name in ("ruff.toml", ".ruff.toml")):
            return True
        project = folder / "pyproject.toml"
        if project.is_file() and b"[tool.ruff" in project.read_bytes():
            return True
    return False


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
