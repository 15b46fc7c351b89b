"""Which names an edit may write: those of the file, without functions of other libraries."""

from typing import Any

import pytest

from fsmkit.editing import AsWritten, RefusedEditError, SetParameter

FILE = """\
import os
from functools import partial
from random import random

import actions.easing
from actions import DelegateAction
from fsmkit import Fsm


class Body:
    def cheer(self):
        pass


def shout():
    pass


log = []
twice = partial(print, 2)


def build(body=Body()):
    import sys

    fsm = Fsm("Crowd")
    fsm.add_state("Calm").add_action(DelegateAction(on_enter=None, on_exit=shout))
    return fsm
"""


def set_to(name: str) -> SetParameter:
    return SetParameter("Calm", "0", "on_enter", AsWritten(name))


@pytest.mark.parametrize(
    "name", ["shout", "body.cheer", "log.clear", "twice", "Body", "actions.easing.linear"]
)
def test_a_name_of_the_file_is_written(opened: Any, name: str) -> None:
    assert f"on_enter={name}" in opened(FILE).write(set_to(name))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("print", "the file has no name 'print'"),
        ("exit", "the file has no name 'exit'"),
        ("shuot", "the file has no name 'shuot' (did you mean 'shout'?)"),
        ("sys.exit", "the file has no name 'sys'"),
        ("os", "`os` is code of another library"),
        ("os.abort", "`os.abort` is code of another library"),
        ("os.path", "`os.path` is code of another library"),
        ("random", "`random` is code of another library"),
        ("actions.import_module", "`actions.import_module` is code of another library"),
        ("shout.__globals__", "'shout.__globals__' is a name of Python's own"),
        ("os.abort()", "'os.abort()' is neither a literal nor a name"),
    ],
)
def test_any_other_name_is_refused(opened: Any, name: str, reason: str) -> None:
    desk = opened(FILE)
    with pytest.raises(RefusedEditError) as refused:
        desk.editor.proposed(set_to(name))
    assert refused.value.reason == reason
    assert desk.path.read_text() == FILE
