"""Big pictures: bundles, stubs, and the same bytes everywhere."""

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import RunFsm
from fsmkit import BACK, Fsm
from fsmkit.diagram import to_dot, to_svg
from fsmkit.diagram.arrangement import MANY_ARROWS, drawn_ends
from fsmkit.diagram.graph import Cluster, Graph, clusters_of
from fsmkit.diagram.model_reader import read
from fsmkit.diagram.picture_options import View
from fsmkit.diagram.selection import around_current
from fsmkit.recording import Usage, Way

SVG = "{http://www.w3.org/2000/svg}"


needs_graphviz = pytest.mark.usefixtures("graphviz")


def line(length: int) -> Fsm[Any]:
    """S0 to S1 to S2 and so on, by NEXT."""
    fsm = Fsm("Line")
    states = [fsm.add_state(f"S{number}") for number in range(length)]
    for one, other in pairwise(states):
        one.add_transition("NEXT", other)
    return fsm


def tangle(states: int, arrows: int, seed: int = 1) -> Fsm[Any]:
    dice = Random(seed)
    fsm = Fsm("Tangle")
    made = [fsm.add_state(f"S{number}") for number in range(states)]
    for number in range(1, states):
        made[dice.randrange(number)].add_transition(f"TO {number}", made[number])
    while sum(len(state.transitions) for state in made) < arrows:
        event = dice.choice(["LOST", "HIT", "SEEN", "DONE"])
        source = dice.choice(made)
        if event not in source.transitions:
            source.add_transition(event, made[0] if event == "LOST" else dice.choice(made))
    fsm.add_global_transition("KILLED", made[-1])
    fsm.add_global_transition("PAUSE", made[3], suspend=True)
    made[3].add_transition("GO ON", BACK)
    return fsm


def arranged(fsm: Fsm[Any], bundled: bool | None = True, **options: Any) -> Cluster:
    view = View(bundled=bundled, **options)
    (cluster,) = view.arranged(view.graph(fsm))
    return cluster


def tags(cluster: Cluster) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(tag.kind, tag.text, tag.names) for tag in cluster.tags]


def test_arrows_for_one_event_from_many_states_to_one_are_one() -> None:
    fsm = line(6)
    for state in [*fsm.states.values()][:5]:
        state.add_transition("PANIC", "S5")
    cluster = arranged(fsm)
    assert tags(cluster) == [("bundle", "from 5 states", ("S0", "S1", "S2", "S3", "S4"))]
    assert [(edge.id, edge.events) for edge in cluster.edges[-2:]] == [
        ("Line__S4--Line__S5", ("NEXT",)),
        ("Line___from_PANIC--Line__S5--Line__S5", ("PANIC",)),
    ]


def test_fewer_than_four_stay_as_they_are() -> None:
    fsm = line(6)
    for name in ("S0", "S1", "S2"):
        fsm.states[name].add_transition("PANIC", "S4")
    assert [tag for tag in tags(arranged(fsm)) if tag[0] == "bundle"] == []


def test_only_transitions_with_the_same_guards_and_effects_are_bundled() -> None:
    def brave() -> bool:
        return True

    fsm = line(9)
    for number in range(8):
        guard = brave if number % 2 else None
        fsm.states[f"S{number}"].add_transition("PANIC", "S8", when=guard)
    cluster = arranged(fsm)
    bundles = [edge for edge in cluster.edges if edge.sources]
    assert [(edge.labels[0].guard, edge.sources) for edge in bundles] == [
        ("", ("S0", "S2", "S4", "S6")),
        (brave.__qualname__.rpartition(".")[2], ("S1", "S3", "S5", "S7")),
    ]
    assert len({edge.id for edge in bundles}) == 2


def test_events_from_the_same_states_share_a_bundle() -> None:
    fsm = line(6)
    for state in [*fsm.states.values()][1:]:
        state.add_transition("PANIC", "S0")
        state.add_transition("RESET", "S0")
    (bundle,) = (edge for edge in arranged(fsm).edges if edge.sources)
    assert bundle.events == ("PANIC", "RESET")


def test_a_bundle_counts_for_all_its_arrows() -> None:
    fsm = line(6)
    for state in [*fsm.states.values()][1:]:
        state.add_transition("PANIC", "S0")
    taken = {Way("Line", f"S{number}", "PANIC", "S0"): number for number in range(1, 4)}
    (bundle,) = (e for e in arranged(fsm, recordings=Usage(taken=taken)).edges if e.sources)
    assert bundle.taken == 6


