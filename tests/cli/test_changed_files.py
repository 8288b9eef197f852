"""Parquet and Arrow files with changed bytes: an answer or a sentence, never a crash. SUFFICE_CHANGED_FILES is the
number of changed files of each kind, SUFFICE_CHANGED_SEED that of the first one."""
import os
import shutil
import subprocess

import numpy as np
import pytest

from program import CALM, BINARY

SEED = int(os.environ.get("SUFFICE_CHANGED_SEED", "0"))
COUNT = int(os.environ.get("SUFFICE_CHANGED_FILES", "25"))


def tables(folder):
    """Small files as pyarrow writes them: pages, dictionaries, compressions, record batches, gaps."""
    pyarrow = pytest.importorskip("pyarrow", reason="Arrow writes the files of this test")
    import pyarrow.feather
    import pyarrow.parquet
    r = np.random.default_rng(1)
    table = pyarrow.table({
        "x": pyarrow.array(r.normal(size=40), mask=r.random(40) < 0.2),
        "n": pyarrow.array(r.poisson(3, 40)),
        "c": pyarrow.array(r.choice(["red", "green", "blue"], 40)).dictionary_encode(),
        "b": pyarrow.array(r.random(40) < 0.5),
        "y": pyarrow.array(np.repeat(["a", "b"], 20)),
    })
    write = pyarrow.parquet.write_table
    write(table, folder / "plain.parquet", use_dictionary=False, compression="none")
    write(table, folder / "pages.parquet", row_group_size=16, data_page_size=64, compression="snappy")
    write(table, folder / "zstd.parquet", compression="zstd", data_page_version="2.0", write_page_index=True)
    pyarrow.feather.write_feather(table, folder / "plain.arrow", compression="uncompressed", chunksize=16)
    pyarrow.feather.write_feather(table, folder / "lz4.arrow", compression="lz4")
    with pyarrow.ipc.new_stream(folder / "stream.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=16)
    return sorted(folder.glob("*.*"))


def changed(r, data, others):
    data = bytearray(data)
    for _ in range(int(r.integers(1, 5))):
        at = int(r.integers(len(data)))
        if r.random() < 0.4:  # what says how the rest is to be read is at the ends
            at = int(r.integers(len(data) - min(len(data), 400), len(data)))
        kind = int(r.integers(7))
        if kind == 0:
            data[at] ^= 1 << int(r.integers(8))
        elif kind == 1:
            data[at] = int(r.integers(256))
        elif kind == 2:
            data[at:at + 4] = [b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\0\0\0\x80"][int(r.integers(4))]
        elif kind == 3:
            del data[at:at + int(r.integers(1, 16))]
        elif kind == 4:
            data[at:at] = data[at:at + int(r.integers(1, 16))]
        elif kind == 5:
            data[at:at + 8] = int(r.integers(0, 2 ** 40)).to_bytes(8, "little")
        else:
            other = others[int(r.integers(len(others)))]
            data[at:] = other[min(at, len(other)):]
        data = data or bytearray(1)
    return bytes(data)


def test_changed_parquet_and_arrow_files(tmp_path):
    (tmp_path / "good").mkdir()
    originals = [path.read_bytes() for path in tables(tmp_path / "good")]
    endings = [path.suffix for path in sorted((tmp_path / "good").glob("*.*"))]
    train = subprocess.run([BINARY, "fit", next((tmp_path / "good").glob("*.parquet")), "--label", "y", "--quiet", "-o",
                            tmp_path / "model.suffice"], capture_output=True, env=CALM)
    if b"Arrow" in train.stderr:
        pytest.skip("the program was built without Arrow")
    assert train.returncode == 0, train.stderr
    limits = dict(capture_output=True, env=CALM | {"SUFFICE_THREADS": "1"}, timeout=60)
    answered = 0
    for i in range(SEED, SEED + COUNT * len(originals)):
        r = np.random.default_rng(i)
        which = int(r.integers(len(originals)))
        path = tmp_path / f"changed{endings[which]}"
        path.write_bytes(changed(r, originals[which], originals))
        words = [["stats", path, "--label", "y", "-o", tmp_path / "out.stats"],
                 ["predict", tmp_path / "model.suffice", path]][i % 2]
        # 3 GB of addresses: a length that is not true must not be allocated.
        done = subprocess.run(["prlimit", "--as=3000000000", str(BINARY), *map(str, words)] if shutil.which("prlimit")
                              else [str(BINARY), *map(str, words)], **limits)
        said = done.stderr.decode(errors="replace")
        if done.returncode not in (0, 1, 2) or (done.returncode and not said.startswith("suffice: ")):
            pytest.fail(f"seed {i}, {words}: exit code {done.returncode}: {said[:2000]}")
        answered += done.returncode == 0
    assert 0 < answered < COUNT * len(originals)
