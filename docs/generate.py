"""Make the generated parts and pictures of the pages: python docs/generate.py.

A page holds such a part between two comments, and is whole in the repository:

    <!-- made: MAKER ARGUMENTS -->
    ...
    <!-- end -->

The makers are in docs/making/parts.py. With --check it writes nothing, prints
what is out of date, and fails if there is anything.
"""

import logging
import sys
from pathlib import Path

PAGES = Path(__file__).parent
sys.path[:0] = [str(PAGES), str(PAGES.parent)]

from making.everything import every_file, leftovers, outdated  # noqa: E402  # needs the path


def main(arguments: list[str]) -> int:
    """Write what is out of date, or only say so; return the exit code."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    logging.disable()  # warnings are a part of some stories
    files = every_file()
    changed = outdated(files)
    for path in changed:
        print(path.relative_to(PAGES.parent))
        if not arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], "utf-8", newline="\n")
    surplus = leftovers(files)
    for path in surplus:
        print(f"{path.relative_to(PAGES.parent)} is shown nowhere: delete it")
    return 1 if surplus or (changed and arguments) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
