"""Tables, texts and images that are drawn from known distributions, or made of scikit-learn's digits,
with fixed seeds: what the tests use where no data set of the repository is large or mixed enough.

Each function returns the columns of a table by name (None: an empty cell), or arrays of images.
"""
import numpy as np

CLASSES, NUMBERS = 26, 16  # of glyphs
GLYPHS = [chr(65 + c) for c in range(CLASSES)]


def glyphs(rows=12000, seed=26):
    """26 classes, each with a covariance of its own and tails heavier than normal ones (Student's t, 8
    degrees of freedom), rounded to whole numbers from 0 to 15."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, CLASSES, rows)
    means = draw.normal(7.5, 1.2, (CLASSES, NUMBERS))
    common = draw.normal(size=(NUMBERS, NUMBERS)) / 3
    mixing = [common + np.diag(draw.uniform(1.2, 2.2, NUMBERS)) + draw.normal(size=(NUMBERS, NUMBERS)) / 8
              for _ in range(CLASSES)]
    noise = draw.normal(size=(rows, NUMBERS)) * np.sqrt(8 / draw.chisquare(8, (rows, 1)))
    x = np.stack([means[c] + mixing[c] @ e for c, e in zip(y, noise)])
    x = np.clip(np.round(x), 0, 15).astype(int)
    x[-5, -1] = 16  # which no row before has
    return {"letter": [GLYPHS[c] for c in y]} | {f"x{j}": x[:, j].tolist() for j in range(NUMBERS)}


LEVELS = {"workclass": 8, "education": 16, "marital_status": 7, "occupation": 14, "relationship": 6, "race": 5,
          "sex": 2, "native_country": 41}


def census(part):
    """People of two incomes: six numbers, some of them skewed or mostly 0, and eight categories, one of
    41 levels, with empty cells. In each class the columns are independent, but for the household's three."""
    rows, seed = {"train": (12000, 1), "test": (10500, 2)}[part]
    truth, draw = np.random.default_rng(14), np.random.default_rng(seed)
    high = draw.random(rows) < 0.24
    share = {}
    for name, count in LEVELS.items():
        common = truth.dirichlet(np.full(count, 0.8)) + 0.01
        for rich in (False, True):
            tilted = common * np.exp((0.5 if rich else 0) * truth.normal(size=count))
            share[name, rich] = tilted / tilted.sum()

    def level(name):
        found = [draw.choice(LEVELS[name], rows, p=share[name, rich]) for rich in (False, True)]
        return np.where(high, found[1], found[0])

    codes = {name: level(name) for name in LEVELS}
    married = draw.random(rows) < np.where(high, 0.85, 0.35)
    codes["marital_status"] = np.where(married, 0, 1 + codes["marital_status"] % 6)
    codes["relationship"] = np.where(married, codes["sex"], 2 + codes["relationship"] % 4)
    word = lambda name: [f"{name.replace('_', '-')}-{k:02}" for k in codes[name]]
    text = {name: word(name) for name in LEVELS}
    unknown, foreign = draw.random(rows) < 0.05, draw.random(rows) < 0.02
    for name, lost in (("workclass", unknown), ("occupation", unknown), ("native_country", foreign)):
        text[name] = [None if gone else value for value, gone in zip(text[name], lost)]
    gain = np.where(draw.random(rows) < np.where(high, 0.2, 0.04), draw.lognormal(np.where(high, 9, 8), 0.8), 0)
    loss = np.where(draw.random(rows) < np.where(high, 0.09, 0.03), draw.normal(1900, 250, rows), 0)
    whole = lambda x: np.maximum(np.round(x), 0).astype(int).tolist()
    schooling = np.clip(np.round(draw.normal(np.where(high, 11.6, 9.6), 2.4)), 1, 16).astype(int)
    text["education"] = [f"education-{k:02}" for k in schooling]
    return {"age": whole(np.clip(draw.normal(np.where(high, 44, 37), np.where(high, 10, 14)), 17, 90)),
            "workclass": text["workclass"], "fnlwgt": whole(draw.lognormal(12, 0.5, rows)),
            "education": text["education"], "education_num": schooling.tolist(),
            **{name: text[name] for name in ("marital_status", "occupation", "relationship", "race", "sex")},
            "capital_gain": whole(gain), "capital_loss": whole(loss),
            "hours_per_week": whole(np.clip(draw.normal(np.where(high, 45, 39), 11), 1, 99)),
            "native_country": text["native_country"], "income": np.where(high, ">50K", "<=50K").tolist()}


