#!/usr/bin/env python3
"""Writes what NumPy and SciPy say of made-up values to crates/stats/tests/oracles.json; crates/stats/tests/oracles.rs compares.

  oracles.py           writes the file
  oracles.py --check   says whether the file is what it would write, up to rounding and the chance in two of its oracles

Needs `pip install numpy scipy`. Intervals are found the long way round: shift the values by every candidate centre, ask
SciPy's test whether it rejects, and keep the candidates between the outermost that are accepted.
"""

import argparse
import itertools
import json
import math
import sys
from pathlib import Path

import numpy
import scipy
from scipy import optimize, stats

FILE = Path(__file__).resolve().parents[2] / "crates/stats/tests/oracles.json"
LARGEST_EXACT = 128
LARGEST_EXACT_TOGETHER = 60
SMALLEST_SHARE = 1e-4
SLACK = 1e-12


def walsh(values):
    pairs = itertools.combinations_with_replacement(values, 2)
    return sorted((a + b) / 2 for a, b in pairs)


def hodges_lehmann(values, axis=-1):
    values = numpy.moveaxis(numpy.asarray(values), axis, -1)
    i, j = numpy.triu_indices(values.shape[-1])
    return numpy.median((values[..., i] + values[..., j]) / 2, axis=-1)


def hull_of_accepted(candidates, p_values, confidence):
    """The outermost candidates whose gap the test accepts; it is constant between candidates, so one probe for each gap."""
    candidates = numpy.array(candidates)
    accepted = numpy.flatnonzero(p_values((candidates[:-1] + candidates[1:]) / 2) > 1 - confidence + SLACK)
    return [float(candidates[accepted[0]]), float(candidates[accepted[-1] + 1])]


def signed_rank_interval(values, confidence):
    options = {"method": "exact"} if len(values) <= LARGEST_EXACT else {"method": "asymptotic", "correction": True}
    p_values = lambda centres: stats.wilcoxon(numpy.subtract.outer(values, centres), axis=0, **options).pvalue
    return hull_of_accepted(sorted(set(walsh(values))), p_values, confidence)


def samples():
    random = numpy.random.default_rng(20241105)
    for n in (6, 8, 11, 16, 17, 31, 45, 60, 61, 80, 120, 128, 129, 160):
        yield random.normal(0.01, 0.03, n)
        yield random.laplace(-0.2, 1.5, n)
        yield random.lognormal(10, 0.8, n)


def cell(values):
    values = [float(v) for v in values]
    quantiles = (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 1.0)
    confidences = [c for c in (0.8, 0.9, 0.95, 0.99) if 1 - 2.0 ** (1 - len(values)) >= c]
    deviation = float(numpy.std(values, ddof=1))
    reach = lambda alpha: stats.norm.isf(alpha / 2) + stats.norm.ppf(0.8)
    return {
        "values": values,
        "median": float(numpy.median(values)),
        "standard_deviation": deviation,
        "minimum_detectable_effects": [
            [alpha, reach(alpha) * deviation / math.sqrt(3 / math.pi * len(values))] for alpha in (0.05, 0.005)
        ],
        "trimmed_means": [[t, float(stats.trim_mean(values, t))] for t in (0.0, 0.1, 0.2, 0.25, 0.4)],
        "quantiles": [[p, float(numpy.quantile(values, p))] for p in quantiles],
        "hodges_lehmann": float(hodges_lehmann(values)),
        "intervals": [[c, *signed_rank_interval(values, c)] for c in confidences],
        "histogram_of_7": numpy.histogram(values, bins=7)[0].tolist(),
        "slope_on_place": float(stats.linregress(range(len(values)), values).slope),
        "lag_one_autocorrelation": lag_one_autocorrelation(values),
        "effect_tests": [[delta, *effect_test(values, delta)] for delta in (0.0, 0.3 * deviation, 0.02)],
    }


def lag_one_autocorrelation(values):
    around = numpy.array(values) - numpy.mean(values)
    return float(numpy.correlate(around[1:], around[:-1])[0] / numpy.correlate(around, around)[0])


def at_the_nearer_boundary(up, down):
    p_value = min(1.0, 2 * min(up, down))
    z = 0.0 if p_value == 1.0 else math.copysign(stats.norm.isf(p_value / 2), down - up)
    return [p_value, float(z)]


def effect_test(values, delta):
    options = {"method": "exact"} if len(values) <= LARGEST_EXACT else {"method": "asymptotic", "correction": True}
    # "greater" would subtract from 1 and lose small p-values.
    against = lambda sign: float(stats.wilcoxon(delta - sign * numpy.array(values), alternative="less", **options).pvalue)
    up, down = against(1), against(-1)
    return at_the_nearer_boundary(up, down)


