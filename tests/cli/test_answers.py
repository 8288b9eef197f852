"""Data sets through the whole program, against scikit-learn, SciPy, NumPy and MASS.

references.json and mass_references.json are beside the scripts that made them; posteriors under the
training frequencies are also in tests/reference. Counts of errors are equal, log-loss agrees to
1e-9, and posteriors to 1e-9 of themselves or of 1, whichever is more. The peers' estimates are plain
maximum likelihood, which is --shrinkage 0 here.
"""
import json
import math
from pathlib import Path

import pytest

import program
from datasets import IMAGES, ROOT, libsvm_line, read_lines, word_counts
from program import good, good_json, rows_of

HERE = Path(__file__).resolve().parent
REFERENCES = json.loads((HERE / "references.json").read_text())
MASS = json.loads((HERE / "mass_references.json").read_text())
PEERS = {name: json.loads((ROOT / "tests" / "reference" / f"{name}.json").read_text())
         for name in ("sklearn", "mass")}
SMALL = {"iris": ("iris.csv.gz", "species"), "wine": ("wine.csv.gz", "cultivar"),
         "wdbc": ("breast_cancer_wdbc.csv.gz", "diagnosis")}
# The correlations of wdbc have a condition of 1e6 to 1e7; its peers lose those digits.
DIGITS = {"wdbc": 1e-8}


class Study:
    """Rows to learn from, rows to answer for, and the flags that both need."""

    def __init__(self, train, test, fit=(), score=()):
        self.train, self.test, self.fit, self.score = train, test, fit, score


@pytest.fixture(scope="session")
def studies(tmp_path_factory, data):
    """A function from the name of a data set to its study."""
    folder = tmp_path_factory.mktemp("studies")
    made = {}

    def write(name, header, lines):
        path = folder / name
        path.write_text(header + "".join(lines), encoding="utf-8", newline="")
        return path

    def halves(name, rows, label):
        header, lines = read_lines(data(f"{name}.csv.gz"))
        return Study(write(f"{name}_train.csv", header, lines[:rows]), write(f"{name}_test.csv", header, lines[rows:]),
                     ["--label", label])

    def make(name):
        if name in SMALL:
            file, label = SMALL[name]
            return Study(data(file), data(file), ["--label", label])
        if name == "digits":
            return halves(name, 1200, "digit")
        if name == "glyphs":
            return halves(name, 8000, "letter")
        if name == "mail":
            header, lines = read_lines(data("mail.csv.gz"))
            return Study(write("mail_train.csv", header, [line for i, line in enumerate(lines) if i % 3]),
                         write("mail_test.csv", header, lines[::3]), ["--label", "is_spam"])
        if name == "census":
            return Study(data("census_train.csv.gz"), data("census_test.csv.gz"), ["--label", "income"])
        if name == "passengers":
            columns = REFERENCES[name]["numeric"] + REFERENCES[name]["categorical"]
            return Study(data("passengers.csv.gz"), data("passengers.csv.gz"),
                         ["--label", "Survived", "--features", ",".join(columns),
                          "--family", "Pclass=categorical"])
        if name == "messages":
            counts, labels = word_counts(data("messages.csv.gz"))
            words = REFERENCES["messages"]["words"]
            lines = [libsvm_line(label, row) for label, row in zip(labels, counts)]
            # A count of 0 of the last word, so that the training file says how many words there are.
            assert f" {words}:" not in lines[1]
            lines[1] = lines[1].rstrip() + f" {words}:0\n"
            return Study(write("messages_train.libsvm", "", [l for i, l in enumerate(lines) if i % 5]),
                         write("messages_test.libsvm", "", lines[::5]),
                         ["--family", "*=multinomial"])
        assert name == "images"
        (images, labels), (test_images, test_labels) = IMAGES["train"], IMAGES["test"]
        return Study(data(images), data(test_images), ["--labels", data(labels)],
                     ["--labels", data(test_labels)])

    def study(name):
        if name not in made:
            made[name] = make(name)
        return made[name]
    return study


