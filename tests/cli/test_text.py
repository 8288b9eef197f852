"""Text columns: counts, probabilities and decisions are those of scikit-learn's CountVectorizer and its
naive Bayes classifiers; parts merge and subtract by word; what cannot be is refused."""
import csv
import gzip
import json
import math
import re
import resource
import subprocess

import pytest

import program
from program import good, good_json

SAID = [("ham", "Hi, see you at 5"), ("ham", "see you, see me"), ("spam", "WIN a prize, win CASH now"),
        ("spam", "cash prize 5 5 5"), ("ham", "ok")]


def refused(*words, code, saying):
    return program.refused(program.run(*words), code, saying)


def write(path, rows, header=("label", "message")):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    return path


@pytest.fixture
def table(tmp_path):
    return write(tmp_path / "said.csv", SAID)


def text_block(shown):
    return next(block for block in shown["blocks"] if block["family"] == "text")


def counts_of(shown, member="count"):
    """{(label, word): count} of a statistics file, without zeros."""
    block = text_block(shown)
    return {(label, word): value
            for label, row in zip(shown["labels"], block[member][0])
            for word, value in zip(block["words"][0], row) if value}


def summed(path, folder, *flags, name="part.stats"):
    good("stats", path, "--label", "label", "--family", "message=text", *flags, "-o", folder / name)
    return good_json("show", folder / name)


def test_words_are_counted(table, tmp_path):
    shown = summed(table, tmp_path)
    assert counts_of(shown) == {
        ("ham", "hi"): 1, ("ham", "see"): 3, ("ham", "you"): 2, ("ham", "at"): 1, ("ham", "5"): 1,
        ("ham", "me"): 1, ("ham", "ok"): 1, ("spam", "win"): 2, ("spam", "a"): 1, ("spam", "prize"): 2,
        ("spam", "cash"): 2, ("spam", "now"): 1, ("spam", "5"): 3}
    rows = counts_of(shown, "rows")
    assert rows["ham", "see"] == 2 and rows["spam", "5"] == 1 and rows["spam", "win"] == 1


@pytest.mark.parametrize("flags, text, words", [
    (["--tokens", "whitespace", "--lowercase", "no"], "A, a A", {"A,": 1, "a": 1, "A": 1}),
    (["--tokens", "chars:2-3"], "ab  C", {"ab": 1, "b ": 1, " c": 1, "ab ": 1, "b c": 1}),
    (["--ngrams", "1-2"], "x y x y", {"x": 2, "y": 2, "x y": 2, "y x": 1}),
    (["--min-length", "2"], "a bc d ef", {"bc": 1, "ef": 1}),
    (["--presence"], "a b a", {"a": 1, "b": 1}),
    (["--tokens", "pairs"], "a:2 http://x:0.5 a:1", {"a": 3, "http://x": 0.5}),
    (["--tokens", "alnum"], "don't stop_now", {"don": 1, "t": 1, "stop_now": 1}),
    ([], "don't 3.14 naïve NAÏVE", {"don't": 1, "3.14": 1, "naïve": 2}),
])
def test_tokens(tmp_path, flags, text, words):
    path = write(tmp_path / "one.csv", [("a", text), ("b", "")])
    shown = summed(path, tmp_path, *flags)
    assert {word: count for (_, word), count in counts_of(shown).items()} == words


def test_parts_merge_and_subtract_by_word(table, tmp_path):
    whole = summed(table, tmp_path, name="all.stats")
    first = write(tmp_path / "first.csv", SAID[:2])
    second = write(tmp_path / "second.csv", SAID[2:])
    summed(first, tmp_path, name="first.stats")
    summed(second, tmp_path, name="second.stats")
    good("merge", tmp_path / "second.stats", tmp_path / "first.stats", "-o", tmp_path / "both.stats")
    both = good_json("show", tmp_path / "both.stats")
    for member in ("count", "rows"):
        assert counts_of(both, member) == counts_of(whole, member)
    good("subtract", tmp_path / "all.stats", tmp_path / "second.stats", "-o", tmp_path / "rest.stats")
    rest = good_json("show", tmp_path / "rest.stats")
    assert counts_of(rest) == counts_of(good_json("show", tmp_path / "first.stats"))
    # Words that are in no row any more have no part in a model.
    good("fit", tmp_path / "rest.stats", "-o", tmp_path / "rest.suffice")
    good("fit", tmp_path / "first.stats", "-o", tmp_path / "first.suffice")
    words = [sorted(text_block(good_json("show", tmp_path / name))["words"][0])
             for name in ("rest.suffice", "first.suffice")]
    assert words[0] == words[1]
    # A part that is none.
    other = write(tmp_path / "other.csv", [("ham", "never seen")])
    summed(other, tmp_path, name="other.stats")
    refused("subtract", tmp_path / "all.stats", tmp_path / "other.stats", "-o", tmp_path / "x.stats",
            code=1, saying="the whole lacks the word 'never'")


