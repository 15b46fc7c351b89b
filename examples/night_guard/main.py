"""Night Guard: steal three jewels from a museum, and do not get caught.

    python examples/night_guard/main.py                          # play
    python examples/night_guard/main.py --headless               # read a story: a thief with a plan
    python examples/night_guard/main.py --screenshot night.png   # see him in the midst of it

The same game is in every installed fsmkit: `fsmkit demo`.

You steer with the arrow keys or WASD, and sneak with shift; or you hold a button of the mouse, the
right one to sneak; or you take a gamepad. F1 opens the inspector, F3 shows what everybody is doing;
F5 reloads guards.py while they walk. P pauses, M mutes, Escape leads back to the title.

Three guards walk their rounds by torchlight. They go to look at what they hear, run after whom they
see, and give up when they have lost him; one of them is enough to ring the alarm for all. Guards,
doors, jewels, the siren, the thief and the night itself are machines: `game.py` has them all.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace

from difficulty import DIFFICULTIES, Difficulty
from game import build
from museums import MUSEUMS, Museum
from screen import obstacle
from story import Story

__all__ = ["build", "carry_out", "main"]

READING_TIME = 0.2
"""Seconds for a line of the story, where it is read along."""


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description="Steal three jewels, and do not get caught.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--headless", action="store_true", help="tell the story of a scripted thief")
    what.add_argument("--screenshot", metavar="FILE", help="draw a moment of that story")
    parser.add_argument("--museum", choices=MUSEUMS, default="palace", help="where it is")
    parser.add_argument(
        "--difficulty", choices=DIFFICULTIES, default="normal", help="how good the guards are"
    )
    try:
        sys.exit(carry_out(parser.parse_args(arguments)))
    except KeyboardInterrupt:
        sys.exit(130)


def carry_out(chosen: Namespace) -> int:
    """Do what has been chosen on a command line; return the exit code."""
    museum, difficulty = MUSEUMS[chosen.museum], DIFFICULTIES[chosen.difficulty]
    if chosen.headless:
        tell(museum, difficulty)
    elif chosen.screenshot:
        if reason := obstacle(to_a_window=False):
            print(reason, file=sys.stderr)
            return 1
        import playing

        playing.take_picture(chosen.screenshot, museum, difficulty)
    elif reason := obstacle():
        print(f"{reason} Here is a story instead.", file=sys.stderr)
        tell(museum, difficulty)
    else:
        import playing

        playing.play(museum, difficulty)
    return 0


def tell(museum: Museum, difficulty: Difficulty) -> None:
    """Print the story: at once, or on a terminal as fast as one reads."""
    Story(read_slowly if sys.stdout.isatty() else print, museum, difficulty).run()


def read_slowly(line: str) -> None:
    print(line, flush=True)
    time.sleep(READING_TIME)


if __name__ == "__main__":
    main()
