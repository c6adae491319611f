"""Says what a verb takes where somebody calls it with something else."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import Parameter, Signature, iscoroutinefunction, signature
from typing import Any, TypeVar

from ..protocol.errors import WrongArguments

T = TypeVar("T")


def explained(made: type[T]) -> type[T]:
    """Have the verbs of an asynchronous class say what they take; a class decorator."""
    for name, verb in list(vars(made).items()):
        if iscoroutinefunction(verb) and not name.startswith("_"):
            setattr(made, name, _explained(verb))
    return made


def _explained(verb: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
    @wraps(verb)
    async def checked(*args: Any, **options: Any) -> Any:
        try:
            work = verb(*args, **options)
        except TypeError as error:  # Nothing of it has run yet.
            raise does_not_take(verb, error) from None
        return await work

    return checked


def does_not_take(verb: Callable[..., Any], error: TypeError) -> WrongArguments:
    """Return the refusal of a call that Python itself has refused, with what the verb takes."""
    _, *taken = signature(verb).parameters.values()
    plain = [each.replace(annotation=Parameter.empty) for each in taken]
    call = f"{verb.__name__}{Signature(plain)}"
    said = str(error).replace(f"{verb.__qualname__}()", f"{verb.__name__}()")
    return WrongArguments(f"{said}. It is called as {call}.")
