"""Which files of the repository are pages of the site, and where they are there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://github.com/gpucluster/gpucluster"
CONTENTS = "docs/README.md"
"""The first page, and the table of contents of all others."""

_ELSEWHERE = {
    "README.md": "overview.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting-a-hole.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/suite.md": "suite.md",
}


@dataclass(frozen=True)
class Pages:
    """The pages of a checkout.

    Attributes
    ----------
    root : pathlib.Path
        The repository.
    """

    root: Path = ROOT

    @cached_property
    def places(self) -> Mapping[str, str]:
        """Path on the site by path in the repository."""
        found = {name: place for name, place in _ELSEWHERE.items() if (self.root / name).exists()}
        docs = self.root / "docs"
        for path in sorted(docs.rglob("*.md")):
            inside = path.relative_to(docs)
            found[f"docs/{inside.as_posix()}"] = inside.with_name(inside.name.replace("README", "index")).as_posix()
        for path in sorted((self.root / "notebooks").glob("*/*.ipynb")):
            found[path.relative_to(self.root).as_posix()] = f"lessons/{path.stem}.md"
        return found

    def texts(self) -> Mapping[str, str]:
        """Text of each Markdown page, by path in the repository."""
        names = (name for name in self.places if name.endswith(".md"))
        return {name: (self.root / name).read_text(encoding="utf-8") for name in names}

    def resolve(self, page: str, link: str) -> str:
        """Return where a relative link of a page leads, as a path in the repository."""
        return os.path.normpath(PurePosixPath(page).parent / link)

    def from_page(self, page: str, place: str) -> str:
        """Return a link from a page to a place on the site."""
        return os.path.relpath(place, PurePosixPath(self.places[page]).parent)
