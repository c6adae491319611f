"""``with expect_failure():`` shows a real error in a lesson, and lets the notebook go on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any

from .examination import line_of

_LONGEST = 1500


@dataclass
class Failure:
    """What failed inside the ``with`` block; empty when nothing did.

    Attributes
    ----------
    kind : str
        Type of the error, such as ``"MemoryError"``.
    message : str
        What it says, as the learner would have seen it.
    line : str
        The line of the notebook that failed, where that is known.
    error : BaseException, optional
        The error itself.
    """

    kind: str = ""
    message: str = ""
    line: str = ""
    error: BaseException | None = field(default=None, repr=False)

    @property
    def happened(self) -> bool:
        """Whether something failed."""
        return self.error is not None

    def __repr__(self) -> str:
        if not self.happened:
            return _NOTHING
        place = f"in the line: {self.line}\n" if self.line else ""
        return (
            f"✗ {self.kind}\n{place}{self.message or '(no message)'}\nThis failure was expected. The lesson continues."
        )

    def _repr_html_(self) -> str:
        if not self.happened:
            return f'<div style="{_box("--jp-warn-color1, #b26a00")}"><p>{escape(_NOTHING)}</p></div>'
        place = f"<p>in the line <code>{escape(self.line)}</code></p>" if self.line else ""
        return (
            f'<div style="{_box("--jp-error-color1, #c62828")}"><p><strong>✗ {escape(self.kind)}</strong></p>{place}'
            # JupyterLab breaks the lines of a <pre> in the middle of words, unless told otherwise.
            '<pre style="white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;margin:4px 0">'
            f"{escape(self.message or '(no message)')}</pre>"
            "<p>This failure was expected. The lesson continues.</p></div>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


_NOTHING = "Nothing failed here, although a failure was expected."


@contextmanager
def expect_failure(*kinds: type[Exception]) -> Iterator[Failure]:
    """Run lines that fail, show the type and the message of the error in a box, and go on.

    Parameters
    ----------
    *kinds : type of exception, optional
        Only these are expected; any other error ends the cell as usual. Left out: every error.

    Examples
    --------
    >>> with expect_failure(ZeroDivisionError) as failure:
    ...     1 / 0
    ✗ ZeroDivisionError
    in the line: 1 / 0
    division by zero
    This failure was expected. The lesson continues.
    >>> failure.kind
    'ZeroDivisionError'
    """
    failure = Failure()
    try:
        yield failure
    except Exception as error:
        if kinds and not isinstance(error, kinds):
            raise
        text = str(error)
        failure.kind = type(error).__name__
        failure.message = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
        failure.line = line_of(error)
        # Without its frames, so that an error that is kept does not keep the data of the block in memory.
        failure.error = error.with_traceback(None)
    _show(failure)


def _box(colour: str) -> str:
    return f"border-left:4px solid var({colour});padding:2px 12px"


def _show(failure: Failure) -> None:
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        ipython.display.display(failure)
    else:
        print(failure)
