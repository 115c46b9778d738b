# SPDX-License-Identifier: Apache-2.0
import json

import networkx
import numpy as np
import pytest

from golden.systolic import SystolicParams, semiring_product_fast
from trme.products import SystolicEngine
from trme.workloads import shortest_paths as workload
from trme.workloads.graphs import load_graph


@pytest.fixture
def paths(trme, tmp_path):
    """Runs the workload on a file with this text."""

    def run(text, *words):
        file = tmp_path / "graph.txt"
        file.write_text(text)
        return trme("run", "shortest-paths", "--graph", file, *words)

    return run


def test_karate_club_is_solved(trme, tmp_path):
    code, out, _ = trme("run", "shortest-paths", "--graph", "karate", "--json", tmp_path / "out.json")
    assert code == 0
    assert "34 nodes, 78 edges" in out
    assert "PASS      all 1156 distances equal SciPy's" in out
    written = json.loads((tmp_path / "out.json").read_text())
    lengths = dict(networkx.all_pairs_dijkstra_path_length(networkx.karate_club_graph()))
    farthest = max(length for row in lengths.values() for length in row.values())
    assert written["farthest"]["distance"] == str(farthest)
    assert written["tiles"] == written["squarings"] * 5 * 5
    assert written["cycles"] >= written["tiles"] * 34


def test_les_miserables_on_an_array_that_does_not_divide_it(trme):
    code, out, _ = trme(
        "run",
        "shortest-paths",
        "--graph",
        "les-miserables",
        "--rows",
        5,
        "--cols",
        7,
        "--source",
        "Valjean",
        "--target",
        "Cosette",
    )
    assert code == 0
    graph = networkx.les_miserables_graph()
    expected = networkx.dijkstra_path_length(graph, "Valjean", "Cosette")
    assert f"Valjean - Cosette, path length {expected}" in out


@pytest.mark.parametrize(
    "text",
    [
        "source,target,weight\na b,ü,1.5\nü,c,2.25\n",
        "from;to;cost\na b;ü;1.5\nü;c;2.25\n",
        "# comment\n\na b\tü\t1.50\nü\tc\t2.250\n",
        "% comment\n'a_b' ü 1.5\nü c 2.25\n",
        'weight,target,source\n1.5,ü,"a, b"\n2.25,c,ü\n',
        "\ufeffsource,target,weight,colour\na b,ü,15e-1,red\nü,c,2.25,blue\n",
    ],
    ids=["commas", "semicolons", "tabs", "spaces", "columns in another order", "byte order mark and more columns"],
)
def test_any_usual_file_of_edges_is_read(paths, text):
    code, out, err = paths(text)
    assert code == 0, err
    assert "3 nodes, 2 edges, undirected" in out
    assert "scaled by 100" in out
    assert "path length 3.75" in out


def test_edges_without_weight_count_one_and_a_header_is_only_one_if_it_looks_like_one(paths):
    assert "path length 2" in paths("a b\nb c\n")[1]
    assert "path length 2" in paths("source target\na b\nb c\n")[1]
    assert "4 nodes" in paths("x y z\nq r 3\ns t 4\n")[1]


def test_directed_edges_go_one_way(paths):
    assert "1 ordered pairs have no path" in paths("a b 1\n", "--directed")[1]
    assert "a -> b, path length 1" in paths("a b 1\n", "--directed", "--source", "a", "--target", "b")[1]
    assert "b -> a, path length no path" in paths("a b 1\n", "--directed", "--source", "b", "--target", "a")[1]


def test_zero_weights_self_loops_and_parallel_edges_are_what_they_should_be(paths):
    code, out, _ = paths("a a 5\na b 3\nb a 1\na b 7\nb c 0\n", "--source", "a", "--target", "c")
    assert code == 0
    assert "a - c, path length 1" in out


def test_one_node_is_a_graph(paths):
    assert "1 nodes" in paths("a a 2\n")[1]