def test_an_arrow_back_to_the_start_or_over_layers_is_a_stub() -> None:
    fsm = line(6)
    fsm.states["S1"].add_transition("HOME", "S0")
    fsm.states["S5"].add_transition("FAR", "S2")
    fsm.states["S4"].add_transition("NEAR", "S3")
    fsm.states["S4"].add_transition("RESUME", BACK)
    fsm.states["S2"].add_transition("SELF", "S2")
    cluster = arranged(fsm)
    assert [(tag.text, tag.leads_to) for tag in cluster.tags] == [
        ("→ S0", "Line__S0"), ("→ back", "Line___back"), ("→ S2", "Line__S2")
    ]  # fmt: skip
    assert [edge.id for edge in cluster.edges if edge.head] == [
        "Line__S1--Line__S0", "Line__S4--Line___back", "Line__S5--Line__S2"
    ]  # fmt: skip


def test_where_many_remain_only_the_first_way_to_a_state_is_whole() -> None:
    fsm = Fsm("Dense")
    states = [fsm.add_state(f"S{number}") for number in range(8)]
    for source in states:
        for target in states:
            if source is not target:
                source.add_transition(f"{source.name} TO {target.name}", target)
    whole = [edge.id for edge in arranged(fsm).edges if not edge.head and not edge.tail]
    assert whole == [f"Dense__S0--Dense__S{number}" for number in range(1, 8)]


def test_global_transitions_to_several_states_come_from_a_tag_each() -> None:
    fsm = line(3)
    fsm.add_global_transition("STOP", "S0")
    assert tags(arranged(fsm)) == []
    fsm.add_global_transition("END", "S2")
    assert tags(arranged(fsm)) == [("any-state", "any state", ())] * 2


def test_a_picture_is_arranged_if_it_has_many_arrows_or_on_request() -> None:
    small, big = tangle(20, MANY_ARROWS - 2), tangle(20, MANY_ARROWS - 1)
    assert tags(arranged(small, None)) == []
    assert tags(arranged(small, True)) != []
    assert tags(arranged(big, None)) == tags(arranged(big, True)) != []
    assert tags(arranged(big, False)) == []


@pytest.mark.slow
@given(st.integers(4, 25), st.integers(0, 12), st.integers(0, 9))
def test_nothing_is_lost(states: int, more: int, seed: int) -> None:
    fsm = tangle(states, states + more, seed)
    plain, big = arranged(fsm, False), arranged(fsm)
    names = {node.id: node.name for node in plain.nodes}

    def ways(cluster: Cluster) -> Counter[tuple[str, str, str]]:
        return Counter(
            (source, label.event, edge.target)
            for edge in cluster.all_edges
            for source in edge.sources or (names.get(edge.source, "any state"),)
            for label in edge.labels
        )

    assert ways(big) == ways(plain)
    ids = [*(tag.id for tag in big.tags), *names, *(edge.id for edge in big.all_edges)]
    assert len(ids) == len(set(ids))
    drawn = {*names, *(tag.id for tag in big.tags), big.any_state, big.back}
    assert {end for edge in big.all_edges for end in drawn_ends(edge)} <= drawn


def test_a_big_picture_that_is_not_arranged_is_a_cloud() -> None:
    big = tangle(100, 160)
    assert 'layout="fdp"' in to_dot(big, bundled=False)
    assert 'layout="fdp"' not in to_dot(big)
    assert 'nslimit="2"' in to_dot(big)
    assert "nslimit" not in to_dot(tangle(20, 30))


@pytest.mark.slow
@needs_graphviz
def test_all_states_and_tags_of_a_big_picture_are_drawn() -> None:
    svg = to_svg(tangle(200, 260))
    kinds = Counter(
        group.attrib["class"].split()[1]
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if " " in group.attrib["class"]
    )
    assert (kinds["state"], kinds["any-state"]) == (200, 2)
    assert kinds["bundle"]
    assert kinds["stub"]


@needs_graphviz
def test_labels_have_a_background_and_lie_above_all_arrows() -> None:
    groups = [*ElementTree.fromstring(to_svg(tangle(30, 70))).iter(f"{SVG}g")][1:]
    kinds = [group.attrib["class"].split()[0] for group in groups]
    assert "edge" not in kinds[kinds.index("label") :]
    labels = [group for group in groups if group.attrib["class"] == "label"]
    arrows = [group for group in groups if group.attrib["class"].startswith("edge transition")]
    assert len(labels) == len(arrows)
    for arrow, label in zip(arrows, labels, strict=True):
        assert [part.tag for part in label[:3]] == [f"{SVG}{tag}" for tag in TAGS]
        assert label[0].text == arrow[0].text
        assert f"{SVG}text" not in {part.tag for part in arrow}


