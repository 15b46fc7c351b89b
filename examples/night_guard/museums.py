"""The museums as they were drawn, and the guards' rounds.

Walls `#`, statues `@`, doors `+`, boards `.`, marble `:`, carpet `,`, jewels `o`, the gate `E`, the
thief `T`.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from fsmkit.pathfinding import Tile
from fsmkit.space import Position


@frozen
class Museum:
    name: str
    plan: str
    jewels: list[str]
    """In the order of the plan, from the top."""
    rounds: dict[str, list[Tile]]
    """The corners that each guard walks to in turn, in straight lines."""
    sides: dict[str, Position]
    """The offset of each of them when all go to the same place."""
    best_moment: float
    """Seconds into the scripted story: the moment that its picture shows."""


PALACE: Final = Museum(
    "palace",
    """
##############################
#.........#........#.........#
#.,,,,,,..#........#..,,,,,,.#
#.,,@@,,..#..@..@..#..,,@@,,.#
#.,,@@,o..+........+..o,@@,,.#
#.,,,,,,..#..@..@..#..,,,,,,.#
#.........#........#.........#
#####+#######.########+#######
#::::::::::::::::::::::::::::#
#,,,,,,,,,,,,,,,,,,,,,,,,,,,,#
#::@@:::@@::::::::::@@:::@@::#
#::::::::::::::::::::::::::::#
###+######+#############+#####
#......#..........#..........#
#.,,,,.#..@@..@@..#.,,,,,,,,.#
E.,,T,.+..........+.,,@@@,o,.#
#.,,,,.#..........#.,,,,,,,,.#
##############################
""",
    jewels=["ruby", "sapphire", "emerald"],
    rounds={
        "Ada": [(2, 8), (27, 8), (27, 11), (2, 11)],
        "Ben": [
            (8, 4), (8, 6), (1, 6), (1, 1), (8, 1), (8, 4),
            (21, 4), (21, 6), (28, 6), (28, 1), (21, 1), (21, 4),
        ],
        "Cid": [
            (17, 15), (20, 15), (20, 13), (28, 13), (28, 16), (20, 16), (20, 15), (17, 15),
            (17, 16), (9, 16), (9, 13), (17, 13),
        ],
    },
    sides={"Ada": (-0.45, 0.2), "Ben": (0.45, 0.2), "Cid": (0.0, -0.45)},
    best_moment=104.3,
)  # fmt: skip

CLOISTER: Final = Museum(
    "cloister",
    """
##############################
#.....#::@@::::::::@@::#.....#
#.,,,.#::::::::::::::::#.,,,.#
#.,,,.#::,,,,,,,,,,,,::#.,o,.#
#.,,,.+:,@::@::::@::@,:+.,,,.#
#.....#:,::::::::::::,:#.....#
###+###:,@::::::::::@,:###+###
#.....#:,:::@,,,,@:::,:#.....#
#@@...+:,@:::,@@,:::@,:+...@@#
#.....#:,::::,,o,::::,:#.....#
###+###:,:::@,,,,@:::,:###+###
#.....#:,@::::::::::@,:#.....#
#.,,,.#:,::::::::::::,:#.,,,.#
E.,T,.+:,@::@::::@::@,:+.,o,.#
#.,,,.#::,,,,,,,,,,,,::#.,,,.#
#.....#::::::::::::::::#.....#
#@@...#::@@::::::::@@::#...@@#
##############################
""",
    jewels=["pearl", "amber", "jade"],
    rounds={
        "Dora": [(7, 11), (7, 2), (22, 2), (22, 15), (7, 15)],
        "Emil": [(14, 5), (19, 5), (19, 12), (10, 12), (10, 5)],
        "Fay": [
            (28, 3), (28, 1), (24, 1), (24, 5), (26, 5), (26, 11),
            (28, 11), (28, 15), (24, 15), (24, 11), (26, 11), (26, 5), (28, 5),
        ],
    },
    sides={"Dora": (-0.45, 0.2), "Emil": (0.45, 0.2), "Fay": (0.0, -0.45)},
    best_moment=117.5,
)  # fmt: skip

MUSEUMS: Final = {museum.name: museum for museum in (PALACE, CLOISTER)}
