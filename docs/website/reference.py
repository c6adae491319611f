"""The pages about what can be imported, for autodoc: each public name under the name by which people import it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from .errors import SiteError

_LEARN = "gpucluster.learn"
_SUBJECTS = {
    "cluster": "Clustering",
    "decomposition": "Decomposition",
    "linear_model": "Linear models",
    "neighbors": "Neighbours",
    "naive_bayes": "Naive Bayes",
    "ensemble": "Forests",
    "neural_network": "A neural network",
    "preprocessing": "Preprocessing",
    "compose": "Columns of a table",
    "model_selection": "Splitting",
    "metrics": "Scores",
    "communicators": "Communicators",
}


@dataclass(frozen=True)
class ReferencePage:
    """One page: names of one module."""

    slug: str
    title: str
    module: str
    names: tuple[str, ...]

    @property
    def place(self) -> str:
        """Path on the site."""
        return f"reference/{self.slug}.rst"

    def text(self) -> str:
        """Return the page as reStructuredText."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        module = import_module(self.module)
        yield from (self.title, "=" * len(self.title), "", f".. currentmodule:: {self.module}", "")
        if self.slug not in _SUBJECTS and self.names and inspect.getdoc(module):
            yield from (f".. automodule:: {self.module}", "   :no-members:", "")
        yield from (".. autosummary::", "   :nosignatures:", "", *(f"   {name}" for name in self.names), "")
        for name in self.names:
            yield from self._directive(name, getattr(module, name))

    def _directive(self, name: str, thing: object) -> Iterator[str]:
        if inspect.isclass(thing):
            if issubclass(thing, BaseException):
                yield from (f".. autoexception:: {name}", "   :show-inheritance:", "")
            else:
                yield from (f".. autoclass:: {name}", f"   :members: {', '.join(_own_members(thing))}", "")
        else:
            directive = "autofunction" if callable(thing) else "autodata"
            yield from (f".. {directive}:: {name}", "")


def reference_pages() -> tuple[ReferencePage, ...]:
    """Return all pages of the reference, in order.

    Raises
    ------
    SiteError
        When a part of `gpucluster.learn` has no title here.
    """
    package = _public("gpucluster")
    errors = import_module("gpucluster.protocol.errors")
    refusals = tuple(
        name for name, thing in vars(errors).items()
        if inspect.isclass(thing) and issubclass(thing, Exception) and thing.__module__ == errors.__name__
    )  # fmt: skip
    clusters = tuple(name for name in package if name not in {"__version__", "GPUClusterError"})
    return (
        ReferencePage("clusters", "Clusters", "gpucluster", clusters),
        ReferencePage("errors", "Errors", errors.__name__, refusals),
        *_learn(),
        *(
            ReferencePage(name, title, f"gpucluster.{name}", _public(f"gpucluster.{name}"))
            for name, title in {"datasets": "Data", "bench": "Benchmarks", "lessons": "In a lesson"}.items()
        ),
    )


def _learn() -> Iterator[ReferencePage]:
    public = set(_public(_LEARN))
    for name, title in _SUBJECTS.items():
        here = tuple(one for one in _public(f"{_LEARN}.{name}") if one in public)
        public.difference_update(here)
        yield ReferencePage(name, title, _LEARN, here)
    learn = import_module(_LEARN)
    for name in sorted(public):
        part = getattr(learn, name).__module__.removeprefix(_LEARN).lstrip(".").partition(".")[0]
        if part and hasattr(import_module(f"{_LEARN}.{part}"), "__all__"):
            raise SiteError(f"{_LEARN}.{name} comes from {part}, which has no title in docs/website/reference.py.")
    yield ReferencePage("learn", "Running, saving, configuring", _LEARN, tuple(sorted(public)))


def _own_members(thing: type) -> Iterator[str]:
    """Give the documented members that are this project's, not those of scikit-learn's or Dask's base classes."""
    found: dict[str, object] = {}
    for base in reversed(thing.__mro__):
        if base.__module__.startswith("gpucluster"):
            found |= vars(base)
    for name, member in found.items():
        inner = getattr(member, "__func__", getattr(member, "fget", member))
        home = getattr(inner, "__module__", None) or type(inner).__module__
        if not name.startswith("_") and home.startswith("gpucluster") and inspect.getdoc(inner):
            yield name


def _public(module: str) -> tuple[str, ...]:
    return tuple(import_module(module).__all__)
