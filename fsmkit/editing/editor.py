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
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from attrs import field, frozen

from fsmkit.core.checks import arguments
from fsmkit.editing.definition import AllMachines, MachineData, differences, replaced
from fsmkit.editing.draft import Draft
from fsmkit.editing.edits import Edit, RenameState, SetParameter
from fsmkit.editing.edits.edit import check_edit
from fsmkit.editing.refusal import RefusedEditError, SharedEditError, UnchangedMachineError
from fsmkit.editing.rows import row_of
from fsmkit.editing.source import SourceFile
from fsmkit.editing.trial import Built, Program
from fsmkit.introspection.code_place import CodePlace, shown_path
from fsmkit.reloading import Origin
from fsmkit.reloading.program import Texts
from fsmkit.terminal.atomic_file import write_atomically

TrialT = TypeVar("TrialT")


@frozen
class Proposal:
    """An edit that was proved: a file, as it is and as it will be."""

    path: Path
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        name = shown_path(self.path)
        before, after = (
            content.decode("utf-8", "replace").splitlines(keepends=True)
            for content in (self.before, self.after)
        )
        return "".join(_ended(difflib.unified_diff(before, after, name, name)))

    @property
    def digest(self) -> str:
        """A text that no other diff has: to write what was seen, and nothing else."""
        return sha256(b"\0".join([self.before, self.after])).hexdigest()[:16]

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line that it changes, of the text as it will be, from 1.

        The lines of an import are left out where others change as well.
        """
        before, after = (content.splitlines() for content in (self.before, self.after))
        steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        changes = [(begin, end) for what, _, _, begin, end in steps if what != "equal"]
        others = [each for each in changes if not _is_import(after[slice(*each)])]
        begin, end = (others or changes)[0]
        first = max(1, min(begin + 1, len(after)))
        return first, max(first, end)

    def inverse(self) -> Proposal:
        """Return the edit that takes this one back."""
        return Proposal(self.path, self.after, self.before)


class Editor:
    """Edits the code of the machines that `build` returns, and of the modules it imports.

    In place of the function itself, `build` may be the `Origin` of it, where it is found.

    Only files below `folder` are written, by default the working folder. Each edit is proved: the
    program is built with it, aside, and has to be what it was with this one change. Otherwise
    RefusedEditError is raised, and nothing has changed.

        editor = Editor(build)
        proposal = editor.proposed(Retarget("Patrol", "SEEN", "Chase"))
        print(proposal.diff)
        editor.write(proposal)
    """

    def __init__(self, build: Callable[[], object] | Origin, folder: str | Path = ".") -> None:
        self._program = Program(build)
        self.folder = Path(folder).resolve()
        """Only files below it are written."""
        self._contents: dict[Path, bytes] = {}
        self._built: Built | None = None
        self._written: list[Proposal] = []

    @property
    def origin(self) -> Origin:
        """Where the function that builds the machines is found."""
        return self._program.origin

    @property
    def file(self) -> Path:
        """The file of the function that builds the machines."""
        return self._program.file

    def built(self) -> Built:
        """Return the machines that the files build now."""
        contents = self._read()
        if self._built is None or contents != self._contents:
            self._program.look()
            contents = self._read()
            self._built, self._contents = self._run(self._program.run, contents), contents
        return self._built

    def proposed(
        self, edit: Edit, *, everywhere: bool = False, digest: str | None = None
    ) -> Proposal:
        """Return how an edit is written. Raises RefusedEditError, TypeError for a wrong argument.

        With `everywhere` it may change several parts that one line makes. With the `digest` of a
        proposal it is refused if another diff would come of it now.
        """
        proposal = self._first_proposed(edit, everywhere=everywhere)
        if digest not in (None, proposal.digest):
            what = "the file has changed; look at the diff again"
            raise RefusedEditError(what, CodePlace(str(proposal.path), proposal.lines[0]))
        return proposal

    def _first_proposed(self, edit: Edit, *, everywhere: bool) -> Proposal:
        check_edit(edit)
        built = self.built()
        try:
            return self._proposed(edit, self._contents, built, everywhere=everywhere)
        except SharedEditError:
            raise
        except RefusedEditError as error:
            refused = error
        for contents, rewritten in self._written_out(edit, built):
            try:
                return self._proposed(edit, contents, rewritten, everywhere=everywhere)
            except SharedEditError as error:
                refused = error
            except RefusedEditError:  # another row
                continue
        raise refused

    def _proposed(
        self, edit: Edit, contents: dict[Path, bytes], built: Built, *, everywhere: bool
    ) -> Proposal:
        draft = Draft(contents, built, edit.machine)
        refused: RefusedEditError | None = None

        def prove(path: Path, content: bytes) -> None:
            after = self._run(self._program.definitions, {**contents, path: content})
            place = draft.place_of_machine()
            _prove(edit, draft.name, built.definitions, after, place=place, everywhere=everywhere)

        def refuse(error: RefusedEditError) -> RefusedEditError:
            return refused if isinstance(refused, SharedEditError) else error

        try:
            for source, pieces, uses in edit.patches(draft):
                try:
                    after = source.with_pieces(pieces)
                    self._check_comments(source, pieces, after)
                    self._check_alone(source.path, contents)
                    prove(source.path, after)
                    if len(uses) > 1 and not everywhere:
                        raise SharedEditError([*dict.fromkeys(map(str, uses))])
                    formatted = _formatted(source.path, self._contents[source.path], after)
                    if formatted != after:
                        after = formatted
                        prove(source.path, after)
                except RefusedEditError as error:
                    refused = refuse(error)
                else:
                    self._check_place(source.path)
                    return Proposal(source.path, self._contents[source.path], after)
        except RefusedEditError as error:
            refused = refuse(error)
        if refused is None or (refused.place is None and not isinstance(refused, SharedEditError)):
            refused = draft.made_with_others(edit) or refused
        raise refused or RefusedEditError("there is no way to write it")

    def argument(self, edit: SetParameter) -> str | None:
        """Return what the file has for the parameter that an edit sets; None if it has nothing."""
        draft = self._draft(edit)
        given = edit.given(draft)
        return None if given is None else given.source.text_of(given.node)

    def _draft(self, edit: Edit) -> Draft:
        check_edit(edit)
        built = self.built()  # which reads the contents
        return Draft(self._contents, built, edit.machine)

    def _written_out(self, edit: Edit, built: Built) -> Iterator[tuple[dict[Path, bytes], Built]]:
        """Yield programs that build the same with a row of the loop of an edit written out."""
        draft = Draft(self._contents, built, edit.machine)
        for source, pieces, _ in row_of(edit, draft):
            try:
                after = source.with_pieces(pieces)
                self._check_comments(source, [], after)
                trial = self._run(self._program.run, {**self._contents, source.path: after})
            except RefusedEditError:
                continue
            if trial.definitions == built.definitions:
                yield {**self._contents, source.path: after}, trial

    def write(self, proposal: Proposal) -> None:
        """Write a proposal to its file, wholly or not at all.

        Raises RefusedEditError if the file has changed meanwhile, or may not be written, TypeError
        unless it is a Proposal.
        """
        arguments.instance(proposal, "proposal", Proposal, "a Proposal")
        self._replace(proposal.path, proposal.before, proposal.after)
        self._written.append(proposal)

    def undo(self) -> Proposal | None:
        """Put the text before the last edit back, and return that edit; None if there is none."""
        if not self._written:
            return None
        last = self._written[-1]
        self._replace(last.path, last.after, last.before)
        return self._written.pop()

    def _read(self) -> dict[Path, bytes]:
        return {path: _content(path) for path in self._program.files}

    def _run(self, run: Callable[[Texts], TrialT], contents: Texts) -> TrialT:
        try:
            return run(contents)
        except RefusedEditError:
            raise
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(".")
            raise RefusedEditError(f"the program does not build its machines: {what}") from error

    def _replace(self, path: Path, before: bytes, after: bytes) -> None:
        self._check_place(path)
        if _content(path) != before:
            raise RefusedEditError("the file has changed meanwhile", CodePlace(str(path), 1))
        try:
            write_atomically(path, after)
        except OSError as error:
            what = f"the file cannot be written: {error.strerror}"
            raise RefusedEditError(what, CodePlace(str(path), 1)) from error

    def _check_place(self, path: Path) -> None:
        place = CodePlace(str(path), 1)
        if not path.resolve().is_relative_to(self.folder):  # it may have become a link
            raise RefusedEditError(f"the file is not below {self.folder}", place)
        if path.exists() and not os.access(path, os.W_OK):
            raise RefusedEditError("the file is read-only", place)

    def _check_alone(self, path: Path, contents: dict[Path, bytes]) -> None:
        for other, content in contents.items():
            if other != path and content != self._contents[other]:
                raise RefusedEditError("it changes two files", CodePlace(str(other), 1))

    def _check_comments(self, source: SourceFile, pieces: list[Any], after: bytes) -> None:
        kept = Counter(source.comments())
        for begin, end, text in pieces:
            if not text:  # a removed line takes the comment behind it along
                kept -= Counter(source.comments_between(begin, end))
        if kept - Counter(SourceFile(source.path, after).comments()):
            raise RefusedEditError("a comment would be lost", CodePlace(str(source.path), 1))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        what = f"the file cannot be read: {error.strerror}"
        raise RefusedEditError(what, CodePlace(str(path), 1)) from error


def _prove(
    edit: Edit,
    name: str,
    before: AllMachines,
    after: AllMachines,
    *,
    place: CodePlace | None,
    everywhere: bool,
) -> None:
    """Raise RefusedEditError unless the machines differ by the edit alone."""
    if before.keys() != after.keys():
        raise RefusedEditError("other machines would be built")
    changed = [each for each in before if before[each] != after[each]]
    if name not in changed:
        raise UnchangedMachineError("the machine would not change")
    if isinstance(edit, RenameState):
        shared = _prove_replaced(before, after, edit.state, edit.to, changed)
        shared = [each for each in shared if edit.to in after[each]["states"]]
    else:
        expected = {each: deepcopy(before[each]) for each in changed}
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
        raise SharedEditError(shared, place, machines=shared == changed)


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


def _formatted(path: Path, before: bytes, after: bytes) -> bytes:
    """Return a new text as the project's formatter writes it, if it wrote the old one."""
    ruff = shutil.which("ruff")
    if ruff is None or not _has_ruff(path) or not _is_formatted(ruff, path, before):
        return after
    return _by_ruff(ruff, path, after) or after


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


def _is_import(lines: list[bytes]) -> bool:
    return all(line.startswith((b"import ", b"from ")) for line in lines)


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