@pytest.fixture(scope="session")
def models(tmp_path_factory, studies):
    """A function from data set, covariance and further flags to a model file, fitted once."""
    folder = tmp_path_factory.mktemp("models")
    made = {}

    def model(name, covariance, *flags):
        key = (name, covariance, *flags)
        if key not in made:
            made[key] = folder / f"{len(made)}.suffice"
            s = studies(name)
            structure = ["--covariance", covariance, "--shrinkage", "0"] if covariance in STRUCTURES else ["--covariance", "full"]
            good("fit", s.train, *s.fit, *structure, *flags, "--missing", "complete", "-o", made[key])
        return made[key]
    return model


STRUCTURES = ("full", "tied", "diag", "tied-diag")
INKED = ["--features", ",".join(f"x{j}" for j in REFERENCES["images"]["inked"])]
FLAGS = {("glyphs", "categorical"): ["--family", "*=categorical"],
         ("images", "multinomial"): ["--family", "*=multinomial"],
         ("images", "tied"): INKED, ("images", "tied-diag"): INKED}


def prior_flags(name, prior):
    if prior != "given":
        return ["--prior", prior]
    return ["--prior", ",".join(f"{c}={p}" for c, p in REFERENCES["prior"][name].items())]


def cost_flags(name):
    return ["--cost", ",".join(f"{pair}={c}" for pair, c in REFERENCES["cost"][name].items())]


CASES = [(name, structure, prior) for name, study in REFERENCES.items()
         if isinstance(study, dict) and name not in ("prior", "cost", "reject")
         for structure, priors in study.items() if isinstance(priors, dict) and "train" in priors
         for prior in priors]


def test_every_reference_is_used():
    assert len(CASES) == 73 and {name for name, _, _ in CASES} == {
        "iris", "wine", "wdbc", "digits", "glyphs", "mail", "census", "passengers", "messages", "images"}


@pytest.mark.parametrize("name,structure,prior", CASES, ids=["-".join(case) for case in CASES])
def test_answers_of_peers(name, structure, prior, studies, models):
    study = studies(name)
    expected = REFERENCES[name][structure][prior]
    digits = DIGITS.get(name, 1e-9)
    model = models(name, structure, *FLAGS.get((name, structure), []))
    decision = prior_flags(name, prior)

    report = good_json("evaluate", model, study.test, *study.score, *decision)
    n = expected["rows"]
    assert report["rows"] == n
    assert report["error_rate"] == expected["errors"] / n
    assert report["log_loss"] == pytest.approx(expected["log_loss"], rel=digits)
    assert report["brier"] == pytest.approx(expected["brier"], rel=digits)
    assert (report["unknown_label_rows"], report["rejected"], report["outliers"]) == (0, 0, 0)
    matrix = report["confusion"]["matrix"]
    assert sum(map(sum, matrix)) == n
    assert n - sum(row[i] for i, row in enumerate(matrix)) == expected["errors"]
    if "confusion" in expected:
        assert matrix == expected["confusion"]
    if "auc" in expected:
        assert report["auc"] == pytest.approx(expected["auc"], rel=1e-12)
        low, high = expected["eer_between"]
        assert low - 1e-12 <= report["equal_error_rate"] <= high + 1e-12
    if "with_cost" in expected:
        priced = good_json("evaluate", model, study.test, *study.score, *decision, *cost_flags(name))
        assert priced["error_rate"] == expected["with_cost"]["errors"] / n
        assert priced["cost"] == pytest.approx(expected["with_cost"]["cost"], rel=1e-12)
        # Costs decide; they leave the probabilities alone.
        assert priced["log_loss"] == report["log_loss"]
    if "with_reject" in expected:
        some = good_json("evaluate", model, study.test, *study.score, *decision,
                         "--reject", REFERENCES["reject"][name])
        decided = n - expected["with_reject"]["rejected"]
        assert some["rejected"] == expected["with_reject"]["rejected"]
        assert some["rows"] == n
        assert some["error_rate"] == expected["with_reject"]["errors"] / decided

    if name == "images":
        return  # 10000 rows of 784 columns a second time would show nothing new
    answers = rows_of(good("predict", model, study.test, *study.score, *decision,
                           "--output", "proba,logpx,loglik", "--digits", "full"))
    assert len(answers) == n
    labels = report["confusion"]["labels"]
    assert list(answers[0]) == (["label"] + [f"proba:{c}" for c in labels]
                                + [f"loglik:{c}" for c in labels] + ["logpx"])
    for i, log_posterior in zip(expected["at"], expected["log_posterior"]):
        row = answers[i]
        assert row["label"] == labels[max(range(len(labels)), key=lambda k: log_posterior[k])]
        for c, log_p in zip(labels, log_posterior):
            assert float(row[f"proba:{c}"]) == pytest.approx(math.exp(log_p), rel=digits, abs=digits)
        # Ratios of likelihoods, far below where a posterior underflows.
        if prior == "uniform":
            for c, log_p in zip(labels, log_posterior):
                mine = float(row[f"loglik:{c}"]) - float(row[f"loglik:{labels[0]}"])
                assert mine == pytest.approx(log_p - log_posterior[0], rel=digits, abs=digits)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("peer,structure", [("lda", "tied"), ("qda", "full")])
