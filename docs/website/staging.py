"""The files that Sphinx reads: pages of the repository and what is generated, in one folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gpucluster.cli import documentation
from gpucluster.lessons.building import coverage, words
from gpucluster.lessons.building.outputs import read_outputs
from gpucluster.lessons.building.source import read_source
from gpucluster.lessons.catalogue import COURSE
from gpucluster.server.openapi import openapi_document

from .contents import Section, below, check_complete, sections, toctree
from .lessons import LessonPage, drawn
from .links import on_the_site
from .pages import CONTENTS, Pages
from .reference import reference_pages
from .rest import routes_and_models

_REST, _PYTHON, _PICTURES = "docs/rest.md", "docs/python.md", "docs/pictures.md"
_COVERAGE, _WORDS, _COMMANDS = "docs/lessons/coverage.md", "docs/lessons/words.md", "docs/command-line.md"
_LIGHT = re.compile(r"!\[(?P<about>[^\]]*)\]\((?P<place>[^)]*-light\.png)\)")


@dataclass
class Staging:
    """Writes the pages of a checkout into a folder.

    Attributes
    ----------
    pages : Pages
        What there is.
    outputs : pathlib.Path
        Where the outputs of lessons are.
    """

    pages: Pages
    outputs: Path
    _files: dict[str, str | Path] = field(default_factory=dict)

    def write(self, folder: Path) -> int:
        """Bring a folder up to date and return the number of its pages; files that are the same are not touched.

        Raises
        ------
        SiteError
            When a link leads to nothing or a page is on no list.
        """
        self._collect()
        for path in sorted(folder.rglob("*"), reverse=True):
            if path.is_file() and path.relative_to(folder).as_posix() not in self._files:
                path.unlink()
        for name, content in self._files.items():
            new = content.read_bytes() if isinstance(content, Path) else content.encode()
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != new:
                path.write_bytes(new)
        return sum(PurePosixPath(name).suffix in {".md", ".rst"} for name in self._files)

    def check(self) -> None:
        """See that links lead somewhere and that each page is on a list, without what takes time."""
        self._guide(self.pages.texts())

    def _collect(self) -> None:
        texts = self.pages.texts()
        self._guide(texts)
        figures = list(self._lessons())
        self._generated(_PICTURES, "\n\n".join(figures))
        self._generated(_COMMANDS, documentation.arguments())
        self._generated(_COVERAGE, coverage.page(coverage.read_rows()))
        self._generated(_WORDS, on_the_site(self.pages, _WORDS, words.page(words.read_words())))
        reference = reference_pages()
        self._files.update({page.place: page.text() for page in reference})
        self._generated(_PYTHON, toctree((page.title, page.place) for page in reference))
        document = openapi_document()
        self._generated(_REST, routes_and_models(document))
        for path in sorted((self.pages.root / "docs" / "images").iterdir()):
            self._files[f"images/{path.name}"] = path

    def _guide(self, texts: Mapping[str, str]) -> None:
        parts = sections(self.pages)
        check_complete(self.pages, texts, parts)
        for name, text in texts.items():
            written = on_the_site(self.pages, name, text)
            if name == CONTENTS:
                written = _first_page(written, parts)
            elif PurePosixPath(name).name == "README.md" and name.startswith("docs/"):
                written += toctree(("", self.pages.places[one]) for one in below(self.pages, name, text))
            elif name == "README.md":
                written = written.replace("# gpucluster\n", "# Start\n", 1)  # that name has the first page
            self._files[self.pages.places[name]] = self._in_both_schemes(written) if name != _PICTURES else written
        for part in parts:
            entries = [(title, self.pages.places[name]) for title, name in part.entries]
            text = on_the_site(self.pages, CONTENTS, f"# {part.title}\n\n{part.text}\n")
            self._files[part.place] = text + toctree(entries)

    def _in_both_schemes(self, text: str) -> str:
        """Let pictures that exist for light and for dark be shown where they belong."""

        def both(found: re.Match[str]) -> str:
            dark = found["place"].replace("-light.", "-dark.")
            if not (self.pages.root / "docs" / "images" / PurePosixPath(dark).name).exists():
                return found[0]
            return f"{found[0]}{{.only-light}} ![{found['about']}]({dark}){{.only-dark}}"

        return _LIGHT.sub(both, text)

    def _lessons(self) -> Iterator[str]:
        """Write the lessons' pages and give the part of the gallery about each."""
        for path in sorted(COURSE.glob("*/lesson.py")):
            source = read_source(path)
            if f"notebooks/{source.slug}/{source.slug}.ipynb" not in self.pages.places:
                continue  # it is not built yet; `make lint` says so
            recorded = read_outputs(source.slug, self.outputs)
            page = LessonPage(words.with_words(source, words.read_words()), recorded)
            self._files[f"lessons/{source.slug}.md"] = page.markdown()
            for name, _ in page.pictures:
                self._files[f"lessons/outputs/{source.slug}/{name}"] = recorded.picture(name)
            if page.pictures or page.drawings:
                yield _figures(page)

    def _generated(self, name: str, text: str) -> None:
        place = self.pages.places[name]
        self._files[place] = f"{self._files[place]}\n\n{text}\n"


def _first_page(text: str, parts: tuple[Section, ...]) -> str:
    for part in parts:
        text = text.replace(f"\n## {part.title}\n", f"\n## [{part.title}]({part.place})\n")
    return text + toctree((part.title, part.place) for part in parts)


def _figures(page: LessonPage) -> str:
    slug = page.source.slug
    shown = [f"[![{about}](lessons/outputs/{slug}/{name})](lessons/{slug}.md)" for name, about in page.pictures]
    parts = ["`````{container} gallery", *shown, "`````"] if shown else []
    parts += [drawn(page.outputs, name) for name in page.drawings]
    return "\n\n".join([f"## [{page.source.title}](lessons/{slug}.md)", *parts])
