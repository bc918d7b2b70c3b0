"""Asks other people's statistics what they say of random inputs, and writes samples.json for actors/experiments/stats.

npm run oracles: needs Python 3.11 with the packages of requirements.txt (PYTHON names the interpreter).
Inputs are integers or short decimals, so that both sides read the same numbers. The seed is fixed: a new run gives the same inputs.
"""
import hashlib
import json
import math
import pathlib
import random
from fractions import Fraction

import confseq.boundaries as confseq
import mpmath
import numpy as np
import scipy.stats
import statsmodels.api as sm
from ssrm_test.ssrm_test import sequential_posteriors
from statsmodels.stats._delta_method import NonlinearDeltaCov

COUNT = 1000
rng = random.Random(20260101)
mpmath.mp.dps = 50


def moments(n, total, squares):
    """Mean and sample variance of integers, rounded once."""
    return float(Fraction(total, n)), float(Fraction(n * squares - total * total, n * (n - 1)))


def sums(n):
    spread = rng.choice([1, 10, 1000])
    level = rng.randint(-5, 20) * spread
    values = [rng.randint(0, spread) + level for _ in range(n)]
    return sum(values), sum(v * v for v in values)


def welch():
    n1, n2 = rng.randint(3, 300), rng.randint(3, 300)
    (t1, q1), (t2, q2) = sums(n1), sums(n2)
    (m1, v1), (m2, v2) = moments(n1, t1, q1), moments(n2, t2, q2)
    if v1 == 0 or v2 == 0:
        return welch()
    alpha = rng.choice([0.1, 0.05, 0.01, 0.001])
    test = scipy.stats.ttest_ind_from_stats(m1, math.sqrt(v1), n1, m2, math.sqrt(v2), n2, equal_var=False)
    error = math.sqrt(v1 / n1 + v2 / n2)
    df = error**4 / ((v1 / n1) ** 2 / (n1 - 1) + (v2 / n2) ** 2 / (n2 - 1))
    half = scipy.stats.t.ppf(1 - alpha / 2, df) * error
    return [[n1, t1, q1, n2, t2, q2, alpha], [float(test.pvalue), df, half]]


def student():
    df = rng.choice([rng.randint(1, 30), rng.randint(30, 10000), rng.randint(10000, 10_000_000)])
    t = rng.randint(1, 8000) / 1000
    p = rng.randint(1, 4999) / 10000
    return [[t, df, p], [float(scipy.stats.t.sf(t, df)), float(scipy.stats.t.isf(p, df))]]


def shares(arms):
    cuts = sorted(rng.sample(range(1, 100), arms - 1))
    return [(b - a) / 100 for a, b in zip([0, *cuts], [*cuts, 100])]


def counts(weights, units):
    return np.random.default_rng(rng.randint(0, 2**32)).multinomial(units, weights).tolist()


def chi_square():
    weights = shares(rng.randint(2, 6))
    seen = counts(weights, rng.randint(50, 100_000))
    seen[0] += rng.randint(0, 3) * int(math.sqrt(sum(seen)))
    expected = np.array(weights) * sum(seen)
    test = scipy.stats.chisquare(seen, expected * sum(seen) / expected.sum())
    return [[seen, weights], [float(test.statistic), float(test.pvalue)]]


def delta():
    n = rng.randint(5, 60)
    b = [rng.randint(0, 9) for _ in range(n)]
    a = [rng.randint(0, 50) * x + rng.randint(0, 20) for x in b]
    if sum(b) == 0 or len(set(b)) == 1:
        return delta()
    cov = np.cov(np.array([a, b], dtype=float)) / n
    ratio = NonlinearDeltaCov(
        lambda m: np.array([m[0] / m[1]]),
        np.array([sum(a) / n, sum(b) / n]),
        cov,
        deriv=lambda m: np.array([[1 / m[1], -m[0] / m[1] ** 2]]),
    )
    given = [n, sum(a), sum(b), sum(x * x for x in a), sum(x * y for x, y in zip(a, b)), sum(x * x for x in b)]
    return [given, [float(ratio.predicted()[0]), float(ratio.cov()[0][0]) * n]]


