"""Parameters of estimators: each is declared once in its class, with its default and its rule.

``max_iter: int = parameter(300, whole(1))`` in a class body is a keyword of the constructor, an attribute, and a check
before fitting; ``copy: bool = True`` has no check. Attributes that fitting sets are declared with `fitted`.
"""

import inspect
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np

from .errors import InvalidParameter, NotSupported


class Rule(NamedTuple):
    """The allowed values of a parameter."""

    allows: Callable[[Any], bool]
    text: str = ""  # As in 'must be TEXT'; empty where other values are not supported.
    advice: str = ""  # What to do instead.

    def check(self, name: str, value: Any) -> None:
        if self.allows(value):
            return
        if not self.text:
            raise NotSupported(f"{name}: {self.advice}")
        raise InvalidParameter(f"{name}: must be {self.text}, not {value!r}.{self.advice and ' '}{self.advice}")


def whole(least: int) -> Rule:
    return Rule(lambda value: _is(value, Integral) and value >= least, f"a whole number of {least} or more")


def real(least: float, most: float = np.inf, *, above: bool = False) -> Rule:
    """Allow numbers from the least one on; ``above`` excludes it."""
    start = "above" if above else "of at least" if most == np.inf else "from"
    text = f"a number {start} {least}{'' if most == np.inf else f' to {most}'}"
    return Rule(lambda value: _is(value, Real) and least <= value <= most and not (above and value == least), text)


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def one_of(*values: str | None, advice: str = "") -> Rule:
    *others, last = map(repr, values)
    text = f"{', '.join(others)} or {last}" if others else last
    return Rule(lambda value: (value is None or isinstance(value, str)) and value in values, text, advice)


def either(word: str | None, rule: Rule) -> Rule:
    """Allow a word, besides the values of a rule."""
    allows = one_of(word).allows
    return Rule(lambda value: allows(value) or rule.allows(value), f"{word!r} or {rule.text}", rule.advice)


def unset(advice: str, *, off: bool = False) -> Rule:
    """Allow ``None`` only; ``off``: also ``False`` and 0."""
    return Rule(
        lambda value: value is None or (off and isinstance(value, bool | np.bool_ | Real) and not value), "", advice
    )


SWITCH = Rule(lambda value: isinstance(value, bool | np.bool_), "True or False")


class Declared(NamedTuple):
    """One parameter."""

    default: Any
    rule: Rule | None = None
    kw_only: bool = True
    annotation: Any = None


_FITTED = object()


def parameter(default: Any, rule: Rule | None = None, *, kw_only: bool = True) -> Any:
    return Declared(default, rule, kw_only)


def fitted(*, init: Literal[False] = False) -> Any:  # noqa: ARG001 (for type checkers: not a parameter)
    """Declare an attribute that fitting sets."""
    return _FITTED


def taken_declarations(cls: type) -> dict[str, Declared]:
    """Return the parameters that a class body declares, and remove them from the class."""
    found = {}
    for name, annotation in inspect.get_annotations(cls).items():
        value = vars(cls).get(name, _FITTED)
        if value is _FITTED or not name.startswith("_"):
            if name in vars(cls):
                delattr(cls, name)
            if value is not _FITTED:
                declared = value if isinstance(value, Declared) else Declared(value)
                found[name] = declared._replace(annotation=annotation)
    return found


def constructor(declared: dict[str, Declared]) -> Callable[..., None]:
    """Return ``__init__`` with these parameters, which it stores unchanged."""
    kinds = {False: inspect.Parameter.POSITIONAL_OR_KEYWORD, True: inspect.Parameter.KEYWORD_ONLY}
    parameters = [
        inspect.Parameter(name, kinds[each.kw_only], default=each.default, annotation=each.annotation)
        for name, each in declared.items()
    ]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([first, *sorted(parameters, key=lambda each: each.kind)])

    def __init__(self: Any, *arguments: Any, **options: Any) -> None:
        given = signature.bind(self, *arguments, **options)
        given.apply_defaults()
        for name in declared:
            setattr(self, name, given.arguments[name])

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__
