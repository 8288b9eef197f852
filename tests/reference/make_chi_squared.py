"""Writes chi_squared.json: P(chi-squared with dof >= x) to 17 digits.

mpmath works the incomplete gamma function out with 60 digits (pip install mpmath). Run it in this
folder. x is chosen so that the tail runs from nearly 1 to about 1e-300.
"""

import json

import mpmath

mpmath.mp.dps = 60


def tail(x, dof):
    return mpmath.gammainc(mpmath.mpf(dof) / 2, mpmath.mpf(x) / 2, mpmath.inf, regularized=True)


values = []
for dof in [1, 2, 3, 5, 10, 31, 33, 100, 784, 1000, 12345, 100000]:
    deviation = (2 * dof) ** 0.5
    places = [1e-3 * dof, 0.5 * dof, dof - deviation, dof, dof + 1, dof + 2.5]
    places += [dof + k * deviation for k in (1, 3, 6, 10, 20)]
    # Wilson and Hilferty: the cube root of x/dof is nearly normal, so that these reach far out.
    places += [dof * (1 - 2 / (9 * dof) + z * (2 / (9 * dof)) ** 0.5) ** 3 for z in (12, 25, 36)]
    if dof <= 5:
        places += [50.0, 300.0, 1000.0, 1360.0]
    for x in places:
        x = round(float(x), 6)
        p = tail(x, dof)
        if x > 0 and p > mpmath.mpf("1e-300"):
            values.append({"dof": dof, "x": x, "tail": float(mpmath.nstr(p, 25))})

with open("chi_squared.json", "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(v) for v in values) + "\n]\n")