def passengers(rows=900, seed=3):
    """Numbers, counts, categories and texts of two classes; the age is often missing."""
    draw = np.random.default_rng(seed)
    female, deck = draw.random(rows) < 0.36, draw.choice([1, 2, 3], rows, p=[0.24, 0.21, 0.55])
    lived = draw.random(rows) < 1 / (1 + np.exp(-(2.5 * female - 0.9 * deck + 0.5)))
    fare = np.round(draw.lognormal(5 - deck, 0.6), 4)
    missing = lambda values, share: [None if draw.random() < share else v for v in values]
    port = draw.choice(["S", "C", "Q"], rows, p=[0.72, 0.19, 0.09]).tolist()
    port[61] = port[829] = None
    names = [f"{'ABCDEFGHKLMN'[a]}{'aeiou'[b]}{'rlnst'[c]}sen, {'Mrs.' if f else 'Mr.'} Given \"Nick\" {i}"
             for i, (a, b, c, f) in enumerate(zip(*draw.integers(0, [[12], [5], [5]], (3, rows)), female))]
    return {"PassengerId": list(range(1, rows + 1)), "Survived": lived.astype(int).tolist(), "Pclass": deck.tolist(),
            "Name": names, "Sex": np.where(female, "female", "male").tolist(),
            "Age": missing(np.round(np.clip(draw.gamma(4, 7, rows), 0.5, 80), 1).tolist(), 0.2),
            "SibSp": draw.poisson(0.5, rows).tolist(), "Parch": draw.poisson(np.where(female, 0.6, 0.3)).tolist(),
            "Ticket": [f"{'PC ' if k % 3 else ''}{k}" for k in draw.integers(1000, 400000, rows)],
            "Fare": fare.tolist(), "Cabin": missing([f"{'ABCDE'[k % 5]}{k}" for k in range(rows)], 0.77),
            "Embarked": port}


def mail(rows=4000, seed=57):
    """Shares of words and characters, mostly 0, and lengths: skewed, heavy tails, and words that come
    together, because a mail has a subject."""
    draw = np.random.default_rng(seed)
    spam = draw.random(rows) < 0.4
    subjects = np.where(spam, draw.integers(0, 3, rows), draw.integers(2, 6, rows))
    columns = {}
    for j in range(54):
        about = (subjects == j % 6) | (draw.random(rows) < 0.07)
        seen = about & (draw.random(rows) < 0.6)
        name = f"word_freq_w{j:02}" if j < 48 else f"char_freq_c{j - 48}"
        columns[name] = np.round(np.where(seen, draw.lognormal(-0.7, 1, rows), 0), 2).tolist()
    rare = np.zeros(rows)  # in one mail only, so that a fold without it has a constant column
    rare[int(np.flatnonzero(spam)[1])] = 0.5
    rare[np.flatnonzero(~spam)[:40]] = 0.3
    columns["word_freq_w47"] = rare.tolist()
    longest = draw.lognormal(np.where(spam, 3.5, 2.2), 1.2)
    columns["capital_run_length_average"] = np.round(1 + longest / 8, 3).tolist()
    columns["capital_run_length_longest"] = np.ceil(longest).astype(int).tolist()
    columns["capital_run_length_total"] = np.ceil(longest * draw.lognormal(1.5, 0.7, rows)).astype(int).tolist()
    return columns | {"is_spam": spam.astype(int).tolist()}


def messages(rows=5500, seed=11):
    """Texts of two classes: words drawn from a language of 4,000 with the usual frequencies, some capitals,
    digits, punctuation and letters that are not ASCII."""
    draw = np.random.default_rng(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = sorted({"".join(draw.choice(list(letters), draw.integers(1, 9))) for _ in range(6000)})
    draw.shuffle(words)
    words = [word + str(k % 100) if k % 23 == 0 else word for k, word in enumerate(words[:4000])]
    usual = 1 / np.arange(1, 4001)
    language = {"ham": usual, "spam": usual * np.exp(draw.normal(size=4000))}
    language = {label: shares / shares.sum() for label, shares in language.items()}
    table = {"label": [], "text": []}
    for _ in range(rows):
        label = "spam" if draw.random() < 0.14 else "ham"
        said = [words[k] for k in draw.choice(4000, draw.integers(1, 30), p=language[label])]
        said[0] = said[0].capitalize()
        if draw.random() < 0.3:
            said[-1] = said[-1].upper() + draw.choice(["!", "?", "...", ' "ok"', ", 2u"])
        if draw.random() < 0.06:
            said.append(draw.choice(["£100", "café", "naïve", "日本"]))
        table["label"].append(label)
        table["text"].append(" ".join(said))
    return table


def images(part, digits, labels):
    """Grey images of 28 × 28 bytes: scikit-learn's digits, three times as large, moved by up to one pixel,
    with noise in their ink."""
    rows, seed, sources = {"train": (4000, 8, slice(0, 1200)), "test": (10000, 9, slice(1200, None))}[part]
    digits, labels = digits[sources], labels[sources]
    draw = np.random.default_rng(seed)
    pick = draw.integers(0, len(labels), rows)
    ink = np.repeat(np.repeat(digits[pick].reshape(-1, 8, 8) * 15.9, 3, axis=1), 3, axis=2)
    ink = (ink + np.roll(ink, 1, 1) + np.roll(ink, 1, 2) + np.roll(ink, (1, 1), (1, 2))) / 4
    ink *= draw.uniform(0.8, 1, ink.shape)
    found = np.zeros((rows, 28, 28), np.uint8)
    for image, into, (down, right) in zip(ink, found, draw.integers(1, 4, (rows, 2))):
        into[down:down + 24, right:right + 24] = image
    found[0, 0, :2] = 200  # two pixels at the rim with ink in this image only: one says what the other does
    return found, labels[pick].astype(np.uint8)
