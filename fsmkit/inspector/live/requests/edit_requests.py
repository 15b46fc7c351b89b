"""The requests of pages that change the code of the machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import Factory, asdict, define

from fsmkit.editing import (
    Editor,
    Proposal,
    RefusedEditError,
    SharedEditError,
    edit_from,
)
from fsmkit.editing.action_forms import action_forms
from fsmkit.editing.trial import Built
from fsmkit.inspector.live.requests.page_request import PageAnswer, RequestError
from fsmkit.inspector.live.requests.part_reasons import PartReasons, Why
from fsmkit.inspector.reading.code import CodeLine
from fsmkit.inspector.reading.page_values import text_of
from fsmkit.introspection.code_place import CodePlace, posix_path

OFF: Final = "The code cannot be edited here. Start it with: fsmkit inspect game.py --edit"


@define(eq=False)
class EditRequests:
    editor: Editor | None
    """None: the code cannot be edited."""
    line: Callable[[CodePlace], CodeLine]
    """Returns a line of code for the page."""
    gives_text: bool = False
    """Whether an answer has the whole text that the file has then."""
    _tried: dict[str, Why] = Factory(dict)
    """What is known of edits of the machines that were built last."""
    _built: Built | None = None

    def to_json(self) -> dict[str, Any] | None:
        """Return what a page is told of it at first; None if the code cannot be edited."""
        if self.editor is None:
            return None
        return {"file": posix_path(self.editor.file), "text": self.gives_text}

    def edit(
        self,
        edit: dict[str, Any],
        write: bool,
        everywhere: bool = False,
        digest: str | None = None,
    ) -> PageAnswer:
        editor = self._editor()
        try:
            proposal = editor.proposed(edit_from(edit), everywhere=everywhere, digest=digest)
            if write:
                editor.write(proposal)
        except RefusedEditError as error:
            return {"proved": False, **self._refusal(error)}
        return self._answer(proposal, is_written=write)

    def undo_edit(self) -> PageAnswer:
        """Put the text before the last edit back."""
        try:
            undone = self._editor().undo()
        except RefusedEditError as error:
            return {"proved": False, **self._refusal(error)}
        if undone is None:
            return {"proved": False, **self._refusal(RefusedEditError("there is no edit to undo"))}
        return self._answer(undone.inverse(), is_written=True)

    def edit_forms(self) -> PageAnswer:
        """Answer with the actions of the library, and what is filled in to add each."""
        self._editor()
        return {"actions": [asdict(form) for form in action_forms()]}

    def reasons(self, state: object, machine: str | None = None) -> PageAnswer:
        """Answer why a state or a group cannot be edited: each verb, or None where it can be.

        Without one it is about the machine, and its global transitions. Nothing is written. While
        the answer is not `complete`, some that cannot be edited may seem as if they could be.
        """
        if state is not None and not isinstance(state, str):
            raise RequestError(
                f"A state must be a name, or null for the machine, got {text_of(state)}."
            )
        try:
            return self._reasons(state, machine)
        except RefusedEditError as error:
            raise RequestError(str(error)) from None

    def _reasons(self, state: str | None, machine: str | None) -> PageAnswer:
        editor = self._editor()
        if (built := editor.built()) is not self._built:
            self._built, self._tried = built, {}
        return PartReasons(editor, self._refusal, built, machine, self._tried).of(state)

    def _editor(self) -> Editor:
        if self.editor is None:
            raise RequestError(OFF)
        return self.editor

    def _answer(self, proposal: Proposal, *, is_written: bool) -> PageAnswer:
        answer = {
            "proved": True,
            "written": is_written,
            "file": posix_path(proposal.path),
            "diff": proposal.diff,
            "digest": proposal.digest,
            "lines": proposal.lines,
        }
        return {**answer, "text": proposal.after.decode()} if self.gives_text else answer

    def _refusal(self, error: RefusedEditError) -> dict[str, Any]:
        """Return why an edit is refused, with the line that stands in the way."""
        place = error.place
        return {
            "reason": error.reason,
            "file": None if place is None else posix_path(place.file),
            "line": None if place is None else place.line,
            "place": None if place is None else self.line(place),
            "shared": list(error.parts) if isinstance(error, SharedEditError) else [],
        }