def test_threads_and_cuts_change_no_byte(tmp_path):
    rows = [(f"c{i % 3}", " ".join(f"w{(i * k) % 977}" for k in range(i % 9))) for i in range(70000)]
    path = write(tmp_path / "many.csv", rows)
    summed(path, tmp_path, "--threads", "1", name="one.stats")
    summed(path, tmp_path, "--threads", "2", name="two.stats")
    parts = [write(tmp_path / f"p{k}.csv", rows[k * 23000:(k + 1) * 23000 if k < 3 else None]) for k in range(4)]
    good("stats", *parts, "--label", "label", "--family", "message=text", "-o", tmp_path / "cut.stats")
    whole = (tmp_path / "one.stats").read_bytes()
    assert whole == (tmp_path / "two.stats").read_bytes() == (tmp_path / "cut.stats").read_bytes()


def test_multinomial_by_hand(table, tmp_path):
    good("fit", table, "--label", "label", "--family", "message=text", "--covariance", "full",
         "-o", tmp_path / "m.suffice")
    block = text_block(good_json("show", tmp_path / "m.suffice"))
    spam = dict(zip(block["words"][0], block["probability"][0][1]))
    # 11 words of spam, 12 different ones.
    assert spam["win"] == pytest.approx((2 + 1) / (11 + 12), abs=1e-15)
    assert spam["see"] == pytest.approx(1 / 23, abs=1e-15)
    new = write(tmp_path / "new.csv", [("", "win see"), ("", ""), ("", "unknown words")], )
    done = program.run("predict", tmp_path / "m.suffice", new, "--output", "loglik,proba")
    assert done.returncode == 0 and b"2 words that the model does not know" in done.stderr
    header, *lines = list(csv.reader(done.stdout.decode().splitlines()))
    first = dict(zip(header, lines[0]))
    assert float(first["loglik:spam"]) == pytest.approx(math.log(3 / 23) + math.log(1 / 23), abs=1e-14)
    assert float(first["loglik:ham"]) == pytest.approx(math.log(1 / 22) + math.log(4 / 22), abs=1e-14)
    for line in lines[1:]:  # the prior decides
        row = dict(zip(header, line))
        assert float(row["proba:ham"]) == pytest.approx(3 / 5) and row["label"] == "ham"


def test_telling_words_are_shown(table, tmp_path):
    good("fit", table, "--label", "label", "--family", "message=text", "-o", tmp_path / "m.suffice")
    shown = good("show", tmp_path / "m.suffice", "--top", "2")
    lines = [line.split() for line in shown.splitlines() if "telling for" in shown]
    words = [line for line in lines if len(line) >= 3]
    assert ["ham", "see"] in [line[:2] for line in words]
    assert any(line[:2] in (["spam", "cash"], ["spam", "prize"], ["spam", "win"]) for line in words)


