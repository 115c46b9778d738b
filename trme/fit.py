# SPDX-License-Identifier: Apache-2.0
"""Fitting models to sweeps: several kinds are tried, and the one that says points best which it has not seen is kept.

Every error that is stated comes from points that were held out: in five rounds, each holding out a fifth of the
configurations, the kind is chosen and fitted without them. The model that is kept is then fitted to all.
"""

import itertools
import json
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from synth.devices import find_device
from toolchain.errors import BadInput, ToolMissing
from trme.features import Subject, describe
from trme.formula import Linear, Trees, term
from trme.model import TARGETS, Model, Part, Target
from trme.sweep_tables import OPTIONS

__all__ = ["FEWEST", "fit"]

FEWEST = 12
"""Different configurations that a part needs."""
_ROUNDS = 5
_MOST_ERROR = 0.9  # the share of errors below the one that is called worst

Formula = Linear | Trees
Fitter = Callable[[list[Subject], np.ndarray], Formula]


def fit(unit: str, files: Sequence[Path]) -> list[Model]:
    """Models of a unit, one for each family of devices in the sweeps.

    Parameters
    ----------
    files : sequence of Path
        What ``trme sweep --json`` writes; of points in several of them the last counts.

    Raises
    ------
    BadInput
        If a file cannot be read, is no sweep of this unit, or there are too few points.
    ToolMissing
        If scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise ToolMissing("scikit-learn is missing, which fits estimates: make setup EXTRAS=synth") from None
    families: dict[str, dict[str, Row]] = defaultdict(dict)
    for path in files:
        sweep = _read(path, unit)
        for point in sweep["points"]:
            if not point["failure"]:
                row = Row(describe(unit, point["parameters"], *(point[name] for name in OPTIONS)), point, sweep)
                what = json.dumps([row.subject.words, row.subject.sizes])
                families[find_device(point["device"]).family.name][what] = row
    if not families:
        raise BadInput(f"no point of {', '.join(map(str, files))} was measured, so there is nothing to fit to")
    return [Model(unit, family, _parts(unit, list(rows.values()))) for family, rows in sorted(families.items())]


@dataclass(frozen=True)
class Row:
    """A point that was measured, and the sweep that it is from."""

    subject: Subject
    point: dict[str, Any]
    sweep: dict[str, Any]


def _read(path: Path, unit: str) -> dict[str, Any]:
    try:
        sweep = json.loads(path.read_text(encoding="utf-8"))
        if sweep["unit"] != unit:
            raise BadInput(f"--fit {path} is a sweep of {sweep['unit']}, not of {unit}")
        if not {"points", "tool_versions", "command", "generator"} <= sweep.keys() or not sweep["points"]:
            raise KeyError
    except OSError as error:
        raise BadInput(f"cannot read --fit {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(f"--fit {path} is not what trme sweep --json writes") from None
    return sweep


def _parts(unit: str, rows: list[Row]) -> list[Part]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[json.dumps(row.subject.words)].append(row)
    parts = [_part(group) for _, group in sorted(groups.items()) if len(group) >= FEWEST]
    if not parts:
        largest = max(len(group) for group in groups.values())
        raise BadInput(
            f"a fit needs {FEWEST} or more points that differ in numbers only, and there are {largest} at most: "
            f"make the sweep of {unit} finer"
        )
    return parts


def _part(rows: list[Row]) -> Part:
    subjects = [row.subject for row in rows]
    targets = {}
    for column in TARGETS:
        values = [row.point.get(column) for row in rows]
        if all(value is not None for value in values):
            targets[column] = _target(subjects, np.array(values, float))
    sizes = {name: [subject.sizes[name] for subject in subjects] for name in subjects[0].sizes}
    versions = {name: version for row in rows for name, version in row.sweep["tool_versions"].items()}
    return Part(
        subjects[0].words, {name: [min(found), max(found)] for name, found in sizes.items()}, len(rows),
        min(len(row.point["attempts"]) for row in rows), versions, rows[-1].sweep["generator"],
        list(dict.fromkeys(row.sweep["command"] for row in rows)), targets,
    )  # fmt: skip


def _target(subjects: list[Subject], y: np.ndarray) -> Target:
    held_out = np.zeros(len(y))
    for train, test in _rounds(len(y)):
        formula = _best([subjects[n] for n in train], y[train])
        held_out[test] = [max(formula.predict(subjects[n].numbers), 0.0) for n in test]
    factors = (y + 1) / (held_out + 1)
    errors = _errors(held_out, y)
    low, high = (float(np.quantile(factors, share)) for share in (0.1, 0.9))
    return Target(
        _best(subjects, y), _short(min(low, 1.0)), _short(max(high, 1.0)), _short(float(np.median(errors))),
        _short(float(np.quantile(errors, _MOST_ERROR))),
    )  # fmt: skip


def _errors(found: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Relative errors; of nothing, the difference itself."""
    return np.abs(found - y) / np.maximum(y, 1.0)


