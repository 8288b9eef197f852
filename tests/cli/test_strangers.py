"""Files from strangers and unusual environments: never a crash, a hang, or a trick played on
the reader of the terminal.
"""
import gzip
import hashlib
import json
import os
import pty
import resource
import struct
import subprocess
import time

import numpy as np
import pytest

from program import BINARY, CALM, good, good_json, refused, run, start

ROWS = "a,b,y\n" + "".join(f"{i % 7}.5,{i * i % 11},{'pq'[i % 2]}\n" for i in range(40))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.csv").write_text(ROWS)
    good("fit", "good.csv", "--label", "y", "-o", "good.suffice", folder=tmp_path)
    good("stats", "good.csv", "--label", "y", "-o", "good.stats", folder=tmp_path)
    return tmp_path


def forge(path, change):
    """Changes tensors of a file of ours, by name, and makes its checksums right again."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8:8 + size]), bytearray(data[8 + size:])
    for name, edit in change.items():
        first, last = header[name]["data_offsets"]
        numbers = np.frombuffer(body[first:last], "<f8").reshape(header[name]["shape"]).copy()
        edit(numbers)
        body[first:last] = numbers.astype("<f8").tobytes()
    meta = header["__metadata__"]
    old, meta["sha256"] = meta["sha256"], hashlib.sha256(body).hexdigest()
    text = data[8:8 + size].replace(old.encode(), meta["sha256"].encode())
    own = meta["header_sha256"].encode()
    right = hashlib.sha256(text.replace(own, b"0" * 64)).hexdigest().encode()
    path.write_bytes(data[:8] + text.replace(own, right) + bytes(body))


# ---- Statistics that cannot be

def test_a_forged_scatter(folder):
    def indefinite(scatter):
        scatter[0, 1] = 1e3  # of the triangle (0, 0), (1, 0), (1, 1), …
    forge(folder / "good.stats", {"block.0.complete.scatter": indefinite})
    refused(run("fit", "good.stats", "-o", "out", folder=folder), 1, "good.stats", "'p'", "semidefinite")


@pytest.mark.parametrize("seed", range(3))
def test_a_subtraction_that_loses_all_digits(tmp_path, seed):
    """Six features that are nearly one, very far out; then a few rows of another size. What comes out
    depends on the rounding of the machine: it is a covariance, or a clear error."""
    random = np.random.default_rng(seed)
    for name, count, scale, apart in (("big", 300, 1e6, 3), ("small", 16, 1, 1e-6)):
        shared = scale * random.normal(1, 0.5, (count, 1))
        rows = shared + apart * random.normal(size=(count, 6))
        np.savetxt(tmp_path / f"{name}.csv", np.column_stack([rows, np.arange(count) % 2]), delimiter=",",
                   header="x0,x1,x2,x3,x4,x5,lab", comments="", fmt=["%.17g"] * 6 + ["%d"])
    good("stats", "big.csv", "--label", "lab", "-o", "big.stats", folder=tmp_path)
    good("stats", "big.csv", "small.csv", "--label", "lab", "-o", "all.stats", folder=tmp_path)
    done = run("subtract", "all.stats", "big.stats", "-o", "rest.stats", folder=tmp_path)
    assert done.returncode == 0 and b"lost more than half of its digits" in done.stderr
    done = run("fit", "rest.stats", "-o", "model.suffice", folder=tmp_path)
    if done.returncode == 0:
        for covariance in good_json("show", "model.suffice", folder=tmp_path)["blocks"][0]["covariance"]:
            assert np.linalg.eigvalsh(covariance).min() > 0
    else:
        refused(done, 1, "no inverse")


# ---- Descriptors, limits, links

@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_descriptors(folder, closed):
    """As daemons start programs: nothing of ours may take the place of a standard descriptor."""
    def ended(words):
        command = f'exec "$0" {words} {closed}'
        return subprocess.run(["bash", "-c", command, str(BINARY)], cwd=folder, env=CALM, timeout=20,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert ended("fit good.csv --label y -o out.suffice").returncode == 0
    assert (folder / "out.suffice").read_bytes() == (folder / "good.suffice").read_bytes()
    assert ended("predict good.suffice good.csv -o out.csv").returncode == 0
    assert len((folder / "out.csv").read_text().splitlines()) == 41
    if "<&-" in closed:  # nothing to read, instead of waiting for ever
        done = ended("predict good.suffice - -o none.csv")
        assert done.returncode == 1 and not (folder / "none.csv").exists()


def test_a_limit_on_the_size_of_files(folder):
    done = subprocess.run([str(BINARY), "fit", "good.csv", "--label", "y", "-o", "out.suffice"], cwd=folder,
                          env=CALM, capture_output=True, timeout=20,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
    refused(done, 1, "out.suffice", "too large")
    assert not (folder / "out.suffice").exists()


def test_an_output_that_is_a_symbolic_link(folder):
    (folder / "models").mkdir()
    (folder / "link").symlink_to("models/one.suffice")
    for _ in range(2):  # a file that is not there yet, and one that is
        good("fit", "good.csv", "--label", "y", "-o", "link", folder=folder)
        assert (folder / "link").is_symlink()
        assert (folder / "models/one.suffice").read_bytes() == (folder / "good.suffice").read_bytes()
    (folder / "loop").symlink_to("loop")
    message = refused(run("fit", "loop", "--label", "y", "-o", "out", folder=folder), 1, "'loop'", "link")
    assert "did you mean" not in message


def test_a_file_that_shrinks_while_it_is_read(folder):
    """Fewer rows without a word would be a wrong answer."""
    large = folder / "large.csv"
    header, rows = ROWS.split("\n", 1)
    large.write_text(header + "\n" + rows * 40000)
    shorter = len(header) + 1 + len(rows) * ((1 << 20) // len(rows))  # whole rows
    process = start("stats", "large.csv", "--label", "y", "--threads", "1", "-o", "out.stats", folder=folder,
                    stdout=subprocess.PIPE)
    position = f"/proc/{process.pid}/fdinfo"
    while process.poll() is None:  # once it has begun to read the file
        try:
            begun = any(int(open(f"{position}/{n}").readline().split()[1]) > 1 << 20
                        and os.readlink(f"/proc/{process.pid}/fd/{n}") == str(large)
                        for n in os.listdir(position))
        except OSError:
            continue
        if begun:
            os.truncate(large, shorter)
            break
    message = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 1 and "large.csv" in message and "shorter" in message
    assert not (folder / "out.stats").exists()


# ---- Text that a terminal would obey

TRICK = "\x1b[2J\x9b31m\u202egnp\x07"
OBEYED = [c for c in "\x1b\x9b\u202e\x07"]


def assert_harmless(text):
    for character in OBEYED:
        assert character not in text, repr(text)


def test_escape_codes_are_shown_not_obeyed(tmp_path):
    name = f"{TRICK}.csv"
    (tmp_path / name).write_text(f"a,b{TRICK},y\n" + "".join(
        f"{i % 7}.5,{i * i % 11},{TRICK if i % 2 else 'q'}\n" for i in range(40)))
    for words in (["fit", name, "--label", "y", "-o", "m.suffice"],
                  ["stats", name, "--label", "y", "-o", "s.stats"], ["show", "m.suffice"], ["show", "s.stats"],
                  ["show", "m.suffice", "--discriminant"], ["evaluate", "m.suffice", name],
                  ["select", name, "--label", "y", "--folds", "2"],
                  ["fit", name, "--label", f"z{TRICK}", "-o", "out"],  # errors
                  ["fit", TRICK, "--label", "y", "-o", "out"], ["fit", f"--{TRICK}"],
                  ["predict", "m.suffice", name, "--prior", f"{TRICK}=1"]):
        done = run(*words, folder=tmp_path)
        assert_harmless(done.stdout.decode() + done.stderr.decode())
    # JSON and files keep the names.
    assert good_json("show", "m.suffice", folder=tmp_path)["labels"] == ["\x1b" + TRICK[1:], "q"]
    predictions = good("predict", "m.suffice", name, folder=tmp_path)
    assert TRICK in predictions


def test_predictions_on_a_terminal_are_harmless(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i % 7 + 9 * (i % 2)},{'q' if i % 2 else TRICK}\n"
                                                       for i in range(40)))
    good("fit", "t.csv", "--label", "y", "-o", "m.suffice", folder=tmp_path)
    main, side = pty.openpty()
    process = start("predict", "m.suffice", "t.csv", folder=tmp_path, stdout=side)
    os.close(side)
    text = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        text += piece
    os.close(main)
    process.communicate(timeout=20)
    assert process.returncode == 0 and text.count(b"u202e") == 20
    assert_harmless(text.decode())


# ---- A few bytes that claim gigabytes

IDX = struct.pack(">BBBB", 0, 0, 8, 2)
CLAIMS = {
    "rows.idx": IDX + struct.pack(">II", 2**31, 2**20),
    "columns.idx": IDX + struct.pack(">II", 1, 2**24),
    "none.idx": IDX + struct.pack(">II", 0, 2**24),
    "columns.npy": b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 16777216)}"
                   .ljust(117) + b"\n",
    "text.npy": b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|S268435456', 'fortran_order': False, 'shape': (9, 99)}"
                .ljust(117) + b"\n",
    "wide.libsvm": b"1 67108864:1\n0 1:1\n",
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_few_bytes_that_claim_gigabytes(tmp_path, name):
    (tmp_path / name).write_bytes(CLAIMS[name])
    label = [] if name.endswith("libsvm") else ["--label", "x0"]
    done = subprocess.run([str(BINARY), "stats", name, *label, "--covariance", "diag", "-o", "out"],
                          cwd=tmp_path, env=CALM, capture_output=True, timeout=20,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
    refused(done, 1, name)
    assert b"memory" not in done.stderr


def test_a_line_without_end(tmp_path):
    (tmp_path / "long.libsvm.gz").write_bytes(gzip.compress(b"1 1:1\n0 " + b"1:0 " * (65 << 20), 1))
    done = run("stats", "long.libsvm.gz", "-o", "out", folder=tmp_path)
    refused(done, 1, "long.libsvm.gz:2", "longer than 256 MB")


# ---- Many columns

def test_a_stop_is_noticed_with_a_million_columns(tmp_path):
    """A few bytes that have a million columns, which is allowed."""
    (tmp_path / "t.libsvm").write_text("1 1:1 999999:2\n2 3:1 5:2\n1 3:1 6:2\n2 1:3 5:2\n1 2:1 7:4\n2 3:2 8:1\n")
    for delay in (0.5, 1.5, 3):
        process = start("fit", "t.libsvm", "-o", "out", folder=tmp_path, stdout=subprocess.PIPE)
        time.sleep(delay)
        process.terminate()
        process.communicate(timeout=20)
        assert process.returncode in (0, 130)


# ---- Patterns of files

def test_a_stop_is_noticed_in_a_glob(tmp_path):
    """Two links to the folder itself make 2^40 paths."""
    for name in "ab":
        (tmp_path / name).symlink_to(".")
    process = start("stats", "/".join("*" * 40) + ".csv", "--label", "y", "-o", "out", folder=tmp_path,
                    stdout=subprocess.PIPE)
    time.sleep(0.3)
    process.terminate()
    message = process.communicate(timeout=30)[1].decode()
    assert process.returncode == 130 and "stopped" in message
