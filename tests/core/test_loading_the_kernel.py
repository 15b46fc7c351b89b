"""Which core runs: the kernel where it has been built and fits, otherwise the pure one."""

import ast
import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from fsmkit.core import kernel

LAMP = """
from fsmkit import Fsm

lamp = Fsm("Lamp")
off, on = lamp.add_state("Off"), lamp.add_state("On")
off.add_transition("PRESSED", on)
lamp.start()
assert lamp.send_event("PRESSED") and lamp.current_state is on
"""

KIND = """
from fsmkit.core import CORE_KIND

print(CORE_KIND)
"""

VERSION = """
from fsmkit.cli import main

main(["--version"])
"""

NO_KERNEL = """
import sys

sys.modules["fsmkit.core._kernel"] = None
"""

UNFIT_KERNEL = """
import sys
from types import ModuleType

class Kernel(ModuleType):
    __file__ = "/games/_kernel.so"

    def install(self, *classes_and_helpers):
        print("asked")
        raise TypeError("Fsm has no slot '_visit'")

sys.modules["fsmkit.core._kernel"] = Kernel("fsmkit.core._kernel")
"""

BROKEN_KERNEL = """
import sys

class Finder:
    def find_spec(self, name, *_):
        if name == "fsmkit.core._kernel":
            raise ImportError("undefined symbol: _PyType_Lookup")

sys.meta_path.insert(0, Finder())
"""

BUILT = "kernel" if find_spec("fsmkit.core._kernel") else "pure Python"


def run(code: str, pure: str | None = None) -> tuple[list[str], list[str]]:
    """Run `code` in a process of its own: the lines of its output, and the warnings."""
    environment = {name: text for name, text in os.environ.items() if name != "FSMKIT_PURE"}
    if pure is not None:
        environment["FSMKIT_PURE"] = pure
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        env=environment, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    lines = done.stderr.splitlines()
    return done.stdout.splitlines(), [line for line in lines if "Warning: " in line]


def test_a_kernel_that_has_been_built_runs() -> None:
    assert run(LAMP + KIND) == ([BUILT], [])


@pytest.mark.slow
def test_without_a_kernel_the_pure_core_runs() -> None:
    assert run(NO_KERNEL + LAMP + KIND) == (["pure Python"], [])


@pytest.mark.slow
@pytest.mark.parametrize("pure", ["1", "yes"])
def test_the_environment_chooses_the_pure_core(pure: str) -> None:
    assert run(UNFIT_KERNEL + LAMP + KIND, pure) == (["pure Python"], [])


@pytest.mark.slow
@pytest.mark.parametrize("pure", ["0", ""])
def test_the_environment_may_leave_the_kernel_in(pure: str) -> None:
    assert run(LAMP + KIND, pure) == ([BUILT], [])


@pytest.mark.slow
def test_the_command_says_which_core_runs() -> None:
    assert run(VERSION) == ([f"fsmkit {version('fsmkit')} ({BUILT})"], [])
    assert run(VERSION, pure="1") == ([f"fsmkit {version('fsmkit')} (pure Python)"], [])


@pytest.mark.slow
def test_a_kernel_that_does_not_fit_is_refused_with_one_warning() -> None:
    everything = "\nimport fsmkit.core.fsm, fsmkit.core, fsmkit, actions\n"
    output, [warning] = run(UNFIT_KERNEL + everything + LAMP + KIND)
    assert output == ["asked", "pure Python"]
    assert warning.partition(" RuntimeWarning: ")[2] == (
        "The kernel '/games/_kernel.so' must fit the Python code of fsmkit beside it, got "
        "TypeError: Fsm has no slot '_visit'. The pure core runs in its place. To rebuild the "
        "kernel, install fsmkit again: `pip install --force-reinstall ...` or "
        "`uv sync --reinstall-package fsmkit`."
    )


FROZEN = """
import sys

sys.frozen = True
"""


def test_a_frozen_program_is_not_advised_to_install_anything() -> None:
    output, [warning] = run(FROZEN + UNFIT_KERNEL + LAMP + KIND)
    assert output == ["asked", "pure Python"]
    assert warning.partition(" in its place. ")[2] == (
        "To have the kernel in this program, install fsmkit again where the program is built, with "
        "the Python that builds it, and build it again."
    )


COMPILED_CORE = UNFIT_KERNEL.replace(
    'print("asked")', 'print("asked")\n        classes_and_helpers[0].Fsm.send_event = len'
)


def test_a_core_that_was_compiled_runs_without_the_kernel_and_without_a_word() -> None:
    assert run(COMPILED_CORE + "import fsmkit" + KIND) == (["asked", "pure Python"], [])