def test_samples_are_documents(table, tmp_path):
    good("fit", table, "--label", "label", "--family", "message=text", "--covariance", "full",
         "--smoothing", "0.01", "-o", tmp_path / "m.suffice")
    good("sample", tmp_path / "m.suffice", "-n", "50", "--document-length", "7", "-o", tmp_path / "drawn.csv")
    with open(tmp_path / "drawn.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    known = {"hi", "see", "you", "at", "5", "me", "ok", "win", "a", "prize", "cash", "now"}
    assert len(rows) == 50 and all(len(row["message"].split()) == 7 for row in rows)
    assert {word for row in rows for word in row["message"].split()} <= known
    assert good_json("evaluate", tmp_path / "m.suffice", tmp_path / "drawn.csv")["error_rate"] < 0.1


def test_text_beside_numbers_and_categories(tmp_path):
    rows = [(label, text, str(i % 7 + 3 * (label == "spam")), "ab"[i % 2])
            for i, (label, text) in enumerate(SAID * 8)]
    path = write(tmp_path / "mixed.csv", rows, ("label", "message", "length", "kind"))
    good("fit", path, "--label", "label", "--family", "message=text", "-o", tmp_path / "m.suffice")
    shown = good_json("show", tmp_path / "m.suffice")
    assert sorted(block["family"] for block in shown["blocks"]) == ["categorical", "gaussian", "text"]
    assert good_json("evaluate", tmp_path / "m.suffice", path)["error_rate"] == 0
    good("select", path, "--label", "label", "--family", "message=text", "-o", tmp_path / "s.suffice")


def test_reports_and_pictures_know_text(table, tmp_path):
    good("fit", table, "--label", "label", "--family", "message=text", "--covariance", "full", "-o", tmp_path / "m.suffice")
    good("report", tmp_path / "m.suffice", table, "-o", tmp_path / "r.html")
    assert "does not know which rows are unusual" in (tmp_path / "r.html").read_text()
    good("plot", tmp_path / "m.suffice", "--what", "densities", "-o", tmp_path / "p.svg")
    assert "see" in (tmp_path / "p.svg").read_text()


@pytest.mark.parametrize("flags, saying", [
    (["--discriminative"], "takes no text columns"),
    (["--components", "2"], "take no text columns"),
    (["--estimate", "bayes"], "no posterior predictive density"),
])
def test_what_text_does_not_have(table, tmp_path, flags, saying):
    refused("fit", table, "--label", "label", "--family", "message=text", *flags, "-o", tmp_path / "m.suffice",
            code=1, saying=saying)


def test_documents_have_no_outlier_score(table, tmp_path):
    good("fit", table, "--label", "label", "--family", "message=text", "-o", tmp_path / "m.suffice")
    refused("predict", tmp_path / "m.suffice", table, "--outlier", "0.01", "-o", tmp_path / "p.csv",
            code=1, saying="the text column 'message' have no outlier score")


def test_the_first_look_proposes_text(tmp_path):
    rows = [(label, f"{text} and so on, number {i} of many") for i, (label, text) in enumerate(SAID * 6)]
    path = write(tmp_path / "said.csv", rows)
    done = program.run("fit", path, "--label", "label", "-o", tmp_path / "m.suffice")
    assert "it looks like text; --family 'message=text' learns from its words" in done.stderr.decode()


# ---- bad input ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("flags, saying", [
    (["--ngrams", "2-1"], "--ngrams"),
    (["--tokens", "sentences"], "text cannot be cut into 'sentences'"),
    (["--tokens", "chars"], "--tokens"),
    (["--tokens", "pairs", "--ngrams", "1-2"], "counted already have no order"),
    (["--min-length", "0"], "--min-length"),
    (["--hash-bits", "40"], "cannot be hashed to 40 bits"),
    (["--length-power", "2"], "--length-power"),
    (["--max-words", "0"], "--max-words"),
])
def test_wrong_commands(table, tmp_path, flags, saying):
    refused("fit", table, "--label", "label", "--family", "message=text", *flags, "-o", tmp_path / "m.suffice",
            code=2, saying=saying)


@pytest.mark.parametrize("cell, saying", [
    ("a:2 b", "'b' is no word with its count"),
    ("a:-1", "'a:-1' is no word with its count"),
    (":3", "':3' is no word with its count"),
    ("a:nan", "'a:nan' is no word with its count"),
])
def test_wrong_pairs_are_named_by_line(tmp_path, cell, saying):
    path = write(tmp_path / "pairs.csv", [("x", "a:1"), ("y", cell)])
    message = refused("fit", path, "--label", "label", "--family", "message=text", "--tokens", "pairs",
                      "-o", tmp_path / "m.suffice", code=1, saying=saying)
    assert "pairs.csv:3" in message and "message" in message


def test_flags_of_text_need_a_text_column(table, tmp_path):
    refused("fit", table, "--label", "label", "--ngrams", "1-2", "-o", tmp_path / "m.suffice",
            code=1, saying="--ngrams is for text columns")


