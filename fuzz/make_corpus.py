#!/usr/bin/env python3
"""fuzz/make_corpus.py PROGRAM: writes the first inputs of the fuzz targets into fuzz/corpus, with the
program `suffice` for files of statistics and models. Inputs with other names (what fuzzing found) stay.
"""
import gzip
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
PROGRAM = str(Path(sys.argv[1]).absolute())


def keep(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


# ---- Tables of text. csv: the first byte has flags (fuzz/csv.cpp).

NUMBERS = "a,b,y\n" + "".join(f"{i % 7}.5,{i * i % 11},{'pq'[i % 2]}\n" for i in range(12))
TABLES = {
    "numbers": NUMBERS,
    "crlf": NUMBERS.replace("\n", "\r\n"),
    "semicolons": NUMBERS.replace(",", ";"),
    "tabs": NUMBERS.replace(",", "\t"),
    "quotes": 'a,"b ""c""",y\n1,"x,y",p\n2,"z\nw",q\n3,,p\n4,z,q\n',
    "missing": "a,b,y\n1,NA,p\n,2,q\n?,nan,p\n-999,3,\n5,6,q\n",
    "categories": "a,b,y\nred,1,p\nblue,2,q\nred,3,p\ngreen,1,q\n",
    "large": "a,y\n1e308,p\n-1e308,p\n1e-320,q\n99999999999999999999999,q\n",
    "infinite": "a,y\ninf,p\n1,q\n",
    "hex": "a,y\n0x1p3,p\n+1.5,q\n.5,p\n5.,q\n",
    "bom": "\ufeffa,y\n1,p\n2,q\n3,p\n4,q\n",
    "ragged": "a,b,y\n1,2\n1,2,3,4\n",
    "empty": "",
    "names_only": "a,b,y\n",
    "same_name": "a,a,y\n1,2,p\n3,4,q\n",
    "no_end": "a,y\n1,p\n2,q",
    "open_quote": 'a,y\n1,"p\n2,q\n',
    "blank_lines": "\n\na,y\n\n1,p\n2,q\n\n",
    "bytes": b"a,y\n1,\xff\xfe\n2,\xed\xa0\x80\n3,\x00\n",
    "blanks": "a , y\n 1 , p \n 2 ,q\n",
    "one_column": "y\np\nq\n",
    "wide": ",".join(f"x{i}" for i in range(40)) + ",y\n" + (",".join("1" * 40) + ",p\n") * 3,
}
for name, text in TABLES.items():
    body = text if isinstance(text, bytes) else text.encode()
    keep("csv", name, b"\0" + body)
    keep("packed", "plain_" + name, b"\1" + body)
for flags in range(1, 64):
    keep("csv", f"flags_{flags}", bytes([flags]) + TABLES["missing" if flags & 8 else "numbers"].encode())
packed = gzip.compress(NUMBERS.encode(), mtime=0)
keep("packed", "gz", b"\0" + packed)
keep("packed", "gz_twice", b"\0" + packed + packed)
keep("packed", "gz_padded", b"\0" + packed + bytes(8))
keep("packed", "gz_cut", b"\0" + packed[:-9])
keep("packed", "zst_raw", b"\0" + b"\x28\xb5\x2f\xfd\x20" + bytes([len(NUMBERS)])
     + struct.pack("<I", (len(NUMBERS) << 3) | 1)[:3] + NUMBERS.encode())
keep("packed", "zst_long", b"\0" + b"\x28\xb5\x2f\xfd\x00\x98" + b"\x03\0\0" + b"a")
keep("packed", "as_zst", b"\3" + NUMBERS.encode())

SPARSE = {
    "plain": "1 1:0.5 3:2\n-1 2:1 3:1\n1 1:1\n-1 3:4\n",
    "qid": "1 qid:3 1:1 # words\n0 qid:4 2:1\n1 1:2\n0 2:2\n",
    "zero": "1 0:1 2:1\n0 1:1\n",
    "wide": "1 4096:1\n0 1:1\n",
    "order": "1 3:1 1:1\n",
    "twice": "1 3:1 3:1\n",
    "labels": "a 1:1\nb,c 2:1\n 1:3\n",
    "huge": "1 99999999999999999999:1\n",
    "no_features": "1\n0\n",
    "numbers": "1 1:nan 2:inf\n0 1:1e999\n",
    "spaces": "\t1   1:1\t2:2 \r\n\r\n0 1:3 2:1\r\n",
    "negative": "1 -1:1\n",
}
for name, text in SPARSE.items():
    for flags in range(4):
        keep("libsvm", f"{name}_{flags}", bytes([flags]) + text.encode())

OBJECTS = {
    "plain": '{"a": 1.5, "b": "x", "y": "p"}\n{"a": 2, "b": null, "y": "q"}\n{"y": "p", "a": -1e3}\n{"a": 4, "y": "q"}\n',
    "words": '{"a": true, "y": 1}\n{"a": false, "y": 2.0}\n{"a": NaN, "y": 1}\n{"a": -Infinity, "y": 2}\n',
    "escapes": '{"\\u00e9": "\\ud83d\\ude00\\n", "y": "a\\\\"}\n{"y": "\\"b", "\\u00e9": "\\t"}\n',
    "nested": '{"a": [1, {"b": "]"}], "c": 1, "y": "p"}\n{"a": {"b": []}, "c": 2, "y": "q"}\n',
    "open": '{"a": 1, "y": "p"}\n{"a": 2, "y": "q"\n',
    "twice": '{"a": 1, "a": 2, "y": "p"}\n',
    "blank": '\r\n  {"a":1,"y":0}  \r\n\n{ "y" : 1 , "a" : 2 }',
}
for name, text in OBJECTS.items():
    for flags in range(4):
        keep("ndjson", f"{name}_{flags}", bytes([flags]) + text.encode())


# ---- Arrays

def npy(descr, shape, body, order=False, version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    size = 2 if version == 1 else 4
    header += b" " * (-(len(header) + 7 + size + 2) % 16) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(header).to_bytes(size, "little") + header + body


for code, letter in {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "u1": "B", "u8": "Q"}.items():
    values = [1, 2, 0, 3, 5, 1, 7, 8, 0, 2, 4, 1]
    for order in (False, True):
        keep("npy", f"{code}_{order}", npy("<" + code, "(4, 3)", struct.pack("<12" + letter, *values), order))
keep("npy", "big_endian", npy(">f8", "(4, 3)", struct.pack(">12d", *values)))
keep("npy", "vector", npy("<f8", "(4,)", struct.pack("<4d", *values[:4])))
keep("npy", "cube", npy("<f8", "(3, 2, 2)", struct.pack("<12d", *values)))
keep("npy", "scalar", npy("<f8", "()", struct.pack("<d", 1)))
keep("npy", "half", npy("<f2", "(4, 3)", struct.pack("<12e", *values)))
keep("npy", "bool", npy("|b1", "(4, 3)", bytes([1, 0, 1] * 4)))
keep("npy", "text", npy("<U1", "(4, 3)", "abcabdabcabd".encode("utf-32-le")))
keep("npy", "bytes", npy("|S2", "(4, 2)", b"ab1\0ab2\0cd1\0cd2\0"))
keep("npy", "objects", npy("|O", "(4, 3)", b"\x80\x03."))
keep("npy", "version_2", npy("<f8", "(4, 3)", struct.pack("<12d", *values), version=2))
keep("npy", "claims", npy("<f8", "(1, 16777216)", b""))
keep("npy", "none", npy("<f8", "(0, 3)", b""))
keep("npy", "short", npy("<f8", "(4, 3)", struct.pack("<11d", *values[:11])))
for code, letter in {8: "B", 9: "b", 0xb: "h", 0xc: "i", 0xd: "f", 0xe: "d"}.items():
    keep("idx", f"type_{code}", bytes([0, 0, code, 2]) + struct.pack(">II12" + letter, 4, 3, *values))
keep("idx", "images", bytes([0, 0, 8, 3]) + struct.pack(">III", 3, 2, 2) + bytes(values))
keep("idx", "labels", bytes([0, 0, 8, 1]) + struct.pack(">I", 4) + bytes(values[:4]))
keep("idx", "claims", bytes([0, 0, 8, 2]) + struct.pack(">II", 1, 2**24))
keep("idx", "none", bytes([0, 0, 8, 2]) + struct.pack(">II", 0, 3))

# ---- Words

LINES = [
    "fit a.csv --label y -o m.suffice", "fit a.csv --label y --covariance tied --shrinkage 0.1",
    "fit a.csv --label y --covariance diag,full", "fit a.csv --label=y --family age=poisson,w*=multinomial",
    "fit a.csv --label y --transform price=log,share*=logit", "fit a.csv --label y --pca 95% --lda 2",
    "fit a.csv --label y --pooling 0.5,0.5", "fit a.csv --label y --tails 4 --seed 7 --threads 2",
    "fit a.csv --label y --estimate bayes --smoothing auto", "fit a.csv --label y --categories auto",
    "stats a.csv b.csv --label y --weight w -o s.stats", "stats - --no-header --label x0 --separator tab",
    "merge a.stats b.stats -o c.stats", "subtract a.stats b.stats -o c.stats", "show m.suffice --json",
    "predict m.suffice a.csv --prior a=0.9,b=0.1", "predict m.suffice a.csv --cost a>b=5,b>a=1 --reject 0.2",
    "predict m.suffice a.csv --output proba,loglik --outlier 0.01", "evaluate m.suffice a.csv --prior uniform",
    "select a.csv --label y --covariance full,tied,diag --folds 5", "select a.csv --label y --folds loo",
    "sample m.suffice --rows 10 --label a", "export m.suffice --to sql --dialect duckdb --table t",
    "plot m.suffice --kind regions -o p.svg", "calibrate m.suffice a.csv -o c.suffice",
    "fit --help", "--version", "--help", "help fit", "fti a.csv", "fit --lable y", "predict",
    "stats a.csv --label y --na -999 --na none --format csv --index-base 0", "fit -- -a.csv --label y",
    "stats --sql duckdb --table t --label y --features a,b", "stats --from-sql a.csv -o s.stats",
]
for number, line in enumerate(LINES):
    keep("words", f"line_{number:02}", line.replace(" ", "\n"))

COSTS = {
    "list": "a=0.5,b=0.25,ab c=0.25\na>b=5,b>a=1\ntrue,decided,cost\na,b,5\nb,a,1\n",
    "matrix": "uniform\n\n,a,b,ab c\na,0,1,2\nb,3,0,1\nab c,1,1,0\n",
    "train": "train\na>a=-1\ntrue,decided,cost\na,d,1\n",
    "wrong": "a=2,b=-1\na>b\nx\n",
    "sum": "a=0.5,b=0.5,ab c=0.5\n'ab c'>b=1e308\ntrue;decided;cost\nab c;b;inf\n",
    "quoted": "'ab c'=1,a=0,b=0\n\"a\">\"b\"=2\n\"\",\"a\",\"b\",\"ab c\"\na,0,0,0\nb,0,0,0\n\"ab c\",0,0,0\n",
}
for name, text in COSTS.items():
    keep("costs", name, text)

# ---- Answers of queries: class, part, kind, i, j, name, value

DESCRIBED = [";;suffice;;;;1", ";;scatter;;;'dense';", ";;label;;;'y';", ";;feature;0;0;'a';0", ";;family;0;;'gaussian';",
             ";;feature;1;0;'b';1", ";;family;1;;'gaussian';", ";;transform;1;;'log';", ";;feature;2;1;'c';0",
             ";;family;2;;'categorical';", ";;level;2;;'w';", ";;description;;;;10", ";;type;;;'DOUBLE';",
             ";;type;2;;'VARCHAR';"]
COMPLETE = ["'1.0';1;rows;;;;3", "'1.0';1;weight;;;;3", "'1.0';1;squared_weight;;;;3", "'1.0';1;bad_rows;;;;0",
            "'1.0';1;first_bad;;;;", "'1.0';1;weight;0;;;3", "'1.0';1;center;0;;;2", "'1.0';1;weight;1;;;3",
            "'1.0';1;center;1;;;0.5", "'1.0';1;weight;2;;;2", "'1.0';1;deviation;0;;;0.5", "'1.0';1;deviation;1;;;0",
            "'1.0';1;product;0;0;;4", "'1.0';1;product;1;0;;1", "'1.0';1;product;1;1;;2", "'1.0';;count;2;;'u';1",
            "'1.0';;count;2;;'v';1"]
INCOMPLETE = [line.replace(";1;", ";0;", 1) for line in COMPLETE if ";count;" not in line]
ANSWERS = {"complete": [*DESCRIBED, ";;groups;;;;1", *COMPLETE], "lacks_a_class": [*DESCRIBED, ";;groups;;;;1"],
           "incomplete": [*DESCRIBED, ";;groups;;;;2", *COMPLETE, *INCOMPLETE, "'1.0';;count;2;;'w';2"],
           "unlabelled": [*DESCRIBED, ";;groups;;;;1", *COMPLETE, ";1;rows;;;;7"],
           "bad": [*DESCRIBED, ";;groups;;;;1", *COMPLETE[:3], "'1.0';1;bad_rows;;;;2", "'1.0';1;first_bad;;;;1"]}
for name, lines in ANSWERS.items():
    keep("answer", name, "\n".join(lines).replace(";", "\t"))

# ---- Seeds of random tables; types of Arrow arrays

for number in range(48):
    keep("pipeline", f"seed_{number:02}", bytes([number, 90 - number, number, number // 4, number, number,
                                                 number, number, 1 + number, 60, 60]) + struct.pack("<Q", number))
for number in range(42):
    keep("arrow", f"type_{number:02}", bytes([0, 3, 12] + [number % 21, 1, 0, 255, 255, 255, 1, 1]
                                             + [(number * k) % 251 for k in range(200)]))


# ---- Files of statistics and models: the header on one line, then the tensors (fuzz/sealed.hpp)

def unsealed(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = data[8:8 + size].rstrip(b" ")
    assert b"\n" not in header
    json.loads(header)
    return header + b"\n" + data[8 + size:]


MIXED = "n,c,k,b,t,y\n" + "".join(
    f"{i % 7}.5,{'uvw'[i % 3]},{i % 4},{i % 2},{i % 5 + 0.5},{'pq'[i * i % 3 % 2]}\n" for i in range(24))
FAMILIES = "k=poisson,b=bernoulli,t=exponential"
GAPS = NUMBERS.replace("3.5,", ",", 1)
STATISTICS = {
    "numbers": (NUMBERS, []),
    "diagonal": (NUMBERS, ["--covariance", "diag"]),
    "missing": (GAPS, []),
    "mixed": (MIXED, ["--family", FAMILIES]),
    "words": (MIXED, ["--family", "k=multinomial,b=multinomial", "--ignore", "n,c,t"]),
    "logarithms": (NUMBERS, ["--transform", "a=log1p"]),
    "rows": (NUMBERS, ["--reservoir", "4"]),
}
MODELS = {
    "numbers": (NUMBERS, []),
    "full": (NUMBERS, ["--covariance", "full"]),
    "tied": (NUMBERS, ["--covariance", "tied"]),
    "diag": (NUMBERS, ["--covariance", "diag"]),
    "spherical": (NUMBERS, ["--covariance", "spherical"]),
    "student": (NUMBERS, ["--covariance", "full", "--tails", "4"]),
    "bayes": (MIXED, ["--covariance", "full", "--estimate", "bayes", "--family", FAMILIES]),
    "mixed": (MIXED, ["--covariance", "tied", "--family", FAMILIES]),
    "within": (MIXED, ["--covariance", "tied", "--categories", "within", "--ignore", "k,b,t"]),
    "components": (NUMBERS, ["--covariance", "tied", "--pca", "1"]),
    "discriminant": (NUMBERS, ["--covariance", "tied", "--lda", "1"]),
    "words": (MIXED, ["--covariance", "diag", "--family", "k=multinomial,b=multinomial", "--ignore", "n,c,t"]),
    "signed": (NUMBERS, ["--covariance", "tied", "--transform", "a=sqrt,b=log1p"]),
}
with tempfile.TemporaryDirectory() as folder:
    for verb, cases, target in (("stats", STATISTICS, "statistics"), ("fit", MODELS, "model")):
        for name, (table, words) in cases.items():
            (Path(folder) / "t.csv").write_text(table)
            done = subprocess.run([PROGRAM, verb, "t.csv", "--label", "y", "-o", "out", *words], cwd=folder,
                                  capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{verb} {name}: {done.stderr}")
            keep(target, name, unsealed(Path(folder) / "out"))
sizes = [p.stat().st_size for p in CORPUS.rglob("*") if p.is_file()]
print(f"{len(sizes)} inputs, {sum(sizes)} bytes, the largest has {max(sizes)}")
