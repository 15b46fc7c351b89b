"""Runs the code blocks of README.md and docs/ as tests, and prepares what all tests share.

A `python` block is run, or checked as a doctest if it begins with `>>>`, where long lines may be
broken; the blocks of a page share one namespace. After `<!-- file: NAME -->` it is saved as that
file as well, beside the examples that commands are run on. A `text` block is what the block before
it has printed, where lines of more than 80 columns may be broken. A `console` block that begins
with `$ fsmkit` is that command and what it writes, in a folder with the examples in it; other
commands are for the reader.
"""

import doctest
import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sybil import Document, Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser
from sybil.typing import Parser

from fsmkit.cli.targets import apart

pytest_plugins = ["pytester"]  # for the tests of our own plugin

PRINTED = "printed by the block before"
FOLDER = "the folder that commands are run in"
FILE = re.compile(r"<!-- file: (\S+) -->\s*\Z")
EXAMPLES = Path(__file__).parent / "examples"
WIDTH = 80
"""The columns of a block on a page. A longer line that is printed is broken there."""
PAGES = (
    "", "checks/", "coming_from/", "concepts/", "crowds/", "decisions/", "engines/", "gallery/",
    "inspector/", "reference/",
)  # fmt: skip
"""The folders in docs/ whose blocks are run. Recipes are tested as programs."""

IS_ONE_OF_SEVERAL = "PYTEST_XDIST_WORKER" in os.environ
"""True if this process runs only some of the tests, for another one."""

BYTECODE = Path(__file__).parent / ".pytest_cache" / "bytecode"
"""Where modules are kept compiled on a machine that wants no `__pycache__` beside them."""

if sys.dont_write_bytecode:  # or each of hundreds of processes would compile all that it imports
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(BYTECODE)
    sys.dont_write_bytecode = False

# The inspector keeps its token there, not in the home of who runs the tests.
os.environ["XDG_STATE_HOME"] = str(Path(__file__).parent / ".pytest_cache" / "state")

UNTIMED: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
"""The load of the machine decides nothing."""

# The same examples each time; --hypothesis-profile=thorough tries twice as many, and
# --hypothesis-profile=explore tries others.
settings.register_profile("steady", derandomize=True, max_examples=50, **UNTIMED)
settings.register_profile("thorough", derandomize=True, max_examples=100, **UNTIMED)
settings.register_profile("explore", **UNTIMED)
settings.load_profile("steady")

SEEDS = 5
"""The `seed`s from this one on are tried in the slow run only."""

SLOW_PAGES = {
    "births_and_deaths", "chance", "command_line", "crowd_neighbours", "crowd_shards",
    "crowd_studies", "crowds", "exploring", "five_minutes", "formats", "functions", "index",
    "mesa", "one_by_one", "pictures", "planning", "recording", "saving", "see_it", "tables",
}  # fmt: skip
"""The pages whose blocks take half a second of processor time or more, together."""

PAGES_OF_ENGINES = {"pymunk": "pymunk", "pathfinding": "PIL"}
"""Pages whose blocks need a package that the test command does not install."""


@pytest.fixture(autouse=True, scope="session")
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is compiled for the whole session and all of its processes, and no longer.

    Tests that are run by a test, or by a session that has a folder already, take that one.
    """
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if IS_ONE_OF_SEVERAL else folder
    with pytest.MonkeyPatch.context() as patch:
        if not os.environ.get("NUMBA_CACHE_DIR"):
            patch.setenv("NUMBA_CACHE_DIR", str(shared / "compiled"))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
        yield
    of_the_tests = Path(gettempdir()).resolve().relative_to(folder.anchor)
    shutil.rmtree(BYTECODE / of_the_tests, ignore_errors=True)


@pytest.fixture(autouse=True, scope="module")
def _garbage_is_young() -> Iterator[None]:
    """Have the garbage collector go through what the tests of one file make, and no more."""
    yield
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the whole suite in several processes, if pytest-xdist is there; a part of it in one."""
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    may_share = getattr(config.option, "numprocesses", 0) is None and not config.option.usepdb
    if is_whole and may_share and not IS_ONE_OF_SEVERAL:
        config.option.numprocesses = min(4, max(2, os.cpu_count() or 1))
        config.option.dist = "loadfile"  # the blocks of a page build on each other
        config.option.loadscopereorder = False  # or what takes long may come last, alone


