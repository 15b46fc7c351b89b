"""The page about installing names every extra, with what it installs."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_extras_has_every_extra_and_what_it_installs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {
        extra: {re.split(r"[<>=]", package)[0].lower() for package in packages}
        for extra, packages in project["optional-dependencies"].items()
    }
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \| .* \| (.*) \| `pip install 'fsmkit\[(\w+)\]'` \|$", page, re.MULTILINE
    )
    shown = {extra: set(packages.lower().split(", ")) for extra, packages, _ in rows}
    assert [extra for extra, _, _ in rows] == [command for _, _, command in rows]
    assert shown == wanted