def test_answers_of_mass(name, peer, structure, studies, models):
    """MASS divides by n − 1 and n − K; its answers under the frequencies are in tests/reference."""
    study = studies(name)
    digits = DIGITS.get(name, 1e-9)
    model = models(name, structure, "--normalize", "unbiased")
    for at, flags, expected in [
            (PEERS["mass"][name]["rows"], [], PEERS["mass"][name][peer]),
            (MASS[name]["at"], prior_flags(name, "given"), MASS[name][peer])]:
        report = good_json("evaluate", model, study.test, *flags)
        assert report["error_rate"] == expected["errors"] / report["rows"]
        answers = rows_of(good("predict", model, study.test, *flags, "--output", "proba", "--digits", "full"))
        labels = report["confusion"]["labels"]
        for i, posterior in zip(at, expected["posterior"]):
            for c, p in zip(labels, posterior):
                assert float(answers[i][f"proba:{c}"]) == pytest.approx(p, rel=digits, abs=digits)


@pytest.mark.parametrize("name,structure", [
    (name, structure) for name in SMALL for structure in ("tied", "full")
    if structure in PEERS["sklearn"][name]])  # scikit-learn treats wdbc as singular; MASS does not
def test_log_likelihoods_of_scipy(name, structure, studies, models):
    """log p(x | c), log p(x) and the ratios, from SciPy's multivariate normal."""
    reference = PEERS["sklearn"][name]
    digits = DIGITS.get(name, 1e-9)
    study = studies(name)
    labels = reference["classes"]
    prior = [n / sum(reference["counts"]) for n in reference["counts"]]
    answers = rows_of(good("predict", models(name, structure), study.test,
                           "--output", "loglik,llr,logpx"))
    ratios = [f"llr:{labels[0]}/{labels[1]}"] if len(labels) == 2 else [f"llr:{c}" for c in labels]
    assert list(answers[0]) == ["label"] + [f"loglik:{c}" for c in labels] + ratios + ["logpx"]

    def log_mean(values, weights):
        top = max(values)
        return top + math.log(sum(w * math.exp(v - top) for v, w in zip(values, weights))
                              / sum(weights))

    for i, scores in zip(reference["rows"], reference[structure]["log_likelihood"]):
        near = lambda value: pytest.approx(value, rel=digits, abs=digits)
        for c, score in zip(labels, scores):
            assert float(answers[i][f"loglik:{c}"]) == near(score)
        assert float(answers[i]["logpx"]) == near(log_mean(scores, prior))
        if len(labels) == 2:
            assert float(answers[i][ratios[0]]) == near(scores[0] - scores[1])
        else:
            for k, c in enumerate(labels):
                others = [j for j in range(len(labels)) if j != k]
                assert float(answers[i][f"llr:{c}"]) == near(
                    scores[k] - log_mean([scores[j] for j in others], [prior[j] for j in others]))


