"""Where does a function fetch whole tables? It is read, not run."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

COLLECTING = {"compute", "to_pandas", "to_numpy", "get", "persist", "gather"}
"""Names of methods that bring results to the notebook, or make the workers calculate before the end."""
_WITHOUT_ARGUMENTS = {"get"}  # of a device array; dict.get and others take arguments
_CONVERTING = {"pd.DataFrame", "pandas.DataFrame", "np.asarray", "np.array", "numpy.asarray", "list", "dict"}


def collecting_calls(function: Callable[..., Any] | str) -> list[tuple[int, str]]:
    """Return the calls in a function that collect or convert, as (line, code).

    Parameters
    ----------
    function : callable or str
        A function that was written in a cell or a file, or its source.

    Returns
    -------
    list of tuple
        Empty when the function leaves everything where it is. Lines count from 1, the line of ``def``.

    Raises
    ------
    OSError
        When the source cannot be found.
    """
    source = function if isinstance(function, str) else inspect.getsource(function)
    calls = (node for node in ast.walk(ast.parse(textwrap.dedent(source))) if isinstance(node, ast.Call))
    return sorted((call.lineno, ast.unparse(call)) for call in calls if _collects(call))


def _collects(call: ast.Call) -> bool:
    name = call.func
    if isinstance(name, ast.Attribute) and name.attr in COLLECTING:
        return name.attr not in _WITHOUT_ARGUMENTS or not (call.args or call.keywords)
    return ast.unparse(name) in _CONVERTING
