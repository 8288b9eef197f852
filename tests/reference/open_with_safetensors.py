"""Reads the files that the outside project saved with another program, the safetensors library.

open_with_safetensors.py FOLDER: model.suffice and all.stats lie there. The expected values are those
that tests/consumer/main.cpp works out by hand. Exits with 77 where the library is not installed.
"""

import pathlib
import sys

try:
    import numpy as np
    from safetensors import safe_open
except ImportError as error:
    print(f"skipped: {error}; pip install safetensors numpy")
    sys.exit(77)


def names(file, name):
    """A list of strings: its bytes one after the other, and the length of each."""
    text = file.get_tensor(name).tobytes()
    ends = np.cumsum(file.get_tensor(name + ".lengths"))
    return [text[end - length : end].decode() for end, length in zip(ends, file.get_tensor(name + ".lengths"))]


def expect(what, value, expected):
    same = value == expected if isinstance(expected, (str, list)) else np.allclose(value, expected, 1e-14, 1e-14)
    if not same or np.shape(value) != np.shape(expected):
        sys.exit(f"{what} is {value!r} instead of {expected!r}")


folder = pathlib.Path(sys.argv[1])
with safe_open(folder / "model.suffice", "np") as file:
    expect("kind", file.metadata()["kind"], "model")
    expect("structure", file.metadata()["block.0.structure"], "tied")
    expect("labels", names(file, "labels"), ["a", "b"])
    expect("features", names(file, "schema.features"), ["x", "y", "colour"])
    expect("mean", file.get_tensor("block.0.mean"), np.array([[0, 0], [4.0, 0]]))
    expect("covariance", file.get_tensor("block.0.covariance"), np.array([np.eye(2) / 2]))
    expect("levels", names(file, "block.1.levels"), ["blue", "red"])
    expect("probability", file.get_tensor("block.1.probability.0"), np.array([[1 / 3, 2 / 3], [5 / 6, 1 / 6]]))
with safe_open(folder / "all.stats", "np") as file:
    expect("kind", file.metadata()["kind"], "statistics")
    expect("weights", file.get_tensor("weights"), np.array([4.0, 4]))
    expect("scatter", file.get_tensor("block.0.complete.scatter"), np.array([2 * np.eye(2)] * 2))
    expect("count", file.get_tensor("block.1.count.0"), np.array([[1.0, 3], [4, 0]]))
