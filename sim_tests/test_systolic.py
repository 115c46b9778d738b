# SPDX-License-Identifier: Apache-2.0
import networkx
import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall

from golden.semiring import SEMIRINGS
from golden.systolic import SystolicParams, semiring_product, semiring_product_fast, systolic_model
from trme.compare import compare

SHAPES = [(1, 1), (1, 7), (7, 1), (3, 5), (2, 2), (8, 8), (17, 9)]


def operands(rng, shape, width):
    low, high = -(1 << width - 1), 1 << width - 1
    return np.where(
        rng.random(shape) < 0.3, rng.choice([low, low + 1, -1, 0, 1, high - 2, high - 1], shape), rng.integers(low, high, shape)
    )


@pytest.mark.parametrize("width", [2, 5, 16, 32])
@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_fast_model_equals_the_three_loops(semiring, width):
    params = SystolicParams(semiring=semiring, width=width, depth=1 if (semiring, width) == ("plus-times", 32) else 20)
    rng = np.random.default_rng(width)
    for r, k, c in ((1, 1, 1), (3, 7, 2), (4, 20, 5), (1, 12, 6)):
        k = min(k, params.depth)
        a, b = operands(rng, (r, k), width), operands(rng, (k, c), width)
        expected = semiring_product(a.tolist(), b.tolist(), semiring, width)
        assert semiring_product_fast(params, a, b).tolist() == expected


def test_plus_times_equals_numpys_matrix_product():
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (6, 40)), rng.integers(-128, 128, (40, 9))
    np.testing.assert_array_equal(semiring_product_fast(SystolicParams(semiring="plus-times"), a, b), a @ b)


def test_repeated_min_plus_squares_are_scipys_shortest_paths():
    graph = networkx.gnp_random_graph(23, 0.15, seed=4, directed=True)
    rng = np.random.default_rng(4)
    weights = np.full((23, 23), 32767)
    np.fill_diagonal(weights, 0)
    for u, v in graph.edges:
        weights[u, v] = rng.integers(1, 100)
    distances = weights
    for _ in range(5):
        distances = semiring_product_fast(SystolicParams(), distances, distances)
    expected = floyd_warshall(np.where(weights == 32767, np.inf, weights))
    np.testing.assert_array_equal(distances, np.where(np.isinf(expected), 32767, expected))


def test_max_plus_squares_are_longest_paths_of_a_dag():
    graph = networkx.DiGraph([(u, v) for u in range(9) for v in range(u + 1, 9) if (u + 2 * v) % 4])
    weights = np.full((9, 9), -32768)
    np.fill_diagonal(weights, 0)
    for u, v in graph.edges:
        weights[u, v] = (7 * u + 5 * v) % 11 - 3
        graph[u][v]["weight"] = int(weights[u, v])
    product = weights
    for _ in range(4):
        product = semiring_product_fast(SystolicParams(semiring="max-plus"), product, product)
    longest = max(networkx.path_weight(graph, path, "weight") for path in networkx.all_simple_paths(graph, 0, 8))
    assert product[0, 8] == longest


@pytest.mark.parametrize("semiring", SEMIRINGS)
@pytest.mark.parametrize("block", [1, 5000, 1 << 22])
def test_stream_model_equals_a_product_per_tile_whatever_its_block_size(monkeypatch, design, semiring, block):
    monkeypatch.setattr("golden.systolic._BLOCK_ELEMENTS", block)
    made = design("systolic", rows=3, cols=2, semiring=semiring, width=6, depth=50)
    transfers = made.stimuli.random(700, np.random.default_rng(2))
    out = systolic_model(made.params, transfers)
    start, expected, last = 0, [], []
    for stop in np.flatnonzero(transfers["last"]) + 1:
        tile = transfers[start:stop]
        expected += semiring_product(tile["a"].T.tolist(), tile["b"].tolist(), semiring, 6)
        last += [False, False, True]
        start = stop
    assert out["c"].tolist() == expected
    assert out["last"].tolist() == last


def test_unfinished_tile_leaves_nothing_and_too_deep_one_is_refused(design):
    made = design("systolic", depth=4)
    transfers = np.zeros(5, made.stimuli.directed().dtype)
    assert len(systolic_model(made.params, transfers)) == 0
    transfers["last"][-1] = 1
    with pytest.raises(ValueError, match="a tile of 5 transfers is deeper than the declared depth 4"):
        systolic_model(made.params, transfers)


def test_results_wider_than_64_bits_are_refused_with_the_largest_depth():
    with pytest.raises(ValueError, match="needs results of 65 bits, and 64 is the most; with this width depth may be up to 7"):
        SystolicParams(semiring="plus-times", width=31, depth=8)
    assert SystolicParams(semiring="plus-times", width=31, depth=7).result_width == 64


@pytest.mark.parametrize("stall", [0.0, 0.4])
@pytest.mark.parametrize(
    ("semiring", "pe"), [*((name, "lookahead") for name in SEMIRINGS), ("min-plus", "compact"), ("max-plus", "compact")]
)
@pytest.mark.parametrize(("rows", "cols"), SHAPES, ids=lambda n: str(n))
def test_rtl_agrees_for_every_shape_semiring_and_element(design, tools, rows, cols, semiring, pe, stall):
    made = design("systolic", rows=rows, cols=cols, semiring=semiring, width=9, depth=80, pe=pe)
    outcome = compare(made, vectors=20_000, stall=stall, seed=rows, tools=tools)
    assert outcome.first_divergence is None
    assert outcome.outputs > 1000 * min(rows, 4)


@pytest.mark.parametrize(
    ("semiring", "width"), [("min-plus", 2), ("max-plus", 2), ("plus-times", 2), ("min-plus", 32), ("max-plus", 32)]
)
@pytest.mark.parametrize("pe", ["lookahead", "compact"])
def test_rtl_agrees_at_the_smallest_and_largest_width(design, tools, semiring, width, pe):
    made = design("systolic", rows=2, cols=3, semiring=semiring, width=width, pe=pe)
    assert compare(made, vectors=10_000, tools=tools).first_divergence is None


def test_rtl_agrees_where_results_are_64_bits(design, tools):
    made = design("systolic", rows=2, cols=2, semiring="plus-times", width=32, depth=1)
    assert made.params.result_width == 64
    assert compare(made, vectors=5_000, tools=tools).first_divergence is None


@pytest.mark.parametrize("depth", [3, 4, 16])
def test_tiles_of_at_least_the_rows_follow_without_a_gap(design, tools, depth):
    import cosim

    made = design("systolic", rows=3, cols=5)
    emission = made.emit()
    transfers = made.stimuli.random(depth * 200, np.random.default_rng(3))
    transfers["last"] = 0
    transfers["last"][depth - 1 :: depth] = 1
    with cosim.build(emission.verilog, emission.manifest, tools) as model:
        result = model.run({"i": transfers}, {"o": 600})
    cycles = result.input_cycles["i"].astype(int)
    assert (np.diff(cycles) == 1).all()
    assert int(result.output_cycles["o"][0]) - cycles[depth - 1] == emission.manifest.latency_cycles
