"""The default shrinkage of a named covariance: strengths by the conjugate prior's evidence.

The formulas are worked out here a second time, with NumPy, from the rows: a prior worth v rows of a
target T, of which a scatter S with f degrees of freedom has the log evidence
    L(v) = ln Γ_d((ν+f)/2) − ln Γ_d(ν/2) + (νd/2) ln v − ((ν+f)/2) Σ ln(v + f l_i),  ν = v + d + 1,
with l the eigenvalues of T^-½ (S/f) T^-½.
"""
import csv
import gzip
import math

import numpy as np
import pytest

from datasets import IMAGES, read_lines
from program import content, good, good_json, refused, rows_of, run

SETS = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar"),
        "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis"), "glyphs": ("glyphs.csv.gz", "letter"),
        "digits": ("digits.csv.gz", "digit")}


def rows_and_labels(path, label):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    columns = [name for name in table[0] if name != label]
    return (np.array([[float(row[name]) for name in columns] for row in table]),
            np.array([row[label] for row in table]))


# ---- the evidence, from its formula ----------------------------------------------------------------

def digamma(x):
    """ψ(x): x is moved beyond 10, where the asymptotic series has all digits."""
    below = 0.0
    while x < 10:
        below += 1 / x
        x += 1
    series = sum(b / x ** (2 * k) for k, b in enumerate(
        (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12), start=1))
    return math.log(x) - 1 / (2 * x) - series - below


class Term:
    """One scatter matrix with its degrees of freedom and target."""

    def __init__(self, scatter, f, target):
        root = np.linalg.inv(np.linalg.cholesky(target))
        self.d, self.f = len(target), f
        self.fl = np.maximum(np.linalg.eigvalsh(root @ scatter @ root.T), 0)

    def log_evidence(self, v):
        nu = v + self.d + 1
        gammas = sum(math.lgamma((nu + self.f + 1 - i) / 2) - math.lgamma((nu + 1 - i) / 2)
                     for i in range(1, self.d + 1))
        return (gammas + nu * self.d / 2 * math.log(v)
                - (nu + self.f) / 2 * np.sum(np.log(v + self.fl)))

    def slope(self, v):
        """dL/dv"""
        nu = v + self.d + 1
        gammas = sum(digamma((nu + self.f + 1 - i) / 2) - digamma((nu + 1 - i) / 2)
                     for i in range(1, self.d + 1))
        return (gammas + self.d * math.log(v) + nu * self.d / v - np.sum(np.log(v + self.fl))
                - (nu + self.f) * np.sum(1 / (v + self.fl))) / 2


def best_rows(terms):
    """The v ≥ 1 where Σ L(v) is largest: a grid in ln v, then halving where the slope changes sign."""
    grid = np.exp(np.linspace(0, math.log(1e6), 140))
    k = int(np.argmax([sum(t.log_evidence(v) for t in terms) for v in grid]))
    assert k < len(grid) - 1
    slope = lambda v: sum(t.slope(v) for t in terms)
    if k == 0 and slope(1) <= 0:
        return 1.0
    low, high = grid[max(k - 1, 0)], grid[k + 1]
    assert slope(low) > 0 > slope(high)
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


class Worked:
    """What the default is for these rows."""

    def __init__(self, x, y):
        self.labels = sorted(set(y))
        self.varies = np.ptp(x, axis=0) > 0  # the others are left out
        self.unit = x[:, self.varies].std(axis=0)  # digits for NumPy; the evidence has no units
        z = x[:, self.varies] / self.unit
        parts = [z[y == c] for c in self.labels]
        self.weights = [len(p) for p in parts]
        self.means = [p.mean(axis=0) * self.unit for p in parts]
        self.scatters = [(p - p.mean(axis=0)).T @ (p - p.mean(axis=0)) for p in parts]
        self.pooled, self.f = sum(self.scatters), len(y) - len(parts)
        self.diagonal = np.diag(np.diag(self.pooled)) / self.f

    def target(self):
        """The pooled covariance, shrunk towards its diagonal by u rows; with too many features, that."""
        if len(self.pooled) > self.f:
            return None, self.diagonal
        u = best_rows([Term(self.pooled, self.f, self.diagonal)])
        return u, (self.pooled + u * self.diagonal) / (self.f + u)

    def full(self):
        u, target = self.target()
        v = best_rows([Term(s, w - 1, target) for s, w in zip(self.scatters, self.weights)])
        return u, v, [s + v * target for s in self.scatters]

    def diag(self):
        """One v for all classes and features; T is a feature's pooled variance."""
        pick = range(len(self.pooled))
        v = best_rows([Term(s[j:j + 1, j:j + 1], w - 1, self.diagonal[j:j + 1, j:j + 1])
                       for s, w in zip(self.scatters, self.weights) for j in pick])
        return v, [(np.diag(s) + v * np.diag(self.diagonal)) / (w - 1 + v) * self.unit ** 2
                   for s, w in zip(self.scatters, self.weights)]

    def in_units(self, matrix):
        return matrix * np.outer(self.unit, self.unit)