def covariate():
    arms = []
    for lift in (rng.randint(0, 5), 0):
        n = rng.randint(5, 40)
        x = np.array([rng.randint(0, 40) for _ in range(n)], dtype=float)
        y = np.array([rng.randint(0, 30) + lift + rng.randint(0, 2) * v for v in x])
        arms.append((x, y))
    x, y = (np.concatenate(both) for both in zip(*arms))
    fitted = sm.OLS(y, sm.add_constant(x)).fit()
    theta = fitted.params[1]
    given, expected = [], []
    for ax, ay in arms:
        left = ay - theta * (ax - x.mean())
        given.append([len(ax), *(int(v) for v in (ay.sum(), ay @ ay, ax.sum(), ax @ ax, ax @ ay))])
        stats = sm.stats.DescrStatsW(left, ddof=1)
        expected += [float(stats.mean), float(stats.var)]
    return [given, expected]


def ssrm():
    weights = shares(rng.randint(2, 4))
    seen = counts(weights, rng.randint(10, 3000))
    seen[-1] = round(seen[-1] * rng.choice([1, 1, 0.9, 0.7]))
    return [[seen, weights], float(sequential_posteriors([seen], weights)[-1]["p_value"])]


def ratio_large():
    """As the definition has it, with 50 digits: where doubles of ssrm-test have none left."""
    weights = [Fraction(w).limit_denominator(100) for w in shares(rng.randint(2, 5))]
    seen = counts([float(w) for w in weights], rng.choice([10**5, 10**6, 10**7, 10**8]))
    lost = rng.choice([0, 0, 1, 3])
    seen[0] -= lost * int(math.sqrt(seen[0]))
    log_gamma = mpmath.loggamma
    prior = [mpmath.mpf(10000 * w.numerator) / w.denominator for w in weights]
    total = sum(seen)
    value = log_gamma(mpmath.mpf(10000)) - log_gamma(mpmath.mpf(10000 + total))
    for a, n, w in zip(prior, seen, weights):
        value += log_gamma(a + n) - log_gamma(a) - n * mpmath.log(mpmath.mpf(w.numerator) / w.denominator)
    return [[seen, [float(w) for w in weights]], min(1.0, float(mpmath.exp(-value)))]


def sequential():
    n = rng.randint(10, 1_000_000)
    alpha = rng.choice([0.1, 0.05, 0.01, 0.005])
    tuning = rng.choice([100, 1000, 5000, 50000])
    variance = rng.randint(1, 10000) / 100000
    estimate = rng.randint(0, 400) / 100 * math.sqrt(variance)
    bound = confseq.normal_mixture_bound(n, alpha, tuning, alpha, False)
    half = math.sqrt(variance) * bound / math.sqrt(n)
    # The sum that has this estimate, on the scale on which its variance is n.
    log = confseq.normal_log_mixture(estimate / math.sqrt(variance) * math.sqrt(n), n, tuning, alpha, False)
    return [[n, alpha, tuning, variance, estimate], [float(half), min(1.0, math.exp(-log))]]


def sha256_slot():
    """Ids of one to twelve characters, of every plane but the surrogates."""
    def text(most):
        planes = [(0x21, 0x7E), (0xA1, 0x24F), (0x400, 0x4FF), (0x4E00, 0x9FFF), (0x1F300, 0x1F6FF)]
        return "".join(chr(rng.randint(*rng.choice(planes))) for _ in range(rng.randint(1, most)))

    salt, unit = text(6), text(12)
    digest = hashlib.sha256(salt.encode() + b"\0" + unit.encode()).digest()
    return [[salt, unit], int.from_bytes(digest[:4], "big") * 10**6 >> 32]


kinds = [welch, student, chi_square, delta, covariate, ssrm, ratio_large, sequential, sha256_slot]
samples = {kind.__name__: [kind() for _ in range(COUNT)] for kind in kinds}
lines = ",\n".join(f'"{name}": {json.dumps(found, separators=(",", ":"))}' for name, found in samples.items())
path = pathlib.Path(__file__).with_name("samples.json")
path.write_text("{\n" + lines + "\n}\n")
print(f"{path.name}: {path.stat().st_size} bytes, {COUNT} of each of {', '.join(samples)}")