TAGS = ("title", "polygon", "text")


@needs_graphviz
def test_the_tooltip_of_a_state_says_what_is_bundled() -> None:
    fsm = line(6)
    for state in [*fsm.states.values()][:5]:
        state.add_transition("PANIC", "S5")
    svg = to_svg(fsm, bundled=True)
    titles = [title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert "S2\nPANIC → S5" in titles
    assert "S0, S1, S2, S3, S4" in titles
    assert "S0, S1, S2, S3, S4 → S5: PANIC\nPANIC: sent from outside" in titles


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from test_big_pictures import tangle
from fsmkit.diagram import to_dot, to_svg
from fsmkit.recording import Usage, Way
taken = {{Way("Tangle", f"S{{n}}", "LOST", "S0"): n for n in range(0, 90, 7)}}
known = dict(findings=True, recordings=Usage(taken=taken), senders=True, actions=True)
for fsm in (tangle(98, 112), tangle(12, 20)):
    for options in (known, dict(bundled=False)):
        sys.stdout.write(to_dot(fsm, **options))
        if {svg!r}:
            sys.stdout.write(to_svg(fsm, **options))
"""


@pytest.mark.slow
def test_the_bytes_are_the_same_in_every_process_and_with_every_hash_seed(
    has_graphviz: bool,
) -> None:
    script = SCRIPT.format(folder=str(Path(__file__).parent), svg=has_graphviz)
    written = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(written) == 1
    assert b"from " in next(iter(written))


def states_of(graph: Graph) -> dict[str, list[str]]:
    return {each.title: [node.name for node in each.nodes] for each in clusters_of(graph)}


def test_around_the_current_states_are_their_neighbours_and_what_is_global() -> None:
    fsm = line(20)
    fsm.add_global_transition("HURT", fsm.states["S15"])
    graph = read(fsm)
    assert states_of(around_current(graph, ["Line__S5"], 1)) == {"Line": ["S4", "S5", "S6", "S15"]}
    assert states_of(around_current(graph, ["Line__S5"], 2)) == {
        "Line": ["S3", "S4", "S5", "S6", "S7", "S15"]
    }
    assert around_current(graph, ["Line__S5"], 1)[0].captions == ("Around S5: 4 of 20 states",)


def test_a_machine_in_no_known_state_is_shown_around_its_start() -> None:
    for unknown in ([], ["Line__S99"], ["", "cluster_Line"]):
        assert states_of(around_current(read(line(20)), unknown, 1)) == {"Line": ["S0", "S1"]}
    empty = read(Fsm("Empty"))
    assert states_of(around_current(empty, [], 1)) == {"Empty": []}


def test_around_the_current_states_only_they_show_the_machines_they_run() -> None:
    def inside(name: str) -> Fsm[Any]:
        fsm = Fsm(name)
        states = [fsm.add_state(f"I{number}") for number in range(9)]
        for state, following in pairwise(states):
            state.add_transition("NEXT", following)
        return fsm

    fsm = line(4)
    for number in range(4):
        fsm.states[f"S{number}"].add_action(RunFsm(inside(f"In {number}")))
    graph = around_current(read(fsm), ["Line__S1", "Line_2f_In_20_1__I4"], 1)
    assert states_of(graph) == {"Line": ["S0", "S1", "S2"], "In 1": ["I3", "I4", "I5"]}
    assert [node.notes for node in graph[0].nodes] == [("runs In 0",), (), ("runs In 2",)]


@pytest.mark.slow
@given(st.integers(4, 25), st.integers(0, 12), st.integers(0, 9), st.integers(1, 3))
def test_what_is_around_a_state_is_what_so_many_arrows_reach(
    states: int, more: int, seed: int, radius: int
) -> None:
    fsm = tangle(states, states + more, seed)
    [cluster] = read(fsm)
    here = Random(seed).choice(cluster.nodes).id
    reached = {here}
    for _ in range(radius):
        reached |= {
            end
            for edge in cluster.edges
            if edge.source in reached or edge.target in reached
            for end in (edge.source, edge.target)
        } - {cluster.back}
    reached |= {edge.target for edge in cluster.global_edges} - {cluster.back}
    [around] = around_current((cluster,), [here], radius)
    assert [node.id for node in around.nodes] == [n.id for n in cluster.nodes if n.id in reached]
    known = {*reached, cluster.any_state, cluster.back}
    assert {end for edge in around.all_edges for end in (edge.source, edge.target)} <= known
