"""Evidence: what each column adds to the ratio of two classes."""
from __future__ import annotations

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._optional import optional

__all__ = ["Evidence"]

Floats = NDArray[np.float64]


class Evidence:
    """How much each column of each row adds to the logarithm of a ratio of classes. It draws itself
    in a notebook.

    Attributes
    ----------
    values : array of shape (rows, columns)
        The evidence; infinite where a value is impossible in one of the classes, 0 where it is
        missing.
    base : array of shape (rows,)
        What no column says. `values.sum(axis=1) + base` is the ratio of the calibrated scores.
    names : tuple of str
        The columns.
    of, against : arrays of shape (rows,)
        The classes that are compared; `against` is None where a class is compared with all others.
    unit : {"nats", "bits", "db"}

    See Also
    --------
    Model.evidence : Makes it.

    Examples
    --------
    >>> import suffice
    >>> stats = suffice.Statistics.of([[1.0], [3.0], [6.0], [8.0]], ["a", "a", "b", "b"])
    >>> why = stats.estimate(covariance="tied", shrinkage=0).evidence([[6.0]])
    >>> why.of.tolist(), why.against.tolist(), why.values.round(6).tolist()
    (['b'], ['a'], [[7.5]])
    """

    def __init__(
        self,
        values: Floats,
        base: Floats,
        names: tuple[str, ...],
        of: NDArray[Any],
        against: NDArray[Any],
        unit: str,
        data: Any = None,
    ) -> None:
        self.values, self.base, self.names = values, base, names
        self.of, self.against, self.unit = of, against, unit
        self._data = data

    def __len__(self) -> int:
        return len(self.values)

    @property
    def ratio(self) -> Floats:
        """What evidence adds up to, row by row."""
        total: Floats = self.values.sum(axis=1) + self.base
        return total

    def reasons(self, row: int, count: int = 3) -> dict[str, float]:
        """The columns of a row with the most weight, that first.

        >>> import suffice
        >>> stats = suffice.Statistics.of([[1.0, 5.0], [3.0, 6.0], [6.0, 5.0], [8.0, 6.0]],
        ...                               ["a", "a", "b", "b"])
        >>> why = stats.estimate(covariance="tied-diag", shrinkage=0).evidence([[6.0, 6.0]])
        >>> why.reasons(0)
        {'x0': 7.5}
        """
        weights = self.values[row]
        order = np.argsort(-np.abs(weights), kind="stable")[:count]
        return {self.names[j]: float(weights[j]) for j in order if weights[j] != 0}

    def to_shap(self) -> Any:
        """The same as a shap.Explanation, for the pictures of the package shap."""
        shap = optional("shap", "an Explanation")
        data = None if self._data is None else np.asarray(self._data)
        return shap.Explanation(
            values=self.values, base_values=self.base, data=data, feature_names=list(self.names)
        )

    def __repr__(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self):,} rows"
        return f"<Evidence of {len(self.names)} columns for {rows}, in {self.unit}>"

    def _repr_html_(self) -> str:
        shown = min(len(self), 5)
        parts = [self._row_html(i) for i in range(shown)]
        if len(self) > shown:
            parts.append(f"<p>… {len(self) - shown:,} more rows</p>")
        return "".join(parts)

    def _row_html(self, row: int) -> str:
        """Bars of the columns with the most weight, one after the other to the ratio."""
        against = "all others" if self.against[row] is None else str(self.against[row])
        title = html.escape(f"{self.of[row]} against {against}: {self.ratio[row]:+.3g} {self.unit}")
        bars = [("(offset)", float(self.base[row]))] if self.base[row] else []
        bars += self.reasons(row, 12).items()
        ends = np.cumsum([0.0, *(value for _, value in bars if np.isfinite(value))])
        low, high = float(ends.min()), float(ends.max())
        scale = 100 / max(high - low, 1e-300)
        lines, at = [], 0.0
        for name, value in bars:
            end = at + value if np.isfinite(value) else (high if value > 0 else low)
            left, width = (min(at, end) - low) * scale, max(abs(end - at) * scale, 0.5)
            colour = "#D55E00" if value > 0 else "#0072B2"
            lines.append(
                f'<tr><td style="text-align:right">{html.escape(name)}</td>'
                f'<td style="width:300px"><div style="margin-left:{left:.2f}%;width:{width:.2f}%;'
                f'background:{colour}">&nbsp;</div></td><td>{value:+.3g}</td></tr>'
            )
            at = end if np.isfinite(value) else at
        return f"<table><caption>{title}</caption>{''.join(lines)}</table>"