def close(mine, theirs, digits=1e-9):
    """Covariances agree relative to the deviations of their two features."""
    deviation = np.sqrt(np.diag(theirs))
    assert np.max(np.abs(mine - theirs) / np.outer(deviation, deviation)) < digits


@pytest.fixture(scope="module", params=SETS)
def study(request, data):
    """A set's file, label, rows, classes of the rows, and what NumPy makes of them."""
    file, label = SETS[request.param]
    x, y = rows_and_labels(data(file), label)
    return data(file), label, x, y, Worked(x, y)


def shown(path, label, folder, *flags):
    good("fit", path, "--label", label, *flags, "-o", folder / "m.suffice")
    model = good_json("show", folder / "m.suffice")
    block, = model["blocks"]
    return model, block


def test_full_covariances_by_the_evidence(study, tmp_path):
    path, label, _, _, worked = study
    model, block = shown(path, label, tmp_path, "--covariance", "full")
    assert model["labels"] == worked.labels and model["weights"] == worked.weights
    assert block["structure"] == "full"
    u, v, sums = worked.full()
    assert model["shrinkage"]["asked"] == "auto"
    assert model["shrinkage"]["rows"] == pytest.approx(v, rel=1e-7)
    assert model["shrinkage"]["target_rows"] == pytest.approx(u, rel=1e-7)
    for mine, s, w in zip(block["covariance"], sums, worked.weights, strict=True):
        mine = np.array(mine)[np.ix_(worked.varies, worked.varies)]
        close(mine, worked.in_units(s / (w - 1 + v)))
    for mine, mean in zip(block["mean"], worked.means, strict=True):
        assert np.array(mine)[worked.varies] == pytest.approx(mean, rel=1e-12)


def test_tied_covariance_by_the_evidence(study, tmp_path):
    path, label, _, _, worked = study
    model, block = shown(path, label, tmp_path, "--covariance", "tied")
    u, target = worked.target()
    assert model["shrinkage"]["asked"] == "auto"
    assert model["shrinkage"]["rows"] == pytest.approx(u, rel=1e-7)
    close(np.array(block["covariance"])[np.ix_(worked.varies, worked.varies)], worked.in_units(target))


def test_diagonal_covariances_by_the_evidence(study, tmp_path):
    path, label, _, _, worked = study
    model, block = shown(path, label, tmp_path, "--covariance", "diag")
    v, variances = worked.diag()
    assert model["shrinkage"]["rows"] == pytest.approx(v, rel=1e-7)
    for mine, theirs in zip(block["covariance"], variances, strict=True):
        assert np.array(mine)[worked.varies] == pytest.approx(theirs, rel=1e-9)


def test_student_by_the_evidence(study, tmp_path):
    """t with f + v + 2 degrees of freedom and the scale (1 + 1/W)(S + vT)/(f + v + 2)."""
    path, label, _, _, worked = study
    model, block = shown(path, label, tmp_path, "--covariance", "full", "--estimate", "bayes")
    _, v, sums = worked.full()
    assert model["shrinkage"]["rows"] == pytest.approx(v, rel=1e-7)
    assert block["dof"] == pytest.approx([w + 1 + v for w in worked.weights], rel=1e-8)
    for mine, s, w in zip(block["covariance"], sums, worked.weights, strict=True):
        mine = np.array(mine)[np.ix_(worked.varies, worked.varies)]
        close(mine, worked.in_units((1 + 1 / w) * s / (w + 1 + v)))


