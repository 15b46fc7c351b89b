"""Night Guard: steal three jewels from a museum, and do not get caught.

    python examples/night_guard/main.py                          # play
    python examples/night_guard/main.py --headless               # read a story: a thief with a plan
    python examples/night_guard/main.py --screenshot night.png   # see him in the midst of it

You steer with the arrow keys or WASD, and sneak with shift. F1 opens the inspector, F2 shows each
guard's state.

Three guards walk their rounds by torchlight. They go to look at what they hear, run after whom they
see, and give up when they have lost him; one of them is enough to ring the alarm for all. Guards,
doors, jewels, the siren, the thief and the night itself are machines: `game.py` has them all.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser

from game import build
from story import Story

__all__ = ["build", "main"]

BEST_MOMENT = 104.3
"""Seconds into the story."""


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description="Steal three jewels, and do not get caught.")
    parser.add_argument(
        "--headless", action="store_true", help="tell the story of a scripted thief"
    )
    parser.add_argument("--screenshot", metavar="FILE", help="draw a moment of that story")
    chosen = parser.parse_args(arguments)
    if chosen.headless:
        Story(print).go_on()
        return
    try:
        import playing
    except ImportError as error:
        sys.exit(f"{error}. Night Guard is drawn with pygame-ce: pip install 'fsmkit[pygame]'")
    if chosen.screenshot:
        playing.take_picture(chosen.screenshot, BEST_MOMENT)
    else:
        playing.play()


if __name__ == "__main__":
    main()
