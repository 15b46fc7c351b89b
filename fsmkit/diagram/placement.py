"""Places of parts that Graphviz would have put elsewhere, or would have let run into each other.

- States with a place of their own are there, with what belongs to them; others make room.
- States around a hub are put in a ring.
- A label is beside its arrow, in its panel, and no other arrow runs through it.

Everything else stays where Graphviz has put it. Graphviz draws the picture a second time then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from attrs import define, evolve, field, frozen

from fsmkit.diagram import hubs
from fsmkit.diagram.arrangement import drawn_ends
from fsmkit.diagram.dot import beginning_id, dot_of
from fsmkit.diagram.geometry import (
    DrawnArrow,
    PictureBox,
    PictureLayout,
    PicturePoint,
    around,
    distance,
    layout_in,
    minus,
    plus,
    with_attributes,
    with_places,
)
from fsmkit.diagram.graph import Cluster, Graph, StateNode, changed, clusters_of, edge_id
from fsmkit.diagram.layout import Draw
from fsmkit.diagram.picture_options import PictureLook
from fsmkit.diagram.routes import Link, curve, faults, label_place, routed, warped
from fsmkit.svg.theme import Theme

INCH: Final = 72.0

GAP: Final = 24.0
"""Between parts that make room for each other."""

MARGIN: Final = 8.0
"""Between the frame of a panel and what is in it."""

MOST_WARPED: Final = 80.0
"""How far the ends of an arrow may be moved apart before it is led another way."""

MOST_DETOUR: Final = 1.15
"""How much longer an arrow may become that is led around a label."""

MOST_MENDED: Final = 400
"""The labels of a picture with more arrows stay where Graphviz has put them: that takes long."""

ABOVE: Final = 46.0
"""From the beginning of a machine to the top of its hub."""


@frozen
class Placed:
    dot: str
    svg: str
    places: dict[str, PicturePoint]
    """The id of a state -> where its centre is, from the upper left corner of its machine."""


def placed(graph: Graph, theme: Theme, look: PictureLook, draw: Draw) -> Placed:
    free = changed(graph, _without_places)
    dot = dot_of(free, theme, look)
    svg = draw(dot)
    picture = _Picture(graph, layout_in(svg))
    if not picture.is_complete:
        return Placed(dot, svg, {})
    found = hubs.flat_hubs(graph, picture.layout)
    if found:
        around_hubs = _Rings(free, found, theme, look)
        picture = _Picture(graph, around_hubs.expanded(picture.layout, draw))
    picture.keep()
    picture.mend()
    if found or picture.is_changed:
        dot = with_places(dot, picture.layout)
        svg = draw(dot)
    return Placed(dot, svg, picture.places())


@define
class _Rings:
    """Lays a picture out with a large box for each hub, and puts the states around it there."""

    graph: Graph
    hubs: list[hubs.Hub]
    theme: Theme
    look: PictureLook

    def expanded(self, layout: PictureLayout, draw: Draw) -> PictureLayout:
        sideways = self.look.direction in ("LR", "RL")
        rings = {hub.centre: hubs.ring(hub, layout, is_sideways=sideways) for hub in self.hubs}
        sizes = {centre: hubs.bounds(ring).grown(MARGIN) for centre, ring in rings.items()}
        attributes = {
            centre: f' width="{2 * max(-box.left, box.right) / INCH:.3f}"'
            f' height="{2 * max(-box.top, box.bottom) / INCH:.3f}"'
            for centre, box in sizes.items()
        }
        rest = dot_of(hubs.without_leaves(self.graph, self.hubs), self.theme, self.look)
        result = layout_in(draw(with_attributes(rest, attributes)))
        for centre, ring in rings.items():
            part = hubs.moved(ring, result.nodes[centre].centre)
            result.nodes |= part.nodes
            result.arrows |= part.arrows
        self._reconnect(result)
        return result

    def _reconnect(self, layout: PictureLayout) -> None:
        """Lead the other arrows of a hub to its own box; a machine begins close to it."""
        own = {id_ for hub in self.hubs for id_ in hub.arrows}
        for cluster in clusters_of(self.graph):
            for hub in self.hubs:
                beginning = beginning_id(cluster.id)
                if hub.centre == cluster.start and not self._leads_elsewhere(cluster):
                    box = layout.nodes[hub.centre]
                    place = box.centre[0], box.top - ABOVE
                    layout.nodes[beginning] = layout.nodes[beginning].at(place)
            for link in _links(cluster):
                ends = (link.tail, link.head)
                is_other = link.id not in own and link.tail != link.head
                if is_other and any(hub.centre in ends for hub in self.hubs):
                    layout.put(link.id, self._led(link, layout, beginning_id(cluster.id)))

    def _led(self, link: Link, layout: PictureLayout, beginning: str) -> DrawnArrow:
        if link.tail == beginning:
            return curve(layout.nodes[link.tail], layout.nodes[link.head], 0.0)
        return routed(link, layout)

    def _leads_elsewhere(self, cluster: Cluster) -> bool:
        return any(node.started_by for node in cluster.nodes)


def _links(cluster: Cluster) -> Iterator[Link]:
    frames = {frame.id: frame for frame in cluster.frames}
    edges = [*cluster.edges, *cluster.global_edges]
    pairs = {drawn_ends(edge) for edge in edges}
    for edge in edges:
        tail, head = drawn_ends(edge)
        yield Link(edge.id, tail, head, bends=tail != head and (head, tail) in pairs)
    for edge in cluster.group_edges:
        frame = frames[edge.source]
        tail = frame.tail_of(edge)
        tail_frame = frame.id if tail in frame.inside else ""
        yield Link(edge.id, tail, drawn_ends(edge)[1], tail_frame)
    beginning = beginning_id(cluster.id)
    for node in cluster.nodes:
        yield Link(edge_id(beginning, node.id), beginning, node.id)
        for inner in node.runs:
            head = beginning_id(inner.id)
            yield Link(edge_id(node.id, inner.id), node.id, head, head_frame=inner.id)


@define
class _Picture:
    graph: Graph
    layout: PictureLayout
    is_changed: bool = field(default=False, init=False)
    _grown: set[str] = field(factory=set, init=False)
    """The ids of the frames that have been fitted."""
    _natural: PictureLayout = field(init=False)
    """Where everything was before it was moved."""
    _origins: dict[str, PicturePoint] = field(factory=dict, init=False)
    """The id of a machine -> the upper left corner of what is in it."""
    _insets: dict[str, PictureBox] = field(factory=dict, init=False)
    """The id of a frame -> the room between it and what is in it, on each side."""
    _nodes: dict[str, tuple[str, ...]] = field(factory=dict, init=False)
    """The id of a machine -> its nodes, without those of the machines inside."""
    _links: dict[str, tuple[Link, ...]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        layout = self.layout
        self._note_natural()
        for cluster in clusters_of(self.graph):
            self._nodes[cluster.id] = tuple(self._nodes_of(cluster))
            own = (link for link in _links(cluster) if link.id in layout.arrows)
            self._links[cluster.id] = tuple(own)
        for cluster in clusters_of(self.graph):
            if (content := self._content(cluster)) is not None:
                self._origins[cluster.id] = content.left, content.top
                self._note_inset(cluster.id, content)
            for frame in cluster.frames:
                if (content := self._content_of_frame(cluster, frame.inside)) is not None:
                    self._note_inset(frame.id, content)

    def _note_natural(self) -> None:
        layout = self.layout
        self._natural = PictureLayout(dict(layout.nodes), dict(layout.frames), dict(layout.arrows))

    @property
    def is_complete(self) -> bool:
        """True if it is known where every state is."""
        nodes = (node.id for cluster in clusters_of(self.graph) for node in cluster.nodes)
        return all(cluster.nodes for cluster in clusters_of(self.graph)) and all(
            id_ in self.layout.nodes for id_ in nodes
        )

    def places(self) -> dict[str, PicturePoint]:
        return {
            node.id: minus(self.layout.nodes[node.id].centre, self._origins[cluster.id])
            for cluster in clusters_of(self.graph)
            for node in cluster.nodes
        }

    # States with a place of their own

    def keep(self) -> None:
        """Put states where they are to be kept, and lead their arrows there."""
        if not any(map(_has_places, self.graph)):
            return
        for cluster in self.graph:
            self._keep(cluster)
        first, *others = self.graph
        self._make_room([*others], [self._box(first)])
        self._lead_arrows()
        self.is_changed = True

    def _keep(self, cluster: Cluster) -> None:
        fixed: list[PictureBox] = []
        for node in cluster.nodes:
            if node.place is not None:
                box = self.layout.nodes[node.id]
                by = minus(plus(self._origins[cluster.id], node.place), box.centre)
                fixed.append(box.moved(by))
                self._move([node.id, *self._followers(cluster, node.id)], by)
                for inner in _inner([node]):
                    self._move_machine(inner, by)
        machines = [*_inner(cluster.nodes)]
        for machine in machines:
            self._keep(machine)
        kept = [machine for machine in machines if _has_places(machine)]
        states = {node.id: node for node in cluster.nodes}
        free = [id_ for id_ in self._nodes[cluster.id] if id_ not in states]
        free += [id_ for id_, node in states.items() if node.place is None]
        rest = [machine for machine in machines if machine not in kept]
        self._make_room([*free, *rest], [*fixed, *map(self._box, kept)])

    def _followers(self, cluster: Cluster, node: str) -> list[str]:
        """Return the nodes that belong to a state: its tags, and the beginning of its machine."""
        around_it = [link for link in self._links[cluster.id] if node in (link.tail, link.head)]
        tags = {tag.id for tag in cluster.tags if tag.kind != "bundle"}
        found = [end for link in around_it for end in (link.tail, link.head) if end in tags]
        return [*found, *([beginning_id(cluster.id)] if node == cluster.start else [])]

    def _move(self, nodes: list[str], by: PicturePoint) -> None:
        for id_ in nodes:
            self.layout.nodes[id_] = self.layout.nodes[id_].moved(by)

    def _move_machine(self, cluster: Cluster, by: PicturePoint) -> None:
        for each in cluster.with_nested():
            self._move([*self._nodes[each.id]], by)
            self._origins[each.id] = plus(self._origins[each.id], by)
            for id_ in (each.id, *(frame.id for frame in each.frames)):
                if id_ in self.layout.frames:
                    self.layout.frames[id_] = self.layout.frames[id_].moved(by)

    def _make_room(self, parts: list[str | Cluster], done: list[PictureBox]) -> None:
        """Move the parts that are in the way of something, or of what has been moved."""
        waiting = [*parts]
        while waiting:
            hit = next((each for each in waiting if self._in_the_way(each, done)), None)
            if hit is None:
                return
            by = self._way_out(self._box(hit), done)
            if isinstance(hit, Cluster):
                self._move_machine(hit, by)
            else:
                self._move([hit], by)
            waiting.remove(hit)
            done.append(self._box(hit))

    def _box(self, part: str | Cluster) -> PictureBox:
        if isinstance(part, str):
            return self.layout.nodes[part]
        boxes = (
            self.layout.nodes[id_] for each in part.with_nested() for id_ in self._nodes[each.id]
        )
        content = around((), boxes) or PictureBox(0, 0, 0, 0)
        own = [self.layout.frames[part.id]] if part.id in self.layout.frames else []
        return around((), [self._framed(part.id, content), *own]) or content

    def _in_the_way(self, part: str | Cluster, done: list[PictureBox]) -> bool:
        return any(self._box(part).overlaps(other, GAP / 3) for other in done)

    def _way_out(self, box: PictureBox, done: list[PictureBox]) -> PicturePoint:
        """Return the shortest way to a place where nothing is."""
        ways: list[PicturePoint] = []
        for other in done:
            ways += [
                (other.right + GAP - box.left, 0.0), (other.left - GAP - box.right, 0.0),
                (0.0, other.bottom + GAP - box.top), (0.0, other.top - GAP - box.bottom),
            ]  # fmt: skip
        ways.sort(key=lambda way: abs(way[0]) + abs(way[1]))
        return next(
            (way for way in ways if not any(box.moved(way).overlaps(each) for each in done)),
            ways[0],
        )

    # Arrows

    def _lead_arrows(self) -> None:
        """Move arrows together with both their ends, and find a new way for the others."""
        self.layout.forget_cells()  # states have been moved
        links = self._all_links()
        lost = {link.id for link in links if self._way(link.tail) != self._way(link.head)}
        for link in links:
            if link.id not in lost:
                arrow = self.layout.arrows[link.id]
                self.layout.put(link.id, arrow.moved(self._way(link.tail)))
        moved = {id_ for id_ in self.layout.nodes if self._way(id_) != (0.0, 0.0)}
        lost |= {link.id for link in links if link.id not in lost and self._is_hit(link, moved)}
        framed = [link for link in links if link.tail_frame or link.head_frame]
        ids = {link.id for link in framed}
        self._lead_anew([link for link in links if link.id in lost - ids])
        self._frame_all()
        again = (link for link in framed if link.id in lost or self._has_other_frame(link))
        self._lead_anew([*again])
        self._note_natural()

    def _lead_anew(self, links: list[Link]) -> None:
        """Bend the arrows as their ends have been moved, or find a new way if that is not free."""
        for link in links:  # none is in the way of another
            self.layout.put(link.id, evolve(self.layout.arrows[link.id], points=[], label=None))
        for link in links:
            arrow = self._natural.arrows[link.id]
            ways = self._way(link.tail), self._way(link.head)
            self.layout.put(link.id, warped(arrow, *ways))
            if distance(*ways) > MOST_WARPED or not self._is_free(
                link, self.layout.arrows[link.id]
            ):
                self.layout.put(link.id, routed(link, self.layout))

    def _is_hit(self, link: Link, moved: set[str]) -> bool:
        arrow, ends = self.layout.arrows[link.id], {link.tail, link.head}
        return any(arrow.meets(self.layout.nodes[id_]) for id_ in moved - ends)

    def _has_other_frame(self, link: Link) -> bool:
        return any(
            self.layout.frames.get(frame) != self._natural.frames.get(frame)
            for frame in (link.tail_frame, link.head_frame)
        )

    def _way(self, id_: str) -> PicturePoint:
        before = self._natural.nodes.get(id_) or self._natural.frames.get(id_)
        now = self.layout.nodes.get(id_) or self.layout.frames.get(id_)
        if before is None or now is None:
            return 0.0, 0.0
        x, y = minus(now.centre, before.centre)
        return round(x, 2), round(y, 2)

    # Labels and frames

    def mend(self) -> None:
        """Find better places for labels that something runs through, and fit the frames."""
        if len(self.layout.arrows) > MOST_MENDED:
            return
        for cluster in clusters_of(self.graph):
            for link in self._links[cluster.id]:
                self._mend_label(link, cluster)
        self._frame_all()
        for cluster in clusters_of(self.graph):
            machines = [each for each in _inner(cluster.nodes) if each.id in self._grown]
            if machines:
                frames = [self.layout.frames[machine.id] for machine in machines]
                self._make_room([*self._nodes[cluster.id]], frames)
        if any(self._way(id_) != (0.0, 0.0) for id_ in self.layout.nodes):
            self._lead_arrows()

    def _mend_label(self, link: Link, cluster: Cluster) -> None:
        """Move a label to a free place; if there is none, lead away what runs through it.

        A label that only leaves its panel stays, if there is room for a larger panel.
        """
        if not self._faults(link) or self._has_room_for(link, cluster):
            return
        self.is_changed = True
        self._place_label(link)
        label = self.layout.arrows[link.id].label
        if label is not None and self._faults(link):
            self._lead_away(link, label)

    def _has_room_for(self, link: Link, cluster: Cluster) -> bool:
        label, frame = self.layout.arrows[link.id].label, self.layout.frames.get(cluster.id)
        if label is None or frame is None:
            return False
        inside = {id_ for each in cluster.with_nested() for id_ in self._nodes[each.id]}
        wider = around((), (frame, label.grown(MARGIN))) or frame
        self.layout.frames[cluster.id] = wider
        others = (box for id_, box in self.layout.nodes.items() if id_ not in inside)
        beside = (box for box in self.layout.frames.values() if not box.overlaps(frame))
        is_free = not any(wider.overlaps(box, MARGIN) for box in (*others, *beside))
        is_good = is_free and not self._faults(link)
        self.layout.frames[cluster.id] = frame
        return is_good

    def _lead_away(self, link: Link, label: PictureBox) -> None:
        """Lead arrows around a label, if that is no detour and all labels have a place then."""
        links = {each.id: each for each in self._all_links()}
        near = self.layout.near(label)
        for other in [links[id_] for id_ in near.arrows if id_ in links]:
            arrow = self.layout.arrows[other.id]
            if other.id == link.id or other.tail == other.head or not arrow.meets(label):
                continue
            before = dict(self.layout.arrows)
            way = routed(other, self.layout, obeys=(label,))
            self.layout.put(other.id, way)
            lines = self.layout.near(way.bounds).arrows
            hit = [links[i] for i in lines if i in links and self._is_through(way, links[i], other)]
            for each in hit:
                self._place_label(each)
            if way.length > MOST_DETOUR * arrow.length or any(
                map(self._faults, (link, other, *hit))
            ):
                self.layout.arrows = before

    def _is_through(self, way: DrawnArrow, link: Link, own: Link) -> bool:
        label = self.layout.arrows[link.id].label
        return link.id != own.id and label is not None and way.meets(label)

    def _place_label(self, link: Link) -> None:
        arrow = self.layout.arrows[link.id]
        if arrow.label is not None:
            most = self._faults(link)
            place = label_place(link.id, arrow.label, arrow, self.layout, most=most)
            self.layout.put(link.id, evolve(arrow, label=place))

    def _faults(self, link: Link) -> float:
        arrow = self.layout.arrows[link.id]
        return faults(link.id, arrow.label, arrow, self.layout) if arrow.label else 0.0

    def _is_free(self, link: Link, arrow: DrawnArrow) -> bool:
        """Return True if no state and no label is in the way of an arrow, and its label is good."""
        nodes = (box for id_, box in self.layout.nodes.items() if id_ not in (link.tail, link.head))
        labels = (box for id_, box in self.layout.labels().items() if id_ != link.id)
        if any(arrow.meets(box.grown(2.0)) for box in (*nodes, *labels)):
            return False
        return not self._faults(link)

    def _all_links(self) -> list[Link]:
        return [link for cluster in clusters_of(self.graph) for link in self._links[cluster.id]]

    def _frame_all(self) -> None:
        """Fit the frames around what is in them now, the inner ones first."""
        for cluster in reversed([*clusters_of(self.graph)]):
            for frame in cluster.frames:
                self._frame(frame.id, self._content_of_frame(cluster, frame.inside))
            self._frame(cluster.id, self._content(cluster))

    def _frame(self, id_: str, content: PictureBox | None) -> None:
        if id_ not in self.layout.frames or content is None:
            return
        old = self.layout.frames[id_]  # which has room for its title
        box = around((), (self._framed(id_, content), old)) or old
        if max(map(abs, _sides(box, old))) > 0.5:
            self.layout.frames[id_] = box
            self._grown.add(id_)
            self.is_changed = True

    def _framed(self, id_: str, content: PictureBox) -> PictureBox:
        inset = self._insets.get(id_, PictureBox(0, 0, 0, 0))
        return PictureBox(
            content.left - inset.left, content.top - inset.top,
            content.right + inset.right, content.bottom + inset.bottom,
        )  # fmt: skip

    def _note_inset(self, id_: str, content: PictureBox) -> None:
        if (box := self.layout.frames.get(id_)) is not None:
            left, top, right, bottom = _sides(box, content)
            room = (each if each > 1.0 else MARGIN for each in (-left, -top, right, bottom))
            self._insets[id_] = PictureBox(*room)

    def _content(self, cluster: Cluster) -> PictureBox | None:
        boxes = [self.layout.nodes[id_] for id_ in self._nodes[cluster.id]]
        for link in self._links[cluster.id]:
            arrow = self.layout.arrows[link.id]
            if not link.head_frame:
                boxes += [box for box in (arrow.bounds, arrow.label) if box is not None]
        frames = (frame.id for frame in cluster.frames)
        boxes += [self.layout.frames[id_] for id_ in frames if id_ in self.layout.frames]
        boxes += [self.layout.frames[inner.id] for inner in _inner(cluster.nodes)]
        return around((), boxes)

    def _content_of_frame(self, cluster: Cluster, inside: tuple[str, ...]) -> PictureBox | None:
        boxes = [self.layout.nodes[id_] for id_ in inside]
        for link in self._links[cluster.id]:
            arrow = self.layout.arrows[link.id]
            if {link.tail, link.head} <= {*inside}:
                boxes += [box for box in (arrow.bounds, arrow.label) if box is not None]
        return around((), boxes)

    def _nodes_of(self, cluster: Cluster) -> Iterator[str]:
        own = [node.id for node in cluster.nodes]
        tags = [*(tag.id for tag in cluster.tags), *(frame.tag for frame in cluster.frames)]
        for id_ in (*own, beginning_id(cluster.id), cluster.any_state, cluster.back, *tags):
            if id_ in self.layout.nodes:
                yield id_


def _sides(one: PictureBox, other: PictureBox) -> tuple[float, float, float, float]:
    return (
        one.left - other.left, one.top - other.top,
        one.right - other.right, one.bottom - other.bottom,
    )  # fmt: skip


def _inner(nodes: Iterable[StateNode]) -> Iterator[Cluster]:
    """Yield the machines that are drawn inside states."""
    for node in nodes:
        for inner in node.runs:
            if isinstance(inner, Cluster):
                yield inner


def _without_places(cluster: Cluster) -> Cluster:
    if not any(node.place for node in cluster.nodes):
        return cluster
    return evolve(cluster, nodes=tuple(evolve(node, place=None) for node in cluster.nodes))


def _has_places(cluster: Cluster) -> bool:
    return any(node.place for each in cluster.with_nested() for node in each.nodes)
