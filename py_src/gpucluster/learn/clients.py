"""Which Dask client estimators and functions compute with: the one given as ``client=``, else the current one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, TypeVar

from .errors import InvalidParameter
from .keywords import in_our_words, names_of

Function = TypeVar("Function", bound=Callable[..., Any])


def computing_with(client: Any) -> AbstractContextManager[Any]:
    """Make a client the current one within a ``with`` block; ``None`` leaves it to Dask.

    Raises
    ------
    InvalidParameter
        It is no client.
    """
    if client is None:
        return nullcontext()
    if not hasattr(client, "as_current"):
        raise InvalidParameter(f"client: must be a Client of Dask, not {type(client).__name__}.")
    found: AbstractContextManager[Any] = client.as_current()
    return found


def takes_client(function: Function) -> Function:
    """Give a function the keyword ``client``, a Dask client that it computes with, and those of `keywords`."""

    own = inspect.signature(function).parameters
    names = [function.__name__, "every function"]

    @wraps(function)
    def with_client(*arguments: Any, client: Any = None, **options: Any) -> Any:
        with computing_with(client):
            return function(*arguments, **in_our_words(names, own, options))

    option = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Any)
    made: Any = with_client
    made.__signature__ = with_option(function, option)
    found: Function = made
    return found


def keeps_client(init: Callable[..., None]) -> Callable[..., None]:
    """Let a constructor take the keyword ``client``, and those of `keywords`, too.

    They are no parameters of the estimator: scikit-learn copies those, and a client can neither be copied nor saved.
    """
    own = inspect.signature(init).parameters

    @wraps(init)
    def keep(self: Any, *arguments: Any, client: Any = None, **options: Any) -> None:
        init(self, *arguments, **in_our_words(names_of(type(self)), own, options))
        if client is not None:
            with computing_with(client):
                self._client = client

    return keep


def with_option(function: Callable[..., Any], option: inspect.Parameter) -> inspect.Signature:
    """Return the signature of a function with one more keyword."""
    signature = inspect.signature(function)
    parameters = sorted([*signature.parameters.values(), option], key=lambda each: each.kind)
    return signature.replace(parameters=parameters)
