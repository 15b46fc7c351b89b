"""Hubs: states that many others lead to and back from. The others are put around them.

In layers, all of them would stand in one row, and their arrows would run into each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import cos, hypot, pi, sin, tau
from typing import Final

from attrs import evolve, frozen

from fsmkit.diagram.arrangement import drawn_ends
from fsmkit.diagram.geometry import PictureBox, PictureLayout, PicturePoint, around, minus
from fsmkit.diagram.graph import Cluster, Edge, Graph, changed, clusters_of, edge_id
from fsmkit.diagram.routes import beside, curve

LEAST_SPOKES: Final = 3
MOST_SPOKES: Final = 60
"""The states around a hub."""

LEAST_SHARE: Final = 1 / 3
"""The share of a machine's states that stand around a hub."""

FLATTEST: Final = 2.5
"""The longer side of a hub in layers, as a multiple of the shorter one."""

STRETCH: Final = 1.3
"""How much wider than high the ring of states is."""

GROWTH: Final = 1.1
MOST_TRIES: Final = 40

ASIDE: Final = 8.0
"""From the middle to each of two arrows that lead there and back, at the most."""

BEND: Final = 0.04
"""How far they bend away from each other at most, as a share of their length."""

PLACES: Final = (0.55, 0.65, 0.45, 0.75, 0.35)
"""The places of a label between the hub and the other state, the best ones first."""

START_WAY: Final = 0.3
"""The angle in radians that is left free for the arrow to the start."""

WAY: Final = 0.7
"""The angle in radians that is left free for arrows to other states, at the top and the bottom."""


@frozen
class Spoke:
    leaf: str
    out: str = ""
    """The id of the arrow to the leaf, if there is one."""
    back: str = ""
    """The id of the arrow from the leaf."""


@frozen
class Hub:
    cluster: str
    centre: str
    spokes: tuple[Spoke, ...]
    has_others: bool
    """True if other arrows lead to it or away from it."""

    @property
    def leaves(self) -> set[str]:
        return {spoke.leaf for spoke in self.spokes}

    @property
    def arrows(self) -> set[str]:
        return {id_ for spoke in self.spokes for id_ in (spoke.out, spoke.back) if id_}


def flat_hubs(graph: Graph, layout: PictureLayout) -> list[Hub]:
    """Return the hubs whose states stand in a long row."""
    found = [hub for cluster in clusters_of(graph) for hub in _hubs(cluster)]
    return [hub for hub in found if _flatness(hub, layout) > FLATTEST]


def _hubs(cluster: Cluster) -> Iterator[Hub]:
    edges: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in cluster.all_edges:
        ends = drawn_ends(edge)
        for end in dict.fromkeys(ends):
            edges[end].append(edge)
    framed = {id_ for frame in cluster.frames for id_ in frame.inside}
    leaves: defaultdict[str, list[Spoke]] = defaultdict(list)
    for node in cluster.nodes:
        is_alone = not (node.runs or node.is_start or node.started_by or node.id in framed)
        others = {end for edge in edges[node.id] for end in drawn_ends(edge)} - {node.id}
        if is_alone and len(others) == 1:
            leaves[others.pop()].append(_spoke(node.id, edges[node.id]))
    least = max(LEAST_SPOKES, LEAST_SHARE * len(cluster.nodes))
    for node in cluster.nodes:
        spokes = tuple(leaves[node.id])
        if least <= len(spokes) <= MOST_SPOKES and node.id not in framed and not node.runs:
            among = {node.id, *(spoke.leaf for spoke in spokes)}
            has_others = any(not {*drawn_ends(edge)} <= among for edge in edges[node.id])
            yield Hub(cluster.id, node.id, spokes, has_others)


def _spoke(leaf: str, edges: Sequence[Edge]) -> Spoke:
    spoke = Spoke(leaf)
    for edge in edges:
        tail, head = drawn_ends(edge)
        if tail == leaf != head:
            spoke = evolve(spoke, back=edge.id)
        elif head == leaf != tail:
            spoke = evolve(spoke, out=edge.id)
    return spoke


def _flatness(hub: Hub, layout: PictureLayout) -> float:
    box = around((), (layout.nodes[id_] for id_ in (hub.centre, *hub.leaves)))
    if box is None:
        return 0.0
    arrows = (layout.arrows[id_].bounds for id_ in hub.arrows)
    whole = around((), (box, *arrows)) or box
    return max(whole.width / whole.height, whole.height / whole.width)


def without_leaves(graph: Graph, hubs: Sequence[Hub]) -> Graph:
    """Return `graph` without the states around the hubs, and their arrows."""
    leaves = {leaf for hub in hubs for leaf in hub.leaves}

    def reduced(cluster: Cluster) -> Cluster:
        kept = [edge for edge in cluster.edges if leaves.isdisjoint(drawn_ends(edge))]
        nodes = (node for node in cluster.nodes if node.id not in leaves)
        return evolve(cluster, nodes=tuple(nodes), edges=tuple(kept))

    return changed(graph, reduced)


