"""ReasonsProcess: a process that tries edits beside the game, which goes on meanwhile.

To try an edit takes as long as the machines take to be built, and a state has some dozens of edits.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread
from typing import IO, Any, Final

from fsmkit.diagram.layout import NO_WINDOW
from fsmkit.editing import Editor
from fsmkit.inspector.live.requests.edit_requests import EditRequests
from fsmkit.inspector.live.requests.page_request import PageAnswer, PageRequest, RequestError
from fsmkit.inspector.reading.code import Code
from fsmkit.reloading import Origin
from fsmkit.reloading.program import execute_again
from fsmkit.terminal.frozen_program import environment, is_frozen

PROGRAM: Final = "from fsmkit.inspector.live.requests.reasons_process import serve; serve()"

ENDED: Final = "The process that tries edits has ended."


class ReasonsProcess:
    """Answers the requests `reasons`, in any thread.

    The process begins with the first request; it ends with `close`, or with this program. `link` is
    the template of the editor that the page's lines of code are opened in.
    """

    def __init__(self, editor: Editor, link: str | None) -> None:
        self._begin = {
            "module": editor.origin.module, "name": editor.origin.name, "file": str(editor.file),
            "folder": str(editor.folder), "link": link,
        }  # fmt: skip
        self._requests: SimpleQueue[PageRequest | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._process: Popen[str] | None = None

    def ask(self, request: PageRequest) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._answer_all, daemon=True)
            self._thread.start()
        request.is_aside = True
        self._requests.put(request)

    def close(self) -> None:
        self._requests.put(None)
        if self._process is not None:  # which may be in a build that never ends
            self._process.kill()

    def _answer_all(self) -> None:
        try:
            while (request := self._requests.get()) is not None:
                if request.is_given_up:
                    continue
                try:
                    if self._process is None or self._process.poll() is not None:
                        self._process = self._started()
                    request.answer(_asked(self._process, request.arguments))
                except OSError as error:
                    request.answer(
                        {"error": f"The process that tries edits does not start: {error}"}
                    )
        finally:
            if self._process is not None:
                _end(self._process)

    def _started(self) -> Popen[str]:
        process = Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8", env=environment(),
            start_new_session=True, creationflags=NO_WINDOW,
        )  # fmt: skip
        with suppress(BrokenPipeError):  # it has ended already
            _send(process.stdin, self._begin)
        return process


def can_start() -> bool:
    """Return whether there is a Python that runs beside this one."""
    return bool(sys.executable) and not is_frozen() and sys.platform != "emscripten"


def _asked(process: Popen[str], arguments: dict[str, Any]) -> PageAnswer:
    line = ""
    with suppress(OSError):  # it has ended already
        _send(process.stdin, arguments)
        line = process.stdout.readline() if process.stdout is not None else ""
    if not line:
        _end(process)
        return {"error": ENDED}
    answer: PageAnswer = json.loads(line)
    return answer


def _end(process: Popen[str]) -> None:
    process.kill()
    process.communicate()  # which closes its pipes


def _send(stream: IO[str] | None, message: dict[str, Any]) -> None:
    print(json.dumps(message), file=stream, flush=True)


# In the process


def serve() -> None:
    """Answer requests, each a line, until there are no more. What the program prints is dropped."""
    lines: SimpleQueue[str] = SimpleQueue()
    questions, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w")
    for stream, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), stream)
    Thread(target=_read, args=(questions, lines), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)  # the game comes first
    answer = _opened(**json.loads(lines.get()))
    while True:
        _send(answers, answer(json.loads(lines.get())))


def _read(questions: IO[str], lines: SimpleQueue[str]) -> None:
    for line in questions:
        lines.put(line)
    os._exit(0)  # nobody asks any more, even if the program never ends


def _opened(
    module: str, name: str, file: str, folder: str, link: str | None
) -> Callable[[dict[str, Any]], PageAnswer]:
    """Return the function that answers requests; if the program fails, they are refused."""
    try:
        _load(module, Path(file))
        edits = EditRequests(Editor(Origin(module, name), folder), Code(None, link).line)
    except (Exception, SystemExit) as error:
        text = f"The code cannot be tried beside the game: {type(error).__name__}: {error}"
        return lambda _: {"error": text}
    return lambda arguments: _answer(edits, arguments)


def _load(module: str, file: Path) -> None:
    if package := module.rpartition(".")[0]:
        importlib.import_module(package)
    if module not in sys.modules:
        execute_again({module: file})


def _answer(edits: EditRequests, arguments: dict[str, Any]) -> PageAnswer:
    try:
        return {"ok": True, **edits.reasons(**arguments)}
    except RequestError as error:
        return {"error": str(error)}
