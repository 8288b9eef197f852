#!/usr/bin/env python3
"""Writes exponential.json: SciPy's exponential and Lomax densities.

    python tests/reference/make_exponential.py
"""
import json
from pathlib import Path

import scipy
from scipy.stats import expon, lomax

RATE, SHAPE = 0.375, 3.5
VALUES = [0, 1e-9, 0.1, 1, 2.5, 40, 1e4]

# λ ~ Gamma(shape a, rate b) has the mean a / b; x given λ is exponential, so x is Lomax(a, scale b).
json.dump({"scipy": scipy.__version__, "rate": RATE, "shape": SHAPE,
           "exponential": [[x, float(expon.logpdf(x, scale=1 / RATE))] for x in VALUES],
           "lomax": [[x, float(lomax.logpdf(x, SHAPE, scale=SHAPE / RATE))] for x in VALUES]},
          (Path(__file__).parent / "exponential.json").open("w"), indent=1)
