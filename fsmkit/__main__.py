"""`python -m fsmkit` is the command `fsmkit`."""

import sys

from fsmkit.cli import main

if __name__ == "__main__":
    sys.exit(main())
