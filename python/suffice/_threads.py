"""From scikit-learn's `n_jobs` to a number of threads. No result depends on it."""
from __future__ import annotations

import operator
import os

from . import _core


def threads_of(n_jobs: int | None) -> int:
    """The threads that the engine may use; 0 means the CPUs that this process may use.

    None asks the environment: SUFFICE_THREADS, else OMP_NUM_THREADS, which joblib sets in its
    workers so that together they do not take more CPUs than there are. As in joblib, -1 is all
    CPUs and -k is all but k - 1.
    """
    if n_jobs is None:
        for variable in ("SUFFICE_THREADS", "OMP_NUM_THREADS"):
            text = os.environ.get(variable, "").strip()
            if text.isdecimal() and int(text) > 0:
                return int(text)
        return 0
    try:
        count = operator.index(n_jobs)
    except TypeError:
        count = 0
    if isinstance(n_jobs, bool) or count == 0:
        raise ValueError(
            f"n_jobs={n_jobs!r}: give a whole number of threads, -1 for all CPUs, or None"
        )
    if count < 0:
        return max(1, _core.available_threads() + 1 + count)
    return count