def _rounds(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Which points are seen and which are held out, always the same."""
    order = np.random.default_rng(0).permutation(n)
    return [(np.setdiff1d(order, order[k::_ROUNDS]), order[k::_ROUNDS]) for k in range(_ROUNDS)]


def _best(subjects: list[Subject], y: np.ndarray) -> Formula:
    """The kind with the smallest mean of errors held out within these points; the simpler one if it is as good."""
    if len(set(y.tolist())) == 1:
        return Linear([], [], float(y[0]), False)
    scores = {}
    for fitter in _FITTERS:
        errors = []
        for train, test in _rounds(len(y)):
            formula = fitter([subjects[n] for n in train], y[train])
            errors.append(_errors(np.array([formula.predict(subjects[n].numbers) for n in test]), y[test]))
        scores[fitter] = float(np.minimum(np.concatenate(errors), 1.0).mean())
    best = min(scores.values())
    chosen = next(fitter for fitter in _FITTERS if scores[fitter] <= 1.02 * best + 1e-9)
    return chosen(subjects, y)


def _varying(subjects: list[Subject]) -> list[str]:
    """Numbers that differ between points, without those that always say the same as one before."""
    seen, names = set(), []
    for name in subjects[0].numbers:
        column = tuple(subject.numbers[name] for subject in subjects)
        if len(set(column)) > 1 and column not in seen:
            seen.add(column)
            names.append(name)
    return names


def _fit_power(subjects: list[Subject], y: np.ndarray) -> Linear:
    """A product of powers."""
    terms = [[name] for name in _varying(subjects)]
    return _linear(subjects, y, terms, is_log=True)


def _fit_sizes(subjects: list[Subject], y: np.ndarray) -> Linear:
    """A sum of products of up to three sizes: areas of arrays and of their edges."""
    names = [name for name in _varying(subjects) if name in subjects[0].sizes]
    return _linear(subjects, y, _products(names, 3), is_log=False)


def _fit_products(subjects: list[Subject], y: np.ndarray) -> Linear:
    """A sum of products of any two numbers."""
    return _linear(subjects, y, _products(_varying(subjects), 2), is_log=False)


def _products(names: list[str], most: int) -> list[list[str]]:
    return [
        list(chosen) for degree in range(1, most + 1) for chosen in itertools.combinations_with_replacement(names, degree)
    ]  # fmt: skip


def _linear(subjects: list[Subject], y: np.ndarray, terms: list[list[str]], *, is_log: bool) -> Linear:
    """Least squares with a penalty chosen by leaving out one point each; relative errors count."""
    from sklearn.linear_model import RidgeCV

    if not terms:
        return Linear([], [], float(np.median(np.log1p(y) if is_log else y)), is_log)
    x = np.array([[term(names, subject.numbers, is_log) for names in terms] for subject in subjects])
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale == 0] = 1.0
    weights = np.ones(len(y)) if is_log else 1 / np.maximum(y, 1.0) ** 2
    ridge = RidgeCV(alphas=np.logspace(-6, 3, 19)).fit(
        (x - centre) / scale, np.log1p(y) if is_log else y, weights / weights.mean()
    )
    slopes = ridge.coef_ / scale
    return Linear(terms, [_short(value, 8) for value in slopes], float(ridge.intercept_ - slopes @ centre), is_log)


def _fit_trees(subjects: list[Subject], y: np.ndarray) -> Trees:
    """Boosted trees, which follow steps."""
    from sklearn.ensemble import GradientBoostingRegressor

    names = _varying(subjects)
    x = np.array([[subject.numbers[name] for name in names] for subject in subjects])
    fitted = GradientBoostingRegressor(
        n_estimators=80, max_depth=3, learning_rate=0.12, min_samples_leaf=2, random_state=0
    ).fit(x, np.log1p(y))  # fmt: skip
    trees = [_nodes(tree.tree_, fitted.learning_rate) for tree in fitted.estimators_[:, 0]]
    return Trees(names, trees, float(np.log1p(y).mean()))


def _nodes(tree: Any, rate: float) -> list[list[float] | float]:
    return [
        _short(rate * float(tree.value[n].item())) if tree.children_left[n] < 0 else
        [int(tree.feature[n]), float(tree.threshold[n]), int(tree.children_left[n]), int(tree.children_right[n])]
        for n in range(tree.node_count)
    ]  # fmt: skip


def _short(value: float, digits: int = 4) -> float:
    """Rounded to so many significant digits."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else value


_FITTERS: tuple[Fitter, ...] = (_fit_sizes, _fit_power, _fit_products, _fit_trees)