def tied_effect_tests():
    """Ties and values at a boundary: every sign pattern, over whole numbers so that ties stay ties."""
    random = numpy.random.default_rng(5)
    for n in (2, 4, 7, 11, 12):
        for delta in (0, 1, 2):
            values = random.integers(-3, 8, n)
            every = stats.PermutationMethod(n_resamples=2**n)
            tails = []
            for sign in (1, -1):
                shifted = sign * values - delta
                options = {"zero_method": "pratt", "alternative": "greater", "method": every}
                tails.append(float(stats.wilcoxon(shifted, **options).pvalue) if shifted.any() else 1.0)
            yield [values.tolist(), delta, *at_the_nearer_boundary(*tails)]
    values = random.integers(-5, 9, 150)
    options = {"zero_method": "pratt", "alternative": "greater", "method": "asymptotic", "correction": True}
    tails = [float(stats.wilcoxon(sign * values - 1, **options).pvalue) for sign in (1, -1)]
    yield [values.tolist(), 1, *at_the_nearer_boundary(*tails)]


def shifts():
    random = numpy.random.default_rng(6)
    for m, n, by in ((3, 5, 0.5), (8, 8, 1.0), (12, 20, 0.4), (30, 30, 0.2), (31, 30, 0.6), (20, 90, -0.7)):
        a, b = random.laplace(0, 1, m), random.laplace(by, 1, n)
        method = "exact" if m + n <= LARGEST_EXACT_TOGETHER else "asymptotic"
        test = lambda x, y, side: float(stats.mannwhitneyu(x, y, alternative=side, method=method).pvalue)
        differences = numpy.sort(numpy.subtract.outer(b, a).ravel())
        for confidence, delta in ((0.8, 0.0), (0.95, 0.25)):
            if 1 - 2 / math.comb(m + n, m) < confidence:
                continue
            p_values = lambda centres: numpy.array([test(b - centre, a, "two-sided") for centre in centres])
            interval = hull_of_accepted(differences, p_values, confidence)
            decided = at_the_nearer_boundary(test(b - delta, a, "greater"), test(a - delta, b, "greater"))
            yield [a.tolist(), b.tolist(), confidence, delta, float(numpy.median(differences)), *map(float, interval), *decided]


def tied_shifts():
    """p alone: every way to choose who belongs to which sample."""
    random = numpy.random.default_rng(7)
    for m, n in ((3, 5), (6, 4), (6, 6)):
        a, b = random.integers(0, 4, m), random.integers(1, 6, n)
        ranks = stats.rankdata(numpy.concatenate([a, b]))
        options = {"permutation_type": "independent", "n_resamples": math.inf}
        tails = [
            float(stats.permutation_test((ranks[m:], ranks[:m]), lambda y, x: numpy.sum(y), alternative=side, **options).pvalue)
            for side in ("greater", "less")
        ]
        yield [a.tolist(), b.tolist(), *at_the_nearer_boundary(*tails)]


class Design:
    """A group sequential design by the multivariate normal distribution of the statistics at all looks."""

    def __init__(self, looks, alpha):
        self.looks, self.alpha = looks, alpha
        self.information = [n / looks[-1] for n in looks]
        self.boundaries, self.spent_before = [], []
        spent = 0.0
        for look, t in enumerate(self.information):
            until_now = 2 * stats.norm.sf(stats.norm.isf(alpha / 2) / math.sqrt(t)) if look + 1 < len(looks) else alpha
            self.spent_before.append(spent)
            if look + 1 < len(looks) and until_now - spent < alpha * SMALLEST_SHARE:
                self.boundaries.append(None)
                continue
            self.boundaries.append(optimize.brentq(lambda z: self.p_value(look, z) - until_now, 0.5, 9, xtol=1e-8))
            spent = until_now

    def p_value(self, look, z):
        """1 − P(no look before stops and |Z| < z at this one)."""
        stopping = [k for k in range(look) if self.boundaries[k] is not None]
        limits = numpy.array([self.boundaries[k] for k in stopping] + [abs(z)])
        if len(limits) == 1:
            return float(2 * stats.norm.sf(limits[0]))
        t = [self.information[k] for k in stopping + [look]]
        covariance = [[math.sqrt(min(a, b) / max(a, b)) for b in t] for a in t]
        normal = stats.multivariate_normal(cov=covariance, abseps=1e-8, releps=0, maxpts=1_000_000, seed=1)
        return float(1 - normal.cdf(limits, lower_limit=-limits))


def designs():
    for looks, alpha in (
        ([32], 0.01),
        ([16, 32], 0.05),
        ([16, 32], 0.005),
        ([20, 40, 80, 160], 0.05),
        ([20, 40, 80, 160], 0.005),
        ([30, 31, 60], 0.05),
        ([10, 20, 30, 40, 50], 0.05),
    ):
        design = Design(looks, alpha)
        p_values = [[k, z, design.p_value(k, z)] for k in range(len(looks)) for z in (0.5, -2.0, 3.0)]
        yield {"looks": looks, "alpha": alpha, "boundaries": design.boundaries, "p_values": p_values}


def false_discoveries():
    random = numpy.random.default_rng(8)
    for n in (1, 2, 10, 64):
        p_values = numpy.round(random.beta(0.5, 1.5, n), 3)
        yield [p_values.tolist(), stats.false_discovery_control(p_values).tolist()]


