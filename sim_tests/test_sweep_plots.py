# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

from trme.sweep_plots import Picture, draw


def test_plots_are_the_same_bytes_for_the_same_sweep(tmp_path):
    grid = {"modulus": list(range(100, 112)), "method": ["exact", "fold"]}
    rows = [
        {"modulus": m, "method": method, "lut": m, "ff": 9, "fmax_median_mhz": 500.0 - m, "fmax_min_mhz": 480.0 - m,
         "fmax_max_mhz": 520.0 - m, "failure": None}
        for m in grid["modulus"] for method in grid["method"]
    ]  # fmt: skip
    picture = Picture("modmul", "a device", grid, ("fmax", "lut", "ff"), rows, [[480.0, 500.0]] * len(rows))
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        assert len(draw(picture, folder)) == 8
    for path in folders[0].iterdir():
        assert path.read_bytes() == (folders[1] / path.name).read_bytes(), path.name
        assert path.stat().st_size > 5000
    assert draw(replace(picture, rows=rows[:1]), tmp_path) == []
