"""Code that names its files otherwise than `__file__` does, as that of a frozen program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FROZEN = """
import importlib.abc, importlib.machinery, sys

ROOT = sys.argv[1]


class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        path = self.get_filename(fullname)
        name = path.removeprefix(ROOT).lstrip("/\\\\")
        return compile(self.get_data(path), name, "exec", dont_inherit=True)


suffixes = (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
sys.path.insert(0, ROOT)
sys.path_hooks.insert(
    0, importlib.machinery.FileFinder.path_hook(suffixes, (Loader, [".py"]))
)
sys.path_importer_cache.clear()
"""

PROGRAM = """
import actions
from actions import DelegateAction, TimedWait
from fsmkit import Fsm, FsmError
from fsmkit.checking.reading.objects import is_file_of_library, is_of_library
from fsmkit.introspection.code_place import calling_place, is_of_user, is_ours

print(Fsm.add_state.__code__.co_filename.replace("\\\\", "/"))
print(is_ours(Fsm.add_state.__code__.co_filename), is_of_user(Fsm.add_state.__code__.co_filename))
print(is_file_of_library(actions.__getattr__.__code__.co_filename), is_of_library(TimedWait))


def again():
    try:
        fsm.update(0.1)
    except FsmError as error:
        print(error)


fsm = Fsm("Lamp")
fsm.add_state("On").add_action(DelegateAction(on_update=again))
fsm.start()
fsm.update(0.1)
"""

REFUSED = (
    "Fsm 'Lamp': update() from inside one of its own callbacks. Call it once per frame, from the "
    "game loop."
)


@pytest.mark.slow
def test_fsmkit_knows_its_own_code() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FROZEN + PROGRAM, str(ROOT)],
        env=os.environ | {"PYTHONPATH": ""}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "fsmkit/core/definition.py",
        "True False",
        "True True",
        REFUSED,
    ]