def thresholds():
    random = numpy.random.default_rng(9)
    for n, tau_min, bias, alpha in ((2, 1e-4, 0.0, 0.05), (5, 2e-4, 1e-5, 0.05), (5, 5e-3, 1e-4, 0.005), (9, 0.0, 2e-4, 0.01)):
        d = random.normal(0, 3e-4, n)
        reach = stats.t.isf(alpha / 2, n - 1) * numpy.std(d, ddof=1) / math.sqrt(n)
        yield [d.tolist(), tau_min, bias, alpha, float(max(tau_min, bias + reach))]


def fences():
    random = numpy.random.default_rng(10)
    for n in (2, 3, 10, 100):
        series = random.normal(1000, 4, n)
        first, third = numpy.percentile(numpy.abs(numpy.diff(series)) / series[:-1], [25, 75])
        yield [series.tolist(), float(third + 3 * (third - first))]


def visits():
    random = numpy.random.default_rng(11)
    for n in (1, 5, 24, 99):
        a, b = random.lognormal(8, 0.2, n), random.lognormal(8.01, 0.2, n)
        trimmed = lambda values: float(stats.trim_mean(values, 0.2))
        yield [a.tolist(), b.tolist(), trimmed(a), trimmed(numpy.log(b / a)), float(numpy.median(numpy.log(b / a)))]


def bootstraps():
    """SciPy draws other resamples, so its interval is only about ours."""
    random = numpy.random.default_rng(12)
    for n in (16, 40):
        values = random.laplace(0, 1, n)
        options = {"n_resamples": 9999, "method": "percentile", "rng": 1}
        interval = stats.bootstrap((values,), hodges_lehmann, confidence_level=0.9, **options).confidence_interval
        yield [values.tolist(), 0.9, float(interval.low), float(interval.high)]


def proportions():
    for successes, trials in ((0, 5), (1, 5), (3, 10), (50, 1000), (948, 1000), (1000, 1000)):
        for confidence in (0.9, 0.95, 0.999):
            interval = stats.binomtest(successes, trials).proportion_ci(confidence, method="exact")
            yield [successes, trials, confidence, interval.low, interval.high]


def student(function, arguments):
    return [[x, nu, float(function(x, nu))] for x in arguments for nu in (1, 2, 3.5, 4, 9, 15, 63, 1000, 1e6)]


def oracles():
    tails = (1e-15, 1e-6, 0.0025, 0.025, 0.1, 0.3, 0.5, 0.8, 0.95, 0.9975, 1 - 1e-9)
    return {
        "made_by": f"NumPy {numpy.__version__}, SciPy {scipy.__version__}",
        "cells": [cell(values) for values in samples()],
        "normal_cdf": [[float(z), float(stats.norm.cdf(z))] for z in numpy.arange(-8, 8.01, 0.5)],
        "normal_quantile": [[p, float(stats.norm.ppf(p))] for p in (1e-300, *tails)],
        "student_cdf": student(stats.t.cdf, (-30, -4, -1, -0.3, 0.01, 0.5, 1, 2.5, 7)),
        "student_quantile": student(stats.t.ppf, (1e-9, 0.0025, 0.025, 0.4, 0.6, 0.975, 0.9975)),
        "clopper_pearson": list(proportions()),
        "tied_effect_tests": list(tied_effect_tests()),
        "shifts": list(shifts()),
        "tied_shifts": list(tied_shifts()),
        "designs": list(designs()),
        "false_discoveries": list(false_discoveries()),
        "replicate_thresholds": list(thresholds()),
        "fences": list(fences()),
        "visits": list(visits()),
        "bootstraps": list(bootstraps()),
    }


def differences(path, ours, theirs):
    """Where two trees of JSON differ by more than rounding."""
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        if not math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-9):
            yield f"{path}: {theirs} in the file, {ours} now"
    elif isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        for key in ours.keys() - {"made_by"}:
            yield from differences(f"{path}/{key}", ours[key], theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for place, pair in enumerate(zip(ours, theirs)):
            yield from differences(f"{path}/{place}", *pair)
    elif ours != theirs:
        yield f"{path}: another shape"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    arguments = parser.parse_args()
    ours = json.loads(json.dumps(oracles(), allow_nan=False))
    if not arguments.check:
        FILE.write_text(json.dumps(ours, indent=None, separators=(",", ":")).replace('],"', '],\n"').replace('},{', '},\n{') + "\n")
        print(f"{FILE}: written by {ours['made_by']}")
        return 0
    theirs = json.loads(FILE.read_text())
    found = list(differences("", ours, theirs))
    for line in found[:20]:
        print(line)
    if found:
        print(f"{FILE} differs in {len(found)} places; it was made by {theirs['made_by']}, these are {ours['made_by']}")
        return 1
    print(f"{FILE} is what {ours['made_by']} say")
    return 0


if __name__ == "__main__":
    sys.exit(main())
