"""Two villagers make a camp fire, each in the way open to them.

    python examples/woodcutter.py
    fsmkit run examples/woodcutter.py --seconds 40

The woodcutter chops, as there is an axe in the hut. The herder may not take it: she collects
branches, which takes longer. What both can do is in separate data sets, which theirs extend. The
order of their actions is not written down: they plan it, and walk where it leads, around the pond.
"""

from actions import FollowPath, TimedWait
from fsmkit import FsmGroup
from fsmkit.goap import (
    DataSet,
    Extension,
    Goal,
    GoapAction,
    GoapAgent,
    actions_of,
)
from fsmkit.pathfinding import AStarPath, Grid, Tile, smooth
from fsmkit.space import Transform

VILLAGE = Grid("""
............
.h..~~~~..t.
....~~~~....
.w...~~.....
.......b....
....f.......
""", blocked="~", compiled=False)  # fmt: skip  # too small to load numba for

HUT, TREE, WELL, BUSHES, FIREPLACE = (1, 1), (10, 1), (1, 3), (7, 4), (4, 5)
SPEED = 2.0


def work(
    name: str, cost: float, target: Tile, needs: dict[str, bool], makes: str
) -> GoapAction:
    """Return an action that takes as many seconds as it costs."""
    return GoapAction(
        name,
        cost,
        needs,
        {makes: True},
        target=target,
        run=lambda: [TimedWait(cost)],
    )


DATASETS = [
    DataSet(
        "Woodcutter",
        [
            work("GetAxe", 1, HUT, {}, "axe"),
            work("ChopLog", 2, TREE, {"axe": True}, "wood"),
        ],
        [Extension("Villager"), Extension("Rest", {"axe": False})],
    ),
    DataSet("Herder", [], [Extension("Villager"), Extension("Rest")]),
    DataSet(
        "Villager",
        [
            work("CollectBranches", 8, BUSHES, {}, "wood"),
            work("MakeFire", 1, FIREPLACE, {"wood": True}, "fire"),
            GoapAction(
                "PutAxeBack", 1, {"axe": True}, {"axe": False}, target=HUT
            ),
        ],
    ),
    DataSet(
        "Rest", [work("SitByTheFire", 3, FIREPLACE, {"fire": True}, "rested")]
    ),
]
"""Nobody rests with an axe in hand."""


def villager(name: str, kind: str, home: Tile) -> GoapAgent[Transform]:
    body = Transform((float(home[0]), float(home[1])))

    def way_to(goal: Tile) -> AStarPath[Tile]:
        return smooth(
            VILLAGE, VILLAGE.find_path(VILLAGE.tile_at(body.position), goal)
        )

    return GoapAgent(
        name,
        context=body,
        actions=actions_of(kind, DATASETS),
        goals=[Goal("Rest", {"rested": True})],
        travel=lambda target: FollowPath(body, lambda: way_to(target()), SPEED),
    )


def build() -> FsmGroup:
    return FsmGroup(
        [
            villager("Wenda", "Woodcutter", WELL),
            villager("Hedda", "Herder", WELL),
        ]
    )


def main() -> None:
    villagers = build()
    doing: dict[str, str] = {}
    villagers.start()
    for _ in range(40 * 20):
        villagers.update(1 / 20)
        for agent in villagers:
            assert isinstance(agent, GoapAgent)
            tell(agent, doing)


def tell(agent: GoapAgent[Transform], doing: dict[str, str]) -> None:
    """Print what has changed with `agent`."""
    state = agent.body.current_state
    now = (
        f"{agent.plan.actions[agent.step].name}, {state.name}"
        if state
        else "does nothing"
    )
    if now != doing.get(agent.name):
        if state and not doing.get(agent.name, "does nothing").count(","):
            print(f"{agent.time:5.2f} s  {agent.name} plans: {agent.plan}")
        x, y = agent.context.position
        print(f"{agent.time:5.2f} s  {agent.name} at ({x:.1f}, {y:.1f}): {now}")
        doing[agent.name] = now


if __name__ == "__main__":
    main()