def test_freezers_see_that_the_kernel_is_imported() -> None:
    tree = ast.parse(Path(kernel.__file__).read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    assert kernel.NAME in [name.name for node in imports for name in node.names]


def test_a_kernel_that_cannot_be_loaded_is_refused_with_one_warning() -> None:
    output, [warning] = run(BROKEN_KERNEL + LAMP + KIND)
    assert output == ["pure Python"]
    assert (
        "The kernel 'fsmkit.core._kernel' must fit the Python code of fsmkit beside it, got "
        "ImportError: undefined symbol: _PyType_Lookup. "
    ) in warning


OF_ANOTHER_INTERPRETER = UNFIT_KERNEL.replace(
    """TypeError("Fsm has no slot '_visit'")""",
    """ImportError("the kernel serves another interpreter, subinterpreters run without it")""",
)


def test_a_kernel_that_serves_another_interpreter_is_left_to_it_without_a_word() -> None:
    assert run(OF_ANOTHER_INTERPRETER + LAMP + KIND) == (["asked", "pure Python"], [])


SUBINTERPRETER = """
import sys
import fsmkit

if sys.version_info >= (3, 13):
    import _interpreters as interpreters
    inside = interpreters.create({kind!r})
else:
    import _xxsubinterpreters as interpreters
    inside = interpreters.create(isolated={kind!r} == "isolated")
path = f"import sys; sys.path[:] = {{sys.path}}\\n"  # its own may lead to another fsmkit
code = path + {code!r} + "print(CORE_KIND, flush=True)"
if failure := interpreters.run_string(inside, code):
    print(failure.formatted)
interpreters.destroy(inside)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["isolated", "legacy"])
@pytest.mark.skipif(sys.implementation.name != "cpython", reason="made in CPython's way")
def test_a_subinterpreter_runs_the_pure_core_and_leaves_the_kernel_to_the_first(kind: str) -> None:
    inside = LAMP + "from fsmkit.core import CORE_KIND\n"
    code = SUBINTERPRETER.format(kind=kind, code=inside)
    assert run(code + LAMP + KIND) == (["pure Python", BUILT], [])


RELOADED = """
from importlib import reload
import fsmkit.core

reload(fsmkit.core)
"""


@pytest.mark.slow
@pytest.mark.parametrize("pure", [None, "1"])
def test_reloading_the_core_leaves_it_as_it_is(pure: str | None) -> None:
    before = BUILT if pure is None else "pure Python"
    assert run(RELOADED + LAMP + KIND, pure) == ([before], [])


def test_after_a_reload_the_core_is_the_one_that_runs() -> None:
    later = "import os, fsmkit.core\nos.environ['FSMKIT_PURE'] = '1'\n"
    assert run(later + RELOADED + KIND) == ([BUILT], [])


LOOK = """
import doctest, inspect, pydoc, traceback

import fsmkit
from fsmkit.core import definition, fsm
from fsmkit.core.run import Run

KINDS = (fsmkit.Fsm, fsmkit.FsmState, fsmkit.FsmAction, definition.Definition, Run)
for kind in KINDS:
    print(pydoc.plain(pydoc.render_doc(kind)))
    for name, member in vars(kind).items():
        if inspect.isroutine(member) and not isinstance(member, classmethod):
            print(name, inspect.signature(member), inspect.getdoc(member), member.__qualname__)
            print(member.__module__, inspect.isfunction(member), member.__annotations__)
for module in (fsm, definition):
    print([test.name for test in doctest.DocTestFinder().find(module) if test.examples])
machine = fsmkit.Fsm("M")
print(inspect.signature(machine.update), machine.update.__func__.__name__)
CALLS = machine.update, machine.send_event, fsmkit.FsmState.add_action, fsmkit.FsmAction.finish
for call in CALLS:
    for arguments in ((), (1, 2, 3, 4), ("X",) * 9):
        try:
            call(*arguments, **({"odd": 1} if len(arguments) > 4 else {}))
        except TypeError as error:
            print(error)


class Fail(fsmkit.FsmAction):
    def on_update(self):
        raise ZeroDivisionError("no")


machine.add_state("A").add_action(Fail())
machine.start()
try:
    machine.update(dt=0.1)
except ZeroDivisionError as error:
    print(error.__notes__, traceback.extract_tb(error.__traceback__)[-1].name)
"""


@pytest.mark.slow
@pytest.mark.skipif(BUILT != "kernel", reason="there is no kernel to compare with")
def test_both_cores_look_the_same() -> None:
    assert run(LOOK) == run(LOOK, pure="1")