def test_strange_bytes(tmp_path):
    path = tmp_path / "bytes.csv"
    path.write_bytes(b"label,message\na,good\nb,one\xff\xfetwo\n")
    refused("stats", path, "--label", "label", "--family", "message=text", "-o", tmp_path / "x.stats",
            code=1, saying="bytes.csv:3, column 'message': the text is not UTF-8")
    path.write_bytes(b"label,message\na,good\nb,nul\x00byte\n")
    refused("stats", path, "--label", "label", "--family", "message=text", "-o", tmp_path / "x.stats",
            code=1, saying="it has bytes 0")


def test_a_document_of_100_mb(tmp_path):
    path = tmp_path / "long.csv"
    words = "never odd or even " * 65536
    with open(path, "w") as file:
        file.write("label,message\na,short one\nb,")
        for _ in range(85):
            file.write(words)
        file.write("\n")
    assert path.stat().st_size > 1e8
    shown = summed(path, tmp_path)
    assert counts_of(shown)["b", "never"] == 85 * 65536
    assert counts_of(shown, "rows")["b", "never"] == 1


@pytest.mark.parametrize("limit", [130])
def test_too_many_words_for_the_memory(tmp_path, limit):
    path = tmp_path / "many.csv"
    with open(path, "w") as file:
        file.write("label,message\n")
        for i in range(40000):
            file.write("ab"[i % 2] + "," + " ".join(f"word{25 * i + k}" for k in range(25)) + "\n")
    command = [str(program.BINARY), "stats", str(path), "--label", "label", "--family", "message=text",
               "--threads", "1", "-o", str(tmp_path / "x.stats")]
    limited = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit * 2**20, limit * 2**20))
    done = subprocess.run(command, capture_output=True, preexec_fn=limited)
    program.refused(done, 1, "memory", "--hash-bits 18")
    assert not (tmp_path / "x.stats").exists()
    done = subprocess.run([*command, "--hash-bits", "10"], capture_output=True, preexec_fn=limited)
    assert done.returncode == 0, done.stderr


def test_different_tokens_do_not_merge(table, tmp_path):
    summed(table, tmp_path, name="a.stats")
    summed(table, tmp_path, "--ngrams", "1-2", name="b.stats")
    refused("merge", tmp_path / "a.stats", tmp_path / "b.stats", "-o", tmp_path / "c.stats",
            code=1, saying="the words of feature 'message' are 'words' in one schema and 'words ngrams:1-2'")


def test_exports_refuse_text(table, tmp_path):
    good("fit", table, "--label", "label", "--family", "message=text", "-o", tmp_path / "m.suffice")
    for target in ("c", "sql", "onnx"):
        refused("export", tmp_path / "m.suffice", "--to", target, "-o", tmp_path / f"m.{target}",
                code=1, saying="the text column 'message' cannot be exported")


def test_json_has_the_words(table, tmp_path):
    good("fit", table, "--label", "label", "--family", "message=text", "--tokens", "whitespace", "--length-power",
         "0.5", "-o", tmp_path / "m.suffice")
    good("export", tmp_path / "m.suffice", "--to", "json", "-o", tmp_path / "m.json")
    block, = json.loads((tmp_path / "m.json").read_text())["blocks"]
    assert block["tokens"] == "whitespace" and not block["presence"]
    done = good("predict", tmp_path / "m.suffice", table, "--output", "loglik")
    for row, (_, text) in zip(csv.DictReader(done.splitlines()), SAID):
        known = [block["words"].index(word) for word in text.lower().split()]
        for c, label in enumerate(("ham", "spam")):
            score = block["constant"][c] + sum(block["weights"][i][c] for i in known) * len(known) ** -0.5
            assert float(row[f"loglik:{label}"]) == pytest.approx(score, abs=1e-12)


def test_hashed_words_are_bounded_and_named(tmp_path):
    rows = [("a", "apple apple pear"), ("b", " ".join(f"w{i}" for i in range(500)))] * 3
    path = write(tmp_path / "hash.csv", rows)
    shown = summed(path, tmp_path, "--hash-bits", "6")
    block = text_block(shown)
    assert len(block["words"][0]) <= 64
    assert sum(block["count"][0][0]) == 9 and sum(block["count"][0][1]) == 1500
    assert len(block["heaviest"][0]) == len(block["words"][0])
    good("fit", path, "--label", "label", "--family", "message=text", "--hash-bits", "16", "-o", tmp_path / "m.suffice")
    assert "apple" in good("show", tmp_path / "m.suffice")


