"""Writes random.json: variates of rows, bit for bit, and quantiles of the normal distribution.

The generator is written out here a second time from its papers: Philox 4x32-10 (Salmon et al.
2011) in Python's whole numbers, PPND16 (Wichura 1988, AS 241) in Python's doubles. The quantiles
are independent of both: mpmath inverts the error function with 50 digits (pip install mpmath), and
each variate is checked against it. Run it in this folder.
"""

import json
import math

import mpmath

mpmath.mp.dps = 50
MASK = 0xFFFFFFFF


def philox(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        left, right = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (right >> 32) ^ c1 ^ k0, right & MASK, (left >> 32) ^ c3 ^ k1, left & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def uniform(seed, row, k):
    block = k // 2
    words = philox((block & MASK, block >> 32, row & MASK, row >> 32), (seed & MASK, seed >> 32))
    bits = words[k % 2 * 2] << 32 | words[k % 2 * 2 + 1]
    value = mpmath.mpf(2 * (bits >> 12) + 1) / 2**53
    assert mpmath.mpf(float(value)) == value and 0 < value < 1
    return float(value)


MIDDLE = (
    [3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
     45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727],
    [1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
     21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610],
)
TAIL = (
    [1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833,
     0.000774545014278341407640],
    [1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
     0.148103976427480074590, 0.0151986665636164571966, 0.000547593808499534494600,
     1.05075007164441684324e-9],
)
FAR = (
    [6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230,
     0.0265321895265761230930, 0.00124266094738807843860, 0.0000271155556874348757815,
     2.01033439929228813265e-7],
    [1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
     0.000786869131145613259100, 0.0000184631831751005468180, 1.42151175831644588870e-7,
     2.04426310338993978564e-15],
)


def horner(coefficients, x):
    value = coefficients[-1]
    for c in coefficients[-2::-1]:
        value = value * x + c
    return value


def log(x):
    m, e = math.frexp(x)
    if m < float.fromhex("0x1.6a09e667f3bcdp-1"):
        m, e = m * 2, e - 1
    s = (m - 1) / (m + 1)
    log_m = 2 * s * horner([1 / n for n in range(1, 24, 2)], s * s)
    return e * float.fromhex("0x1.62e42fefa38p-1") + (
        log_m + e * float.fromhex("0x1.ef35793c7673p-45"))


def quantile(p):
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * horner(MIDDLE[0], r) / horner(MIDDLE[1], r)
    r = math.sqrt(-log(p if q < 0 else 1 - p))
    over, under, x = (*TAIL, r - 1.6) if r <= 5 else (*FAR, r - 5)
    return math.copysign(horner(over, x) / horner(under, x), q)


def exact_quantile(p):
    p = mpmath.mpf(p)
    side, p = (-1, p) if p < 0.5 else (1, 1 - p)
    # erfc(z/√2)/2 = p by Newton's method on its logarithm, from the double's value.
    z = mpmath.mpf(abs(quantile(float(p)))) if p < 0.5 else mpmath.mpf(0)
    for _ in range(6):
        tail = mpmath.erfc(z / mpmath.sqrt(2)) / 2
        z += mpmath.log(tail / p) * tail / mpmath.npdf(z)
    assert abs(mpmath.erfc(z / mpmath.sqrt(2)) / 2 / p - 1) < mpmath.mpf("1e-40")
    return side * z


quantiles = []
for p in [1e-300, 1e-100, 2**-53, 1e-12, 1.3e-11, 1e-9, 1e-5, 0.001, 0.025, 0.074999, 0.075, 0.0751,
          0.1, 0.25, 0.3, 0.49, 0.5, 0.500001, 0.6, 0.8413447460685429, 0.924999, 0.93, 0.975, 0.9999,
          1 - 2**-30, 1 - 2**-53]:
    quantiles.append({"p": p, "quantile": float(mpmath.nstr(exact_quantile(p), 25))})

variates = []
places = [(0, 0, k) for k in range(6)]
places += [(1, 0, 0), (0, 1, 0), (42, 999999, 3), (2**64 - 1, 2**63 + 12345, 1000001)]
places += [(20240501, row, 1) for row in range(30)]
for seed, row, k in places:
    u = uniform(seed, row, k)
    z = quantile(u)
    assert abs(z - exact_quantile(u)) <= 1e-15 * max(1, abs(z)), (u, z, exact_quantile(u))
    variates.append({"seed": seed, "row": row, "k": k, "uniform": u, "normal": z})

with open("random.json", "w") as out:
    out.write('{"quantiles": [\n' + ",\n".join(map(json.dumps, quantiles)) + "\n],\n")
    out.write('"variates": [\n' + ",\n".join(map(json.dumps, variates)) + "\n]}\n")