@pytest.hookimpl(tryfirst=True)  # before those that are not asked for are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave slow pages, and most of the random worlds of a test, to the slow run."""
    missing = {page for page, name in PAGES_OF_ENGINES.items() if find_spec(name) is None}
    for item in items:
        if item.path.suffix == ".md" and item.path.stem in missing:
            item.add_marker(
                pytest.mark.skip(f"{PAGES_OF_ENGINES[item.path.stem]} is not installed")
            )
        if item.path.suffix == ".md" and item.path.stem in SLOW_PAGES:
            item.add_marker(pytest.mark.slow)
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            seed = item.callspec.params.get("seed")
            if isinstance(seed, int) and seed >= SEEDS:
                item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Spare the garbage collector what is imported; it would go through all of it each time."""
    gc.freeze()


collect_ignore_glob = ["docs/*.py", "docs/making/*", "docs/_build/*"]


class PrintingEvaluator(PythonEvaluator):
    """Runs a block and keeps what it prints for the `text` block after it."""

    def __call__(self, example: Example) -> None:
        """Run `example`."""
        folder = example.namespace[FOLDER].name
        if named := FILE.search(example.document.text, 0, example.start):
            Path(folder, named[1]).write_text(str(example.parsed), "utf-8")
        with (
            redirect_stdout(StringIO()) as printed,
            pytest.MonkeyPatch.context() as patch,
            apart(lambda file: file.startswith(folder)),
        ):
            if named:  # one file may import another, which other pages may have namesakes of
                patch.syspath_prepend(folder)
                for file in Path(folder).glob("*.py"):
                    patch.delitem(sys.modules, file.stem, raising=False)
            super().__call__(example)
        example.namespace[PRINTED] = printed.getvalue()


def compare_with_printed(example: Example) -> None:
    """Fail unless the text of the block is what the block before it has printed."""
    printed, shown = example.namespace.pop(PRINTED, ""), str(example.parsed)
    assert printed == unbroken(shown, printed)


def unbroken(shown: str, printed: str) -> str:
    """Put together the lines of `shown` that are one line, too long for a page, of `printed`."""
    lines, rest = [], shown.splitlines(keepends=True)
    for whole in printed.splitlines(keepends=True):
        line = rest.pop(0) if rest else ""
        if len(whole) > WIDTH:
            while rest and len(line.split()) < len(whole.split()):
                line += rest.pop(0)
            line = whole if line.split() == whole.split() else line
        lines.append(line)
    return "".join([*lines, *rest])


def run_command(example: Example) -> None:
    """Run the `fsmkit` command of the block and compare what it writes, apart from line breaks."""
    command, _, expected = str(example.parsed).partition("\n")
    if not command.startswith("$ fsmkit "):
        return
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "fsmkit", *command.split()[2:]],
        cwd=example.namespace[FOLDER].name,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout.split() == expected.split()


def parser_of_code() -> Parser:
    """The parser of `python` blocks."""
    parser = PythonCodeBlockParser(doctest_optionflags=doctest.NORMALIZE_WHITESPACE)
    parser.codeblock_parser = CodeBlockParser("python", PrintingEvaluator())
    return parser


def prepare(namespace: dict[str, Any]) -> None:
    """Give the classes of a page a module, and its commands a folder with the examples."""
    namespace["__name__"] = "__main__"
    namespace[FOLDER] = TemporaryDirectory()
    shutil.copytree(EXAMPLES, Path(namespace[FOLDER].name) / "examples")


def clean_up(namespace: dict[str, Any]) -> None:
    """Remove the folder."""
    namespace[FOLDER].cleanup()


pytest_collect_file = Sybil(
    parsers=[
        parser_of_code(),
        CodeBlockParser("text", compare_with_printed),
        CodeBlockParser("console", run_command),
        SkipParser(),
    ],
    patterns=["README.md", *(f"docs/{folder}*.md" for folder in PAGES)],
    setup=prepare,
    teardown=clean_up,
    document_types={".md": Document},
).pytest()