@pytest.mark.parametrize(
    ("text", "words", "telling"),
    [
        ("", [], "holds no edge: write one per line"),
        ("# only a comment\n", [], "holds no edge"),
        ("source,target,weight\n", [], "holds a header and no edge"),
        ("a b nan\n", [], "line 1 has the weight 'nan'; leave out an edge that does not exist"),
        ("a b 1\nb c inf\n", [], "line 2 has the weight 'inf'"),
        ("a b 1\nb c heavy\n", [], "line 2 has the weight 'heavy', which is not a number"),
        ("a b -2\n", ["--directed"], "line 1 has the weight -2; weights must be 0 or more"),
        ("a b -2\n", [], "a -> b -> a is a negative cycle"),
        ("a b 2\nb c -1\nc a -3\n", ["--directed"], "is a negative cycle: no path is shortest"),
        ("a b 1\nb\n", [], "line 2 has 1 columns where source, target and weight were expected"),
        ("a b 1 2 3\n", [], "line 1 has 5 columns"),
        ("a,,1\n", [], "line 1 has a node without a name"),
        ('a,"b,1\n', [], "cannot be read as edges separated by ','"),
        ("a b 32767\n", [], "16 bits hold at most 32766: use --width 17"),
        ("a b 0.12345678901\nb c 1\n", [], "no width holds it: give the weights fewer digits"),
        ("a b 30000\nb c 30000\n", [], "does not fit 16 bits at scale 1: use a larger --width"),
        ("a b 1e40\n", [], "30 digits before and after the point are the most"),
        ("a b 1\n", ["--source", "a", "--target", "z"], "has no node 'z'"),
        ("anna bert 1\n", ["--source", "ana", "--target", "bert"], "did you mean 'anna'?"),
        ("a b 1\n", ["--target", "a"], "--source and --target go together"),
    ],
)  # fmt: skip
def test_unusable_graph_gives_one_sentence(paths, text, words, telling):
    code, _, err = paths(text, *words)
    assert code == 2
    assert telling in err
    assert err.count("\n") == 1


def test_file_that_is_not_text_and_graph_that_is_not_there(trme, tmp_path):
    (tmp_path / "bin").write_bytes(bytes(range(256)))
    assert "is not a text file in UTF-8" in trme("run", "shortest-paths", "--graph", tmp_path / "bin")[2]
    assert "is neither a file nor one of karate, les-miserables" in trme("run", "shortest-paths", "--graph", "carate")[2]


def test_too_many_nodes_are_refused(paths):
    text = "".join(f"{n} {n + 1}\n" for n in range(4096))
    assert "has 4097 nodes, and 4096 are the most" in paths(text)[2]


def test_wrong_hardware_is_reported_with_the_first_difference(trme, monkeypatch):
    product = SystolicEngine.product

    def wrong(self, a, b, progress):
        result = product(self, a, b, progress)
        result[3, 5] += 1
        return result

    monkeypatch.setattr(workload.SystolicEngine, "product", wrong)
    code, out, err = trme("run", "shortest-paths", "--graph", "karate", "--rows", 4, "--cols", 4)
    assert code == 1
    assert "PASS" not in out
    assert "FAIL: the distance 3 - 5 is" in err


@pytest.mark.parametrize("semiring", ["min-plus", "max-plus", "plus-times"])
def test_tiled_product_equals_golden_for_any_shape(tools, semiring):
    rng = np.random.default_rng(5)
    params = SystolicParams(rows=3, cols=4, semiring=semiring, width=7, depth=50)
    with SystolicEngine(params, tools) as engine:
        for n, k, m in ((1, 1, 1), (3, 4, 4), (7, 50, 9), (2, 3, 13), (10, 1, 1)):
            a, b = rng.integers(-64, 64, (n, k)), rng.integers(-64, 64, (k, m))
            np.testing.assert_array_equal(engine.product(a, b), semiring_product_fast(params, a, b))
        with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(4, 2\) need one inner size from 1 to 50"):
            engine.product(np.zeros((2, 3), int), np.zeros((4, 2), int))


def test_named_graphs_are_networkx_own():
    graph = load_graph("karate", directed=False)
    assert (len(graph.nodes), len(graph.edges)) == (34, 78)
