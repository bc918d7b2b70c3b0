"""Writes test/vectors/anomalies.json: windows and values, and what numpy says of their mean, deviation and quartiles.

Needs numpy. The z-score has the sample's deviation (ddof=1); quartiles are of type 7, which numpy calls linear.
"""
import json
import pathlib

import numpy

random = numpy.random.default_rng(20)
draws = {
    "normal": lambda n: random.normal(100, 15, n),
    "exponential": lambda n: random.exponential(3, n),
    "counts": lambda n: random.poisson(2, n).astype(float),
    "large": lambda n: 1e9 + random.normal(0, 1, n),
}


def vector(name, n):
    window, value = draws[name](n), float(draws[name](1)[0] * random.choice([0.2, 1, 3]))
    mean, deviation = numpy.mean(window), numpy.std(window, ddof=1)
    low, middle, high = numpy.quantile(window, [0.25, 0.5, 0.75], method="linear")
    return {
        "draw": name,
        "window": window.tolist(),
        "value": value,
        "mean": float(mean),
        "deviation": float(deviation),
        "quartiles": [float(low), float(middle), float(high)],
        "zscore_3": bool(abs(value - mean) > 3 * deviation),
        "iqr_1_5": bool(value < low - 1.5 * (high - low) or value > high + 1.5 * (high - low)),
    }


vectors = [vector(name, n) for name in draws for n in (2, 3, 5, 30, 31, 60)]
path = pathlib.Path(__file__).parents[1] / "vectors" / "anomalies.json"
path.write_text(json.dumps({"numpy": numpy.__version__, "vectors": vectors}, indent=None, separators=(",", ":")) + "\n")