def test_parameters_of_scikit_learn(studies, models):
    shown = good_json("show", models("wine", "diag"))
    reference = PEERS["sklearn"]["wine"]
    assert shown["kind"] == "model"
    assert shown["labels"] == reference["classes"]
    assert shown["weights"] == reference["counts"]
    block, = shown["blocks"]
    assert block["family"] == "gaussian" and block["structure"] == "diag"
    assert len(block["features"]) == 13 and block["features"][0] == "alcohol"
    for key, peer in (("mean", "mean"), ("covariance", "variance")):
        for mine, theirs in zip(block[key], reference["naive"][peer], strict=True):
            assert mine == pytest.approx(theirs, rel=1e-12)
    tied, = good_json("show", models("wine", "tied"))["blocks"]
    for mine, theirs in zip(tied["covariance"], reference["tied"]["covariance"], strict=True):
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def test_outlier_scores_are_tails_of_chi_squared(studies, models):
    """With one class possible the score is P(χ² ≥ d²), worked out by NumPy and SciPy."""
    study, tail = studies("iris"), REFERENCES["iris"]["setosa_tail"]
    model = models("iris", "full")
    prior = ["--prior", "setosa=1,versicolor=0,virginica=0"]
    answers = rows_of(good("predict", model, study.test, *prior, "--output", "outlier", "--digits", "full"))
    assert list(answers[0]) == ["label", "outlier"]
    assert [float(row["outlier"]) for row in answers] == pytest.approx(tail, rel=1e-9, abs=1e-300)
    for alpha in (0.05, 1e-6):
        marked = rows_of(good("predict", model, study.test, *prior, "--outlier", alpha))
        assert list(marked[0]) == ["label", "status"]
        for row, p in zip(marked, tail, strict=True):
            assert (row["status"], row["label"]) == (("outlier", "") if p < alpha else ("ok", "setosa"))
        report = good_json("evaluate", model, study.test, *prior, "--outlier", alpha)
        assert report["outliers"] == sum(p < alpha for p in tail)
        assert report["rows"] == 150


def test_poisson_counts_of_scipy(tmp_path, studies):
    """Counts of ink; pixels that never had any are left out there as here."""
    study, reference = studies("digits"), REFERENCES["digits"]["poisson"]
    names = study.train.read_text().splitlines()[0].split(",")
    names.remove("digit")
    kept = [names[j] for j in reference["kept"]]
    good("fit", study.train, *study.fit, "--features", ",".join(kept), "--family", "*=poisson",
         "--covariance", "full", "-o", tmp_path / "m")
    report = good_json("evaluate", tmp_path / "m", study.test, "--prior", "uniform")
    assert report["error_rate"] == reference["errors"] / report["rows"]
    answers = rows_of(good("predict", tmp_path / "m", study.test, "--output", "loglik"))
    for i, scores in zip(reference["rows"], reference["log_likelihood"]):
        assert [float(answers[i][f"loglik:{c}"]) for c in range(10)] == pytest.approx(scores, rel=1e-9)


def test_bernoulli_words_of_scikit_learn(tmp_path, studies):
    study, reference = studies("mail"), REFERENCES["mail"]["bernoulli"]
    for name, source in (("train.csv", study.train), ("test.csv", study.test)):
        header, *lines = source.read_text().splitlines()
        columns = header.split(",")
        words = [j for j, c in enumerate(columns) if c.startswith("word_freq")]
        label = columns.index("is_spam")
        with open(tmp_path / name, "w") as file:
            file.write(",".join([columns[j] for j in words] + ["is_spam"]) + "\n")
            for line in lines:
                cells = line.split(",")
                ones = ["1" if float(cells[j]) > 0 else "0" for j in words]
                file.write(",".join(ones + [cells[label]]) + "\n")
    good("fit", "train.csv", "--label", "is_spam", "--family", "word_*=bernoulli", "--covariance", "full", "-o", "m",
         folder=tmp_path)
    for name, errors in zip(("train.csv", "test.csv"), reference):
        report = good_json("evaluate", "m", name, folder=tmp_path)
        assert report["error_rate"] == errors / report["rows"]


def test_a_level_unknown_to_the_model_is_said(studies, models):
    """The last 4000 rows have a value in one column that the first 8000 have not."""
    study = studies("glyphs")
    result = program.run("evaluate", models("glyphs", "categorical", *FLAGS["glyphs", "categorical"]),
                         study.test)
    assert result.returncode == 0
    assert "warning" in result.stderr.decode() and "x15" in result.stderr.decode()


def test_what_is_singular_in_images(tmp_path, studies):
    """Pixels that are constant within a class, or have ink in the same one image: a statistical fact,
    said with the ways out. The rank is NumPy's."""
    study = studies("images")
    rank, pixels = REFERENCES["images"]["rank_of_test"]
    for covariance, needles in (("diag", ["class '0'"]), ("tied", [f"{rank} of {pixels}"])):
        result = program.run("fit", study.test, *study.score, "--covariance", covariance,
                             "--shrinkage", "0", "-o", tmp_path / "m")
        program.refused(result, 1, "--covariance", *needles)
        assert not list(tmp_path.iterdir())
