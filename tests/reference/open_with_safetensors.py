#!/usr/bin/env python3
"""Opens files that Suffice wrote with the safetensors package, as any of its readers would.

usage: open_with_safetensors.py FILE...

Checks that every tensor can be read, that the checksum in the metadata is that of the data, and
that the lists of names can be put together from their bytes and lengths. Prints what it found.
"""
import hashlib
import sys

from safetensors import safe_open


def names(tensors, key):
    """A list of strings: the bytes of all, and the length of each."""
    data, result, begin = tensors[key].tobytes(), [], 0
    for length in tensors[key + ".lengths"]:
        result.append(data[begin : begin + length])
        begin += length
    assert begin == len(data), key
    return result


def check(path):
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {key: file.get_tensor(key) for key in file.keys()}
    assert metadata["suffice_version"] == "1", metadata
    assert metadata["kind"] in ("statistics", "model"), metadata
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(length)
        data = file.read()
    assert hashlib.sha256(data).hexdigest() == metadata["sha256"]
    blank = header.replace(metadata["header_sha256"].encode(), b"0" * 64)
    assert hashlib.sha256(blank).hexdigest() == metadata["header_sha256"]

    labels = names(tensors, "labels")
    features = names(tensors, "schema.features")
    families = names(tensors, "schema.families")
    assert len(families) == len(features)
    assert sorted(tensors["schema.blocks"]) == list(range(len(features)))
    assert len(tensors["weights"]) == len(labels)
    print(f"{path}: {metadata['kind']}, labels {labels}, features {features}")
    for key in sorted(tensors):
        print(f"  {key} {tensors[key].dtype} {tensors[key].shape}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for argument in sys.argv[1:]:
        check(argument)
