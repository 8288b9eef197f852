"""A system that fails while the program runs: every command gives the right answer or an error with a
message, ends soon, and leaves the old file or the new one, whole.
"""
import random
import resource
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from program import BINARY, CALM, content, good, refused, run, start

ROWS = "a,b,c,y\n" + "".join(f"{i % 7}.5,{i * i % 11},{'uvw'[i % 3]},{'pq'[i % 2]}\n" for i in range(60))
MORE = ROWS + "9.5,1,u,p\n" * 5


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    (tmp_path / "more.csv").write_text(MORE)
    good("fit", "t.csv", "--label", "y", "-o", "model", folder=tmp_path)
    good("stats", "t.csv", "--label", "y", "-o", "stats", folder=tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """faults.c as a library, in which calls of the system fail on demand."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("shim") / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, Path(__file__).parent / "faults.c", "-ldl"],
                   check=True)
    if b"sanitizer" in subprocess.run(["ldd", BINARY], capture_output=True).stdout:
        pytest.skip("sanitizers have an allocator of their own")
    return library


COMMANDS = {
    "fit": ["fit", "t.csv", "--label", "y", "-o", "out"],
    "stats": ["stats", "t.csv", "--label", "y", "-o", "out"],
    "predict": ["predict", "model", "t.csv", "--output", "proba", "-o", "out"],
    "merge": ["merge", "stats", "stats", "-o", "out"],
}


def outcome(folder, words, expected, environment=None, **keywords):
    """True where the command succeeded; then its output is right. Else there is none, and a message."""
    before = content(folder)
    done = subprocess.run([str(BINARY), *words], cwd=folder, env=CALM | (environment or {}), capture_output=True,
                          timeout=60, **keywords)
    after = content(folder)
    if done.returncode == 0:
        assert after.pop(Path("out")) == expected
        (folder / "out").unlink()
    else:
        refused(done, 1)
    assert after == before, "nothing is left behind"
    return done.returncode == 0


def expected_of(folder, words):
    good(*words, folder=folder)
    data = (folder / "out").read_bytes()
    (folder / "out").unlink()
    return data


# ---- Ends at any moment

@pytest.mark.parametrize("verb", COMMANDS)
def test_killed_at_any_moment(folder, verb):
    """After SIGKILL the old file is there, or the new one."""
    words = [word.replace("t.csv", "more.csv") for word in COMMANDS[verb]]
    new = expected_of(folder, words)
    old = b"the file that was there before"
    begin = time.monotonic()
    run(*words, folder=folder)
    whole = time.monotonic() - begin
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    for _ in range(25):
        (folder / "out").write_bytes(old)
        process = start(*words, folder=folder, stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 1.2 * whole))
        process.kill()
        process.communicate()
        found = (folder / "out").read_bytes()
        assert found in (old, new), f"seed {seed}"
    assert len(list(folder.glob(".suffice*"))) <= 25, "one temporary name at most for each kill"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_asked_to_stop_at_any_moment(folder, number):
    words = COMMANDS["fit"]
    new = expected_of(folder, words)
    before = content(folder)
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    for _ in range(20):
        process = start(*words, folder=folder, stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 0.06))
        process.send_signal(number)
        process.communicate(timeout=20)
        after = content(folder)
        out = after.pop(Path("out"), None)
        assert after == before and out in (None, new), f"seed {seed}"
        (folder / "out").unlink(missing_ok=True)


# ---- Limits

@pytest.mark.parametrize("verb", COMMANDS)
def test_limits_on_the_size_of_files(folder, verb):
    expected = expected_of(folder, COMMANDS[verb])
    for limit in {0, 1, 100, len(expected) // 2, len(expected) - 1, len(expected)}:
        done = outcome(folder, COMMANDS[verb], expected,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        assert done == (limit >= len(expected))


@pytest.mark.parametrize("verb", COMMANDS)
def test_limits_on_open_files(folder, verb):
    expected = expected_of(folder, COMMANDS[verb])
    successes = []
    for limit in range(4, 16):  # fewer, and the program's own libraries cannot be loaded
        successes.append(outcome(
            folder, COMMANDS[verb], expected,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))))
    assert successes == sorted(successes) and successes[-1]


def starts(limit):
    """Whether the program and its libraries can be loaded within a limit on the address space."""
    return subprocess.run([str(BINARY), "--version"], env=CALM, capture_output=True, timeout=60, preexec_fn=lambda:
                          resource.setrlimit(resource.RLIMIT_AS, (limit, limit))).returncode == 0


def test_limits_on_address_space(folder):
    """From what the program needs to start, which depends on its libraries, to enough."""
    if b"openblas" in subprocess.run(["ldd", BINARY], capture_output=True).stdout:
        pytest.skip("OpenBLAS waits for ever for memory while it is loaded; which limits do that depends on the CPU")
    wide = "".join(f"x{i}," for i in range(40)) + "y\n" + "".join(
        "".join(f"{(i * j * j + 7 * j) % 101}," for j in range(40)) + "pq"[i % 2] + "\n" for i in range(200))
    (folder / "t.csv").write_text(wide)
    expected = expected_of(folder, COMMANDS["fit"])
    page = resource.getpagesize()
    low, high = page, 2 << 30
    while high - low > page:
        middle = (low + high) // 2 // page * page
        low, high = (low, middle) if starts(middle) else (middle, high)
    successes = []
    for more in (0, *(page << k for k in range(19))):
        limit = high + more
        successes.append(outcome(folder, COMMANDS["fit"], expected,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))
    assert successes[-1] and not successes[0]


def test_a_file_system_that_cannot_be_written(folder):
    for words in COMMANDS.values():
        refused(run(*words[:-1], "/proc/out", folder=folder), 1, "/proc/out")


# ---- Calls that do a part of their work, or none

@pytest.mark.parametrize("verb", COMMANDS)
def test_short_and_interrupted_calls(folder, shim, verb):
    expected = expected_of(folder, COMMANDS[verb])
    assert outcome(folder, COMMANDS[verb], expected, {"LD_PRELOAD": str(shim), "FAULT": "short"})


@pytest.mark.parametrize("packing", [None, "gzip"])
def test_a_pipe_that_trickles(folder, packing):
    """A few bytes at a time are the same table."""
    words = ["stats", "-", "--label", "y", "--format", "csv", "-o", "out"]
    data = MORE.encode()
    if packing:
        data = subprocess.run(["gzip", "-c"], input=data, capture_output=True, check=True).stdout
    run(*words, input=data, folder=folder)
    expected = (folder / "out").read_bytes()
    (folder / "out").unlink()
    process = start(*words, folder=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, bufsize=0)
    at, size = 0, 1
    while at < len(data):
        process.stdin.write(data[at:at + size])
        at, size = at + size, size % 7 + 1
    process.communicate(timeout=20)
    assert process.returncode == 0 and (folder / "out").read_bytes() == expected


@pytest.mark.parametrize("call", ["write", "fsync", "rename", "link"])
@pytest.mark.parametrize("verb", COMMANDS)
def test_a_disk_that_fails(folder, shim, verb, call):
    expected = expected_of(folder, COMMANDS[verb])
    (folder / "out").write_bytes(b"before")
    failed = 0
    for n in range(1, 4):
        done = run(*COMMANDS[verb], folder=folder, environment={"LD_PRELOAD": str(shim), "FAULT": f"{call}:{n}"})
        found = (folder / "out").read_bytes()
        if done.returncode == 0:
            assert found == expected
            (folder / "out").write_bytes(b"before")
        else:
            refused(done, 1, "out")
            assert found == b"before"
            failed += 1
        assert not list(folder.glob(".suffice*"))
    assert failed > 0


# ---- No threads, no memory

@pytest.mark.parametrize("verb", COMMANDS)
def test_threads_that_cannot_be_started(folder, shim, verb):
    """Fewer threads do the same work; without the one that listens to signals there is an error."""
    expected = expected_of(folder, COMMANDS[verb])
    successes = [outcome(folder, [*COMMANDS[verb], "--threads", "6"], expected,
                         {"LD_PRELOAD": str(shim), "FAULT": f"threads:{n}", "OPENBLAS_NUM_THREADS": "1"})
                 for n in range(1, 12)]
    assert successes == [False] + [True] * 10


@pytest.mark.parametrize("verb", COMMANDS)
def test_allocations_that_fail(folder, shim, verb):
    """The n-th one: for fit all n up to a thousand and some beyond, for the others every fifth."""
    expected = expected_of(folder, COMMANDS[verb])
    words = [*COMMANDS[verb], "--threads", "2"]
    environment = {"LD_PRELOAD": str(shim), "OPENBLAS_NUM_THREADS": "1"}
    bad = []

    def try_some(first):
        mine = folder / f"part{first}"
        shutil.copytree(folder, mine, ignore=lambda *_: ["part0", "part1", "part2", "part3"])
        step = 1 if verb == "fit" else 5
        for n in [*range(1 + first, 1001, 4 * step), *range(1000 + 97 * first, 6000, 388 * step)]:
            try:
                outcome(mine, words, expected, environment | {"FAULT": f"malloc:{n}"})
            except (AssertionError, subprocess.TimeoutExpired) as error:
                bad.append(f"{n}: {str(error)[:300]}")

    threads = [threading.Thread(target=try_some, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bad == [], bad[:5]
