"""Writes test/vectors/sample-ratio.json: what the sequential test of the sample ratio says, in exact fractions, and how it behaves.

Needs no packages. The Bayes factor of counts n against shares w is a product of fractions where every a = A w is an integer.
`characteristics` are probabilities of "flagged at a look", p < 0.001: by dynamic programming over all paths, not by drawing some.
"""
import json
import math
import pathlib
from fractions import Fraction

A = 20
BOUND = 1000


def bayes(counts, widths):
    total = sum(widths)
    value = Fraction(math.factorial(A - 1), math.factorial(A - 1 + sum(counts)))
    for n, width in zip(counts, widths):
        a = Fraction(A * width, total)
        assert a.denominator == 1
        value *= Fraction(math.factorial(int(a) + n - 1), math.factorial(int(a) - 1)) / Fraction(width, total) ** n
    return value


def p_of(counts, widths):
    return min(1.0, float(1 / bayes(counts, widths)))


def log_bayes(a, b):
    gamma = math.lgamma
    h = A / 2
    return gamma(A) - 2 * gamma(h) + gamma(h + a) + gamma(h + b) - gamma(A + a + b) + (a + b) * math.log(2)


def flagged(share, looks, step):
    """The probability that an experiment of two equal arms is flagged at one of its looks, if `share` of the units are in the first."""
    alive, gone = {0: 1.0}, 0.0
    for look in range(1, looks + 1):
        for _ in range(step):
            grown = {}
            for a, chance in alive.items():
                grown[a] = grown.get(a, 0.0) + chance * (1 - share)
                grown[a + 1] = grown.get(a + 1, 0.0) + chance * share
            alive = {a: chance for a, chance in grown.items() if chance > 1e-15}
        n = look * step
        for a in [a for a in alive if log_bayes(a, n - a) > math.log(BOUND)]:
            gone += alive.pop(a)
    return gone


cases = [
    ([75, 75], [1, 1]), ([105, 45], [1, 1]), ([45, 105], [1, 1]), ([90, 60], [1, 1]), ([498, 202], [1, 1]),
    ([1650, 1350], [1, 1]), ([1550, 1450], [1, 1]), ([5000, 5000], [1, 1]), ([0, 0], [1, 1]), ([12, 0], [1, 1]),
    ([90, 10], [9, 1]), ([800, 200], [9, 1]), ([30, 30, 40], [1, 1, 2]), ([300, 200, 500], [1, 1, 2]), ([0, 40, 40, 40], [1, 1, 1, 1]),
]
vectors = {
    "exact": [[[counts, widths], p_of(counts, widths)] for counts, widths in cases],
    # Looked at 1,000 times: after every unit, and after every tenth.
    "characteristics": [
        {"share": share, "looks": looks, "step": step, "flagged": flagged(share, looks, step)}
        for share, looks, step in [(0.5, 1000, 1), (0.5, 1000, 10), (0.7, 150, 1), (0.55, 300, 10)]
    ],
}
path = pathlib.Path(__file__).parents[1] / "vectors" / "sample-ratio.json"
path.write_text(json.dumps(vectors, indent=2) + "\n")
print(path.name, vectors["characteristics"])