def test_answers_are_those_of_the_normal_densities(study, tmp_path):
    """Errors and log-loss on the rows themselves, from the covariances above."""
    path, label, x, y, worked = study
    _, v, sums = worked.full()
    z = x[:, worked.varies] / worked.unit
    scores = []
    for mean, s, w in zip(worked.means, sums, worked.weights):
        lower = np.linalg.cholesky(s / (w - 1 + v))
        away = np.linalg.solve(lower, (z - mean / worked.unit).T)
        scores.append(math.log(w / len(y)) - np.log(np.diag(lower)).sum()
                      - (away ** 2).sum(axis=0) / 2)
    scores = np.array(scores).T
    top = scores.max(axis=1, keepdims=True)
    log_posterior = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    truth = np.searchsorted(worked.labels, y)
    good("fit", path, "--label", label, "--covariance", "full", "-o", tmp_path / "m.suffice")
    report = good_json("evaluate", tmp_path / "m.suffice", path)
    assert report["errors"] == int(np.sum(scores.argmax(axis=1) != truth))
    assert report["log_loss"] == pytest.approx(
        -log_posterior[np.arange(len(y)), truth].mean(), rel=1e-7)


def test_more_features_than_rows(tmp_path):
    """The target is the pooled diagonal then, and nothing has a share of it."""
    random = np.random.default_rng(4)
    x = random.normal(size=(14, 20)) @ random.normal(size=(20, 20))
    y = np.array(["a", "b", "b", "c"] * 3 + ["c", "c"])
    path = tmp_path / "wide.csv"
    with open(path, "w") as file:
        file.write(",".join(f"x{j}" for j in range(20)) + ",y\n")
        file.writelines(",".join(map(repr, row.tolist())) + f",{c}\n" for row, c in zip(x, y))
    worked = Worked(x, y)
    model, block = shown(path, "y", tmp_path, "--covariance", "full")
    u, v, sums = worked.full()
    assert u is None and model["shrinkage"]["rows"] == pytest.approx(v, rel=1e-7)
    for mine, s, w in zip(block["covariance"], sums, worked.weights, strict=True):
        close(np.array(mine), worked.in_units(s / (w - 1 + v)))
    model, block = shown(path, "y", tmp_path, "--covariance", "tied")
    assert model["shrinkage"]["rows"] == "inf"
    close(np.array(block["covariance"]), worked.in_units(worked.diagonal))


def test_units_have_no_part(data, tmp_path):
    """Each feature in another unit: the same strengths, decisions and probabilities."""
    with gzip.open(data("wine.csv.gz"), "rt") as file:
        header, *rows = csv.reader(file)
    with open(tmp_path / "scaled.csv", "w", newline="") as file:
        scaled = [[repr(float(cell) * 10.0 ** (j % 17 - 8)) if name != "cultivar" else cell
                   for j, (name, cell) in enumerate(zip(header, row))] for row in rows]
        csv.writer(file).writerows([header, *scaled])
    answers = []
    for path in (data("wine.csv.gz"), tmp_path / "scaled.csv"):
        fitted = good_json("fit", path, "--label", "cultivar", "--covariance", "full", "-o", tmp_path / "m")
        table = rows_of(good("predict", tmp_path / "m", path, "--output", "proba", "--digits", "full"))
        answers.append((fitted["shrinkage"], table))
    (plain, table), (other, other_table) = answers
    assert other["rows"] == pytest.approx(plain["rows"], rel=1e-9)
    assert other["target_rows"] == pytest.approx(plain["target_rows"], rel=1e-9)
    for row, other_row in zip(table, other_table, strict=True):
        assert row.pop("label") == other_row.pop("label")
        for name in row:
            assert float(other_row[name]) == pytest.approx(float(row[name]), rel=1e-6, abs=1e-12)


# ---- what is printed, and the effect of the other flags --------------------------------------------

def without_wrote(text):
    return [line for line in text.splitlines() if not line.startswith("Wrote ")]