# ---- scikit-learn ------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def sms(data, tmp_path_factory):
    """The SMS messages that are ASCII: training and test rows, and their files."""
    with gzip.open(data("messages.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in list(csv.reader(file))[1:] if row[1].isascii()]
    folder = tmp_path_factory.mktemp("sms")
    train, test = rows[:4000], rows[4000:]
    return (train, test, write(folder / "train.csv", train), write(folder / "test.csv", test), folder)


AS_SCIKIT_LEARN = ["--tokens", "alnum", "--min-length", "2"]


def vectorized(train, test, **options):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    vectorizer = text.CountVectorizer(**options)
    return vectorizer.fit_transform([t for _, t in train]), vectorizer.transform([t for _, t in test]), vectorizer


@pytest.mark.parametrize("flags, options", [
    ([], {}),
    (["--ngrams", "1-2"], {"ngram_range": (1, 2)}),
    (["--presence"], {"binary": True}),
    (["--lowercase", "no"], {"lowercase": False}),
])
def test_counts_are_those_of_count_vectorizer(sms, flags, options):
    train, test, path, _, folder = sms
    x, _, vectorizer = vectorized(train, test, **options)
    shown = summed(path, folder, *AS_SCIKIT_LEARN, *flags)
    words = vectorizer.get_feature_names_out()
    expected = {}
    for label in ("ham", "spam"):
        chosen = [i for i, row in enumerate(train) if row[0] == label]
        for j, count in enumerate(x[chosen].sum(axis=0).A1):
            if count:
                expected[label, words[j]] = count
    assert counts_of(shown) == expected


def test_character_sequences_are_those_of_count_vectorizer(sms):
    train, test, path, _, folder = sms
    x, _, vectorizer = vectorized(train[:300], test, analyzer="char", ngram_range=(2, 3))
    shown = summed(write(folder / "few.csv", train[:300]), folder, "--tokens", "chars:2-3")
    total = {}
    for (_, word), count in counts_of(shown).items():
        total[word] = total.get(word, 0) + count
    assert total == dict(zip(vectorizer.get_feature_names_out(), x.sum(axis=0).A1))


@pytest.mark.parametrize("flags, options, classifier, prior", [
    ([], {}, "MultinomialNB", "train"),
    (["--smoothing", "0.1"], {}, "MultinomialNB", "train"),
    (["--min-rows", "3"], {"min_df": 3}, "MultinomialNB", "train"),
    (["--event-model", "bernoulli"], {"binary": True}, "BernoulliNB", "train"),
    (["--event-model", "bernoulli", "--min-rows", "2"], {"binary": True, "min_df": 2}, "BernoulliNB", "train"),
    (["--event-model", "complement"], {}, "ComplementNB", "uniform"),
])
def test_probabilities_are_those_of_scikit_learn(sms, flags, options, classifier, prior):
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    train, test, path, test_path, folder = sms
    x, new, _ = vectorized(train, test, **options)
    alpha = 0.1 if "--smoothing" in flags else 1.0
    peer = getattr(naive_bayes, classifier)(alpha=alpha).fit(x, [label for label, _ in train])
    good("fit", path, "--label", "label", "--family", "message=text", "--covariance", "full", *AS_SCIKIT_LEARN,
         *flags, "-o", folder / "m.suffice")
    good("predict", folder / "m.suffice", test_path, "--output", "loglik,proba", "--prior", prior,
         "-o", folder / "p.csv")
    with open(folder / "p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    joint = peer.predict_joint_log_proba(new)
    log_prior = [0, 0] if classifier == "ComplementNB" else peer.class_log_prior_
    for k, row in enumerate(rows):
        for c, label in enumerate(("ham", "spam")):
            assert float(row[f"loglik:{label}"]) == pytest.approx(joint[k, c] - log_prior[c], rel=1e-10, abs=1e-9)
    predicted = peer.predict(new)
    assert [row["label"] for row in rows] == list(predicted)
    error = sum(label != guess for (label, _), guess in zip(test, predicted)) / len(test)
    evaluated = good_json("evaluate", folder / "m.suffice", test_path, "--prior", prior)
    assert evaluated["error_rate"] == pytest.approx(error, abs=1e-12)


def test_idf_is_that_of_scikit_learn(sms):
    """Inverse document frequencies without norms of rows, before and after the sums, are one thing."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    train, test, path, test_path, folder = sms
    vectorizer = text.TfidfVectorizer(norm=None)
    x, new = vectorizer.fit_transform([t for _, t in train]), vectorizer.transform([t for _, t in test])
    peer = naive_bayes.MultinomialNB().fit(x, [label for label, _ in train])
    good("fit", path, "--label", "label", "--family", "message=text", "--covariance", "full", *AS_SCIKIT_LEARN,
         "--idf", "-o", folder / "m.suffice")
    good("predict", folder / "m.suffice", test_path, "--output", "loglik", "-o", folder / "p.csv")
    with open(folder / "p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    joint = peer.predict_joint_log_proba(new) - peer.class_log_prior_
    for k, row in enumerate(rows):
        assert float(row["loglik:spam"]) == pytest.approx(joint[k, 1], rel=1e-10, abs=1e-9)


def test_max_words_are_the_most_frequent(sms):
    train, test, path, _, folder = sms
    x, _, vectorizer = vectorized(train, test)
    total = x.sum(axis=0).A1
    good("fit", path, "--label", "label", "--family", "message=text", *AS_SCIKIT_LEARN, "--covariance", "full",
         "--max-words", "500", "-o", folder / "m.suffice")
    kept = set(text_block(good_json("show", folder / "m.suffice"))["words"][0])
    words = vectorizer.get_feature_names_out()
    least = sorted(total)[-500]
    assert len(kept) == 500
    assert {word for word, count in zip(words, total) if count > least} <= kept
    assert all(total[vectorizer.vocabulary_[word]] >= least for word in kept)


def test_folds_are_those_of_refits(sms):
    """Each fold is scored by a model of the other rows, whose vocabulary is theirs alone."""
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    train, _, _, _, folder = sms
    rows = [(label, text, f"f{i % 4}") for i, (label, text) in enumerate(train[:1500])]
    path = write(folder / "folds.csv", rows, ("label", "message", "fold"))
    chosen = good_json("select", path, "--label", "label", "--family", "message=text", *AS_SCIKIT_LEARN,
                       "--fold-column", "fold", "--smoothing", "0.1,1", "--calibration", "none",
                       "-o", folder / "s.suffice")
    for candidate in chosen["candidates"]:
        wrong = 0
        for f in range(4):
            inside = [row[:2] for i, row in enumerate(rows) if i % 4 == f]
            outside = [row[:2] for i, row in enumerate(rows) if i % 4 != f]
            x, new, _ = vectorized(outside, inside)
            peer = naive_bayes.MultinomialNB(alpha=candidate["options"]["smoothing"])
            predicted = peer.fit(x, [label for label, _ in outside]).predict(new)
            wrong += sum(label != guess for (label, _), guess in zip(inside, predicted))
        assert candidate["error_rate"] == pytest.approx(wrong / len(rows), abs=1e-12)


def test_long_documents_count_less(sms):
    train, _, path, test_path, folder = sms
    flags = ["--label", "label", "--family", "message=text", "--covariance", "full", *AS_SCIKIT_LEARN]
    good("fit", path, *flags, "-o", folder / "one.suffice")
    good("fit", path, *flags, "--length-power", "0.5", "-o", folder / "half.suffice")
    scores = []
    for name in ("one", "half"):
        good("predict", folder / f"{name}.suffice", test_path, "--output", "loglik", "-o", folder / "p.csv")
        with open(folder / "p.csv", newline="") as file:
            scores.append([float(row["loglik:spam"]) for row in csv.DictReader(file)])
    known = set(text_block(good_json("show", folder / "one.suffice"))["words"][0])
    with open(test_path, newline="") as file:
        for row, one, half in zip(csv.DictReader(file), *scores):
            length = sum(word in known for word in re.findall(r"\b\w\w+\b", row["message"].lower()))
            assert half == pytest.approx(one / math.sqrt(length) if length else one, rel=1e-12)
