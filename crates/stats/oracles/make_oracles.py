"""Writes the numbers that the estimators are checked against, as JSON on standard output.

The signed-rank interval is found the long way round: shift the values by every candidate centre, ask
scipy.stats.wilcoxon whether it rejects, and keep the candidates between the outermost that are accepted.
"""

import itertools
import json
import sys

import numpy
import scipy
from scipy import stats


def walsh(values):
    pairs = itertools.combinations_with_replacement(values, 2)
    return sorted((a + b) / 2 for a, b in pairs)


def signed_rank_interval(values, confidence):
    """The hull of the centres that the test accepts; constant between Walsh averages, so one probe for each gap."""
    averages = sorted(set(walsh(values)))
    exact = len(values) <= 60
    options = {"method": "exact"} if exact else {"method": "asymptotic", "correction": True}
    accepted = []
    for low, high in zip(averages, averages[1:]):
        centre = (low + high) / 2
        if stats.wilcoxon(numpy.array(values) - centre, **options).pvalue > 1 - confidence + 1e-12:
            accepted += [low, high]
    return [min(accepted), max(accepted)]


def samples():
    random = numpy.random.default_rng(20241105)
    for n in (6, 8, 11, 16, 17, 31, 45, 60, 61, 80, 120):
        yield random.normal(0.01, 0.03, n)
        yield random.laplace(-0.2, 1.5, n)
        yield random.lognormal(10, 0.8, n)


def cell(values):
    values = [float(v) for v in values]
    quantiles = (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 1.0)
    confidences = [c for c in (0.8, 0.9, 0.95, 0.99) if 1 - 2.0 ** (1 - len(values)) >= c]
    return {
        "values": values,
        "median": float(numpy.median(values)),
        "standard_deviation": float(numpy.std(values, ddof=1)),
        "trimmed_means": [[t, float(stats.trim_mean(values, t))] for t in (0.0, 0.1, 0.2, 0.25, 0.4)],
        "quantiles": [[p, float(numpy.quantile(values, p))] for p in quantiles],
        "hodges_lehmann": float(numpy.median(walsh(values))),
        "intervals": [[c, *signed_rank_interval(values, c)] for c in confidences],
        "histogram_of_7": numpy.histogram(values, bins=7)[0].tolist(),
    }


def proportions():
    for successes, trials in ((0, 5), (1, 5), (3, 10), (50, 1000), (948, 1000), (1000, 1000)):
        for confidence in (0.9, 0.95, 0.999):
            interval = stats.binomtest(successes, trials).proportion_ci(confidence, method="exact")
            yield [successes, trials, confidence, interval.low, interval.high]


json.dump(
    {
        "made_by": f"NumPy {numpy.__version__}, SciPy {scipy.__version__}",
        "cells": [cell(values) for values in samples()],
        "normal_cdf": [[z, stats.norm.cdf(z)] for z in numpy.arange(-8, 8.01, 0.5)],
        "normal_quantile": [
            [p, stats.norm.ppf(p)] for p in (1e-300, 1e-15, 1e-6, 0.0025, 0.025, 0.1, 0.3, 0.5, 0.8, 0.95, 0.9975, 1 - 1e-9)
        ],
        "clopper_pearson": list(proportions()),
    },
    sys.stdout,
    indent=1,
)
print()