def test_one_line_says_it(data, tmp_path):
    words = ["fit", data("iris.csv.gz"), "--label", "species", "--covariance", "full", "-o", tmp_path / "m.suffice"]
    fitted = good_json(*words)["shrinkage"]
    text = good(*words, "--verbose")
    said = [line for line in text.splitlines() if line.startswith("Shrinkage auto: ")]
    assert said == [
        f"Shrinkage auto: towards the pooled covariance (weight {fitted['rows']:.3g}) "
        f"and its diagonal (weight {fitted['target_rows']:.3g})"]
    assert "Quadratic discriminant analysis: one full covariance per class, regularised\n" in text
    # The covariance stands there, others where they differ from the default or are asked for.
    shown = good("show", tmp_path / "m.suffice")
    assert "Options: covariance full\n" in shown and said[0] in shown.splitlines()
    assert "Options: covariance full, " in text
    # Without effect on numbers.
    good(*words[:-1], tmp_path / "x", "--smoothing", "0.5")
    assert "Options: covariance full\n" in good("show", tmp_path / "x")
    # The same with the flag, to the byte.
    asked = tmp_path / "asked.suffice"
    assert without_wrote(good(*words[:-1], asked, "--shrinkage", "auto", "--verbose")) == without_wrote(text)
    assert asked.read_bytes() == (tmp_path / "m.suffice").read_bytes()
    for flags in (["--shrinkage", "0", "--verbose"], ["--towards-tied", "0.5", "--verbose"], ["--quiet"], []):
        assert "Shrinkage auto" not in good(*words, *flags)
    for estimate in ("map", "bayes"):
        good(*words, "--estimate", estimate)
        text = good("show", tmp_path / "m.suffice")
        assert "Shrinkage auto: " in text and f"Options: covariance full, estimate {estimate}\n" in text


@pytest.mark.parametrize("covariance", ["full", "tied", "diag"])
def test_normalize_has_no_part(data, tmp_path, covariance):
    """The divisor is f + v, whatever --normalize says."""
    covariances = []
    for normalize in ("mle", "unbiased"):
        _, block = shown(data("wine.csv.gz"), "cultivar", tmp_path, "--covariance", covariance,
                         "--normalize", normalize)
        covariances.append(block["covariance"])
    assert covariances[0] == covariances[1]


@pytest.mark.parametrize("covariance", ["tied-diag", "spherical", "tied-spherical"])
def test_structures_with_nothing_to_draw_together(data, tmp_path, covariance):
    words = ["--covariance", covariance]
    by_default, plain = (shown(data("wine.csv.gz"), "cultivar", tmp_path, *words, *more)[1]
                         for more in ([], ["--shrinkage", "0"]))
    assert by_default["covariance"] == plain["covariance"]


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_towards_tied_alone_means_no_shrinkage(data, tmp_path, covariance):
    words = ["fit", data("wine.csv.gz"), "--label", "cultivar", "--covariance", covariance,
             "--towards-tied", "0.5", "-o"]
    alone = good(*words, tmp_path / "alone")
    both = good(*words, tmp_path / "both", "--shrinkage", "0")
    assert without_wrote(alone) == without_wrote(both)
    assert (tmp_path / "alone").read_bytes() == (tmp_path / "both").read_bytes()
    # And it is what it says: [(1−a) S_c + a S] / [(1−a) W_c + a W].
    worked = Worked(*rows_and_labels(data("wine.csv.gz"), "cultivar"))
    block, = good_json("show", tmp_path / "alone")["blocks"]
    for mine, s, w in zip(block["covariance"], worked.scatters, worked.weights, strict=True):
        expected = worked.in_units((s + worked.pooled) / (w + sum(worked.weights)))
        if covariance == "diag":
            assert mine == pytest.approx(np.diag(expected), rel=1e-9)
        else:
            close(np.array(mine), expected)


@pytest.mark.parametrize("words, needles", [
    (["--target", "spherical"], ["--target spherical", "use --shrinkage from 0 to 1, or --shrinkage oas"]),
    (["--target", "spherical", "--towards-tied", "0.5"], ["--target spherical", "no share is given"]),
    (["--shrinkage", "auto", "--towards-tied", "0.5"], ["--towards-tied"]),
    (["--shrinkage", "loo", "--pca", "2"], ["shrinkage 'loo'", "no projection"]),
    (["--shrinkage", "loo", "--lda", "1"], ["shrinkage 'loo'", "no projection"]),
    (["--shrinkage", "loo", "--covariance", "diag"], ["shrinkage 'loo' is for full and tied"])])
def test_what_does_not_go_together(tmp_path, words, needles):
    refused(run("fit", "t.csv", "--label", "y", *words, folder=tmp_path), 2, *needles)
    assert content(tmp_path) == {}


