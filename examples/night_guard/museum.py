"""The museum as it was drawn, and the guards' rounds.

Walls `#`, statues `@`, doors `+`, carpet `,`, jewels `o`, the gate `E`, the thief `T`.
"""

from typing import Final

from fsmkit.pathfinding import Tile

PLAN: Final = """
##############################
#.........#........#.........#
#.,,,,,,..#........#..,,,,,,.#
#.,,@@,,..#..@..@..#..,,@@,,.#
#.,,@@,o..+........+..o,@@,,.#
#.,,,,,,..#..@..@..#..,,,,,,.#
#.........#........#.........#
#####+#######.########+#######
#............................#
#,,,,,,,,,,,,,,,,,,,,,,,,,,,,#
#..@@...@@..........@@...@@..#
#............................#
###+######+#############+#####
#......#..........#..........#
#.,,,,.#..@@..@@..#.,,,,,,,,.#
E.,,T,.+..........+.,,@@@,o,.#
#.,,,,.#..........#.,,,,,,,,.#
##############################
"""

ROUNDS: Final[dict[str, list[Tile]]] = {
    "Ada": [(2, 8), (27, 8), (27, 11), (2, 11)],
    "Ben": [
        (8, 4), (8, 6), (1, 6), (1, 1), (8, 1), (8, 4),
        (21, 4), (21, 6), (28, 6), (28, 1), (21, 1), (21, 4),
    ],
    "Cid": [
        (17, 15), (20, 15), (20, 13), (28, 13), (28, 16), (20, 16), (20, 15), (17, 15),
        (17, 16), (9, 16), (9, 13), (17, 13),
    ],
}  # fmt: skip
"""The corners that each guard walks to in turn, in straight lines."""

SIDES: Final[dict[str, tuple[float, float]]] = {
    "Ada": (-0.45, 0.2),
    "Ben": (0.45, 0.2),
    "Cid": (0.0, -0.45),
}
"""The offset of each of them when all go to the same place."""

JEWELS: Final = ["ruby", "sapphire", "emerald"]
"""In the order of the plan, from the top."""
