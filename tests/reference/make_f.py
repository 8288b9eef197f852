"""Writes f.json: P(F >= x), and P(F <= x) of the noncentral distribution.

The tails by mpmath with 60 digits, the noncentral ones by SciPy (pip install mpmath scipy). Run it in
this folder. x is chosen so that the tail runs from nearly 1 to about 1e-300.
"""

import json

import mpmath
from scipy import stats

mpmath.mp.dps = 60


def tail(x, dof1, dof2):
    x, a, b = mpmath.mpf(x), mpmath.mpf(dof1) / 2, mpmath.mpf(dof2) / 2
    return mpmath.betainc(b, a, 0, 2 * b / (2 * b + 2 * a * x), regularized=True)


tails = []
for dof1 in [1, 2, 3.5, 8, 30, 500]:
    for dof2 in [1, 3, 8, 144.25, 5000, 2e6]:
        for share in [0.99, 0.6, 0.2, 0.01, 1e-5, 1e-12, 1e-40, 1e-200]:
            x = float(stats.f.isf(share, dof1, dof2))
            if not 0 < x < 1e100:
                continue
            p = tail(x, dof1, dof2)
            if p > mpmath.mpf("1e-300"):
                tails.append([x, dof1, dof2, float(mpmath.nstr(p, 25))])
noncentral = []
for dof1, dof2 in [(1, 10), (4, 144), (30, 60), (5, 2000)]:
    for away in [0, 0.3, 5, 80, 2500]:
        for share in [0.01, 0.3, 0.9, 0.999]:
            x = float(stats.ncf.ppf(share, dof1, dof2, away)) if away else float(
                stats.f.ppf(share, dof1, dof2))
            noncentral.append([x, dof1, dof2, away, float(stats.ncf.cdf(x, dof1, dof2, away))
                               if away else share])
with open("f.json", "w") as out:
    lines = [f'"{name}": [\n' + ",\n".join(json.dumps(v) for v in values) + "\n]"
             for name, values in [("tails", tails), ("noncentral", noncentral)]]
    out.write("{" + ",\n".join(lines) + "}\n")