def test_select_without_a_shrinkage(data, tmp_path):
    """The one value that fit takes; none where rows are left out one by one, which auto has no form
    for."""
    words = ["select", data("iris.csv.gz"), "--label", "species", "--covariance", "full,tied",
             "-o", tmp_path / "m"]
    strengths = lambda *more: [c["options"]["shrinkage"] for c in good_json(*words, *more)["candidates"]]
    assert strengths() == ["auto", "auto"]
    assert strengths("--folds", "loo") == [0, 0]
    assert strengths("--towards-tied", "0,0.5") == ["auto", 0, "auto"]
    chosen = good_json(*words, "--folds", "loo")
    best = chosen["candidates"][chosen["best"]]["options"]
    assert good_json("show", tmp_path / "m")["shrinkage"]["asked"] == best["shrinkage"] == 0


# ---- it never refuses ------------------------------------------------------------------------------

FILES = {"iris.csv.gz": "species", "wine.csv.gz": "cultivar", "penguins.csv.gz": "species",
         "breast_cancer_wdbc.csv.gz": "diagnosis", "passengers.csv.gz": "Survived",
         "mail.csv.gz": "is_spam", "glyphs.csv.gz": "letter", "census_train.csv.gz": "income",
         "digits.csv.gz": "digit"}


@pytest.mark.parametrize("covariance", ["full", "tied", "diag"])
@pytest.mark.parametrize("file", FILES)
def test_no_set_is_refused(data, tmp_path, file, covariance):
    fitted = good_json("fit", data(file), "--label", FILES[file], "--covariance", covariance,
                       "-o", tmp_path / "m")
    assert fitted["shrinkage"]["asked"] == "auto"
    report = good_json("evaluate", tmp_path / "m", data(file))
    most = max(report["class_rows"]) / report["rows"]
    assert report["error_rate"] < 1 - most  # better than the commonest class always
    assert math.isfinite(report["log_loss"])


def test_a_fold_of_mails_that_plain_maximum_likelihood_refuses(data, tmp_path):
    words = ["select", data("mail.csv.gz"), "--label", "is_spam", "--covariance", "full",
             "--shrinkage", "0,auto", "-o", tmp_path / "m"]
    plain, by_default = good_json(*words)["candidates"]
    assert "rank" in plain["error"] and "error" not in by_default


def test_images_are_not_refused(data, tmp_path):
    """Pixels without ink in any image, in a class, or in all images but one."""
    images, labels = (data(name) for name in IMAGES["test"])
    fitted = good_json("fit", images, "--labels", labels, "--covariance", "full", "-o", tmp_path / "m")
    assert fitted["shrinkage"]["rows"] >= 1 and len(fitted["constant"]) > 50


def test_columns_that_hardly_vary(tmp_path):
    """Constant in all rows; in one class; the same column twice; a class of one row; fewer rows than
    features."""
    rows = [[7, 0 if i % 3 else i % 5, i % 4, i % 4, (3 * i) % 7, "yxx"[i % 3]] for i in range(30)]
    rows.append([7, 2, 1, 1, 3, "one"])
    path = tmp_path / "t.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["same", "inked", "a", "again", "b", "k"], *rows])
    words = ["fit", path, "--label", "k", "--covariance", "full", "-o", tmp_path / "m"]
    fitted = good_json(*words)
    assert fitted["constant"] == ["same"] and fitted["shrinkage"]["asked"] == "auto"
    good("predict", tmp_path / "m", path, "--output", "proba,logpx", "--digits", "full")
    refused(run(*words[:-1], tmp_path / "n", "--shrinkage", "0"), 1, "--shrinkage auto")
    few = tmp_path / "few.csv"
    few.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    good("fit", few, "--label", "k", "--covariance", "full", "-o", tmp_path / "m")


def test_what_nothing_can_be_said_of(tmp_path):
    """A feature that is constant in every class, but not the same in all, and one row a class."""
    path = tmp_path / "t.csv"
    path.write_text("a,b,k\n" + "".join(f"{i},{i % 2},{'yx'[i % 2]}\n" for i in range(10)))
    refused(run("fit", path, "--label", "k", "--covariance", "full", "-o", tmp_path / "m"), 1, "'b'", "--ignore")
    path.write_text("a,k\n1,x\n2,y\n")
    refused(run("fit", path, "--label", "k", "--covariance", "full", "-o", tmp_path / "m"), 1)
    assert not (tmp_path / "m").exists()
