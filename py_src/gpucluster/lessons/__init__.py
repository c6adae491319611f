"""The teaching kit: lessons that run on a cluster, and exercises that check themselves.

Importing this package imports nothing heavy, because workers import it too. In a lesson::

    from gpucluster import lessons
    from gpucluster.lessons import check, hint, solution

    lab = lessons.start("06")      # finds a running cluster or creates one
    check("06.2", assign)          # says what holds and what does not, never the answer
    hint("06.2")                   # three steps, then solution("06.2")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checking import check, continue_with
    from .failures import expect_failure
    from .hints import hint, solution
    from .lab import Lab, start
    from .material.banners import banner
    from .material.conversion import as_numpy
    from .predictions import compare, predict
    from .probes.memory import peak_bytes
    from .probes.transfers import Traffic
    from .study.advice import advise
    from .study.cards import cards, hooks
    from .study.certificate import certificate
    from .study.exam import exam
    from .study.overview import progress
    from .study.parsons import parsons
    from .study.quiz import quiz

__all__ = [
    "Lab",
    "Traffic",
    "advise",
    "as_numpy",
    "banner",
    "cards",
    "certificate",
    "check",
    "compare",
    "continue_with",
    "exam",
    "expect_failure",
    "hint",
    "hooks",
    "parsons",
    "peak_bytes",
    "predict",
    "progress",
    "quiz",
    "solution",
    "start",
]

_LAZY = {
    "Lab": ".lab",
    "Traffic": ".probes.transfers",
    "advise": ".study.advice",
    "as_numpy": ".material.conversion",
    "banner": ".material.banners",
    "cards": ".study.cards",
    "certificate": ".study.certificate",
    "check": ".checking",
    "compare": ".predictions",
    "continue_with": ".checking",
    "exam": ".study.exam",
    "expect_failure": ".failures",
    "hint": ".hints",
    "hooks": ".study.cards",
    "parsons": ".study.parsons",
    "peak_bytes": ".probes.memory",
    "predict": ".predictions",
    "progress": ".study.overview",
    "quiz": ".study.quiz",
    "solution": ".hints",
    "start": ".lab",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> Any:
    return sorted({*globals(), *_LAZY})