def ring(hub: Hub, layout: PictureLayout, *, is_sideways: bool) -> PictureLayout:
    """Return the places of a hub at the origin, and of the states and arrows around it."""
    sizes = {id_: layout.nodes[id_] for id_ in (hub.centre, *hub.leaves)}
    labels = {id_: layout.arrows[id_].label for id_ in hub.arrows}
    angles = _angles(len(hub.spokes), is_sideways=is_sideways, has_ways=hub.has_others)
    centre = sizes[hub.centre]
    radius = max(centre.width, centre.height) / 2 + 60.0
    near = min(ASIDE, (centre.width + centre.height) / 2 / len(hub.spokes))
    tried = PictureLayout()
    for _ in range(MOST_TRIES):
        tried = PictureLayout({hub.centre: centre.at((0.0, 0.0))})
        for spoke, angle in zip(hub.spokes, angles, strict=True):
            place = STRETCH * radius * cos(angle), radius * sin(angle)
            tried.nodes[spoke.leaf] = sizes[spoke.leaf].at(place)
            _add_arrows(tried, hub, spoke, near)
        _add_loops(tried, layout)
        if _add_labels(tried, hub, labels):
            break
        radius *= GROWTH
    return tried


def _angles(count: int, *, is_sideways: bool, has_ways: bool) -> list[float]:
    """Return angles from the top on, clockwise; where arrows lead on, in two halves."""
    top = pi if is_sideways else -pi / 2
    if not has_ways:
        begin, whole = top + START_WAY / 2, tau - START_WAY
        return [begin + whole * (number + 0.5) / count for number in range(count)]
    halves = [(top, (count + 1) // 2), (top + pi, count // 2)]
    return [
        begin + WAY / 2 + (pi - WAY) * (number + 0.5) / many
        for begin, many in halves
        for number in range(many)
    ]


def _add_arrows(tried: PictureLayout, hub: Hub, spoke: Spoke, near: float) -> None:
    """Add the arrows of a state; two of them are as far apart at the hub as there is room."""
    boxes = tried.nodes[hub.centre], tried.nodes[spoke.leaf]
    is_pair = bool(spoke.out and spoke.back)
    for id_, way in ((spoke.out, 1), (spoke.back, -1)):
        if id_:
            tail, head = boxes[::way]
            aside = _left_of(tail.centre, head.centre) if is_pair else (0.0, 0.0)
            aims = [
                box.moved((much * aside[0], much * aside[1]))
                for box, much in zip(boxes, (near, ASIDE), strict=True)
            ][::way]
            bow = min(BEND, 0.4 / len(hub.spokes)) if is_pair else 0.0
            tried.arrows[id_] = curve(aims[0], aims[1], bow, (tail, head))


def _left_of(begin: PicturePoint, end: PicturePoint) -> PicturePoint:
    x, y = minus(end, begin)
    length = hypot(x, y) or 1.0
    return y / length, -x / length


def _add_labels(tried: PictureLayout, hub: Hub, labels: Mapping[str, PictureBox | None]) -> bool:
    """Put the labels on free places; return False if there is no room for one of them."""
    if any(one.overlaps(other, 14.0) for one, other in combinations(tried.nodes.values(), 2)):
        return False
    for spoke in hub.spokes:
        for id_ in (spoke.out, spoke.back):
            label = labels.get(id_)
            if label is not None:
                place = _free_place(id_, label, tried, is_back=id_ == spoke.back)
                tried.arrows[id_].label = place or label.at(tried.arrows[id_].bounds.centre)
                if place is None:
                    return False
    return True


def _free_place(
    id_: str, label: PictureBox, tried: PictureLayout, *, is_back: bool
) -> PictureBox | None:
    course = tried.arrows[id_].course
    for share in PLACES:
        index = int((1 - share if is_back else share) * (len(course) - 1))
        place = beside(label, course[index], course[index + 1], 1.0, 3.0)
        if not (
            any(place.overlaps(box, 4.0) for box in tried.nodes.values())
            or any(place.overlaps(box, 2.0) for box in tried.labels().values())
            or any(arrow.meets(place) for arrow in tried.arrows.values())
        ):
            return place
    return None


def _add_loops(tried: PictureLayout, layout: PictureLayout) -> None:
    """Add the arrows that lead from a state to itself; they stay at it."""
    for id_, box in tried.nodes.items():
        loop = layout.arrows.get(edge_id(id_, id_))
        if loop is not None:
            tried.arrows[edge_id(id_, id_)] = loop.moved(
                minus(box.centre, layout.nodes[id_].centre)
            )


def bounds(part: PictureLayout) -> PictureBox:
    boxes = [*part.nodes.values(), *(arrow.bounds for arrow in part.arrows.values())]
    return around((), [*boxes, *part.labels().values()]) or PictureBox(0, 0, 0, 0)


def moved(part: PictureLayout, by: PicturePoint) -> PictureLayout:
    return PictureLayout(
        {id_: box.moved(by) for id_, box in part.nodes.items()},
        {id_: box.moved(by) for id_, box in part.frames.items()},
        {id_: arrow.moved(by) for id_, arrow in part.arrows.items()},
    )
