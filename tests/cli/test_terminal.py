"""What a person at a terminal sees: colour, and progress of long work. A pseudo-terminal plays the
terminal."""
import gzip
import os
import pty
import select
import signal
import subprocess

import pytest

from program import BINARY, CALM, good

ROWS = "".join(f"{i % 7}.5,{i * i % 11},{'pq'[i % 2]}\n" for i in range(40))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n" + ROWS)
    good("fit", "t.csv", "--label", "y", "-o", "m", folder=tmp_path)
    return tmp_path


def read_until(end, process, wanted=None, seconds=60):
    """What comes out of the terminal, until `wanted` is in it or the process has closed it."""
    text = b""
    while wanted is None or wanted not in text:
        ready, _, _ = select.select([end], [], [], seconds)
        if not ready:
            process.kill()
            pytest.fail(f"nothing for {seconds} s after {text!r}")
        try:
            piece = os.read(end, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not piece:
            break
        text += piece
    return text


def on_terminal(folder, words, environment=None, stream="stdout"):
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: theirs}
    process = subprocess.Popen([str(BINARY), *words], cwd=folder, stdin=subprocess.DEVNULL,
                               env=CALM | {"TERM": "xterm"} | (environment or {}), **streams)
    os.close(theirs)
    return ours, process


@pytest.mark.parametrize("words", [["show", "m"], ["evaluate", "m", "t.csv"]], ids=lambda w: w[0])
def test_colour_only_on_a_terminal_and_never_with_no_color(folder, words):
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": "x"}, False)):
        ours, process = on_terminal(folder, words, environment)
        text = read_until(ours, process)
        os.close(ours)
        assert process.wait(20) == 0
        assert (b"\x1b[" in text) == coloured, text
    plain = good(*words, folder=folder)
    assert "\x1b" not in plain
    # Without the colours it is the same text.
    assert text.decode().replace("\r\n", "\n").strip() == plain.strip()


@pytest.mark.parametrize("words", [["fit", "large.csv", "--label", "y", "-o", "out"],
                                   ["evaluate", "m", "large.csv"]], ids=lambda w: w[0])
def test_progress_on_a_terminal(folder, words):
    """A table that would take very long: it is stopped when progress has been seen."""
    member = gzip.compress((ROWS * 20000).encode(), 1)
    with open(folder / "large.csv", "wb") as file:
        file.write(gzip.compress(b"a,b,y\n"))
        for _ in range(400):
            file.write(member)
    ours, process = on_terminal(folder, words, stream="stderr")
    text = read_until(ours, process, b"rows/s")
    assert b"rows" in text and b"\r" in text
    process.send_signal(signal.SIGINT)
    rest = read_until(ours, process)
    os.close(ours)
    assert process.wait(20) == 130
    assert b"suffice:" in rest and b"stopped" in rest
    assert not (folder / "out").exists()


def test_no_progress_where_there_is_no_terminal(folder):
    (folder / "more.csv").write_text("a,b,y\n" + ROWS * 60000)
    words = ["fit", "more.csv", "--label", "y", "--family", "b=gaussian", "-o", "out"]
    result = subprocess.run([str(BINARY), *words], cwd=folder, capture_output=True, env=CALM)
    assert result.returncode == 0 and result.stderr == b""
