"""Make the slides: ``python -m docs.website.slides``; ``make slides`` sees to what it needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from gpucluster.lessons.building.outputs import read_outputs
from gpucluster.lessons.building.source import read_source, slug_of
from gpucluster.lessons.catalogue import COURSE

from ..pages import ROOT
from ..proof import faults
from .conf import revealjs_style_theme as THEME
from .deck import Deck


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the decks of some lessons, or of all; 0 if all is well."""
    parser = argparse.ArgumentParser(prog="python -m docs.website.slides", description="Make the slides of lessons.")
    parser.add_argument("lessons", nargs="*", help="their numbers; left out: all")
    parser.add_argument("--out", type=Path, default=ROOT / ".build" / "slides", help="folder for the slides")
    parser.add_argument("--pdf", action="store_true", help="print them as PDF, too: with Chromium, by playwright")
    options = parser.parse_args(arguments)
    source, html = options.out / "source", options.out / "html"
    paths = sorted(COURSE.glob("*/lesson.py"))
    chosen = [path for path in paths if not options.lessons or slug_of(path.parent)[:2] in options.lessons]
    if missing := set(options.lessons) - {slug_of(path.parent)[:2] for path in paths}:
        parser.error(f"Lesson {', '.join(sorted(missing))} not found.")
    write(source, chosen)
    if code := _sphinx(source, html, options.out / "doctrees"):
        return code
    _tidy(html)
    found = list(faults(html))
    for fault in found:
        print(fault, file=sys.stderr)
    if found:
        return 1
    print(f"The slides are in {html}; open {html / 'index.html'}")
    if options.pdf:
        from .pdf import print_all

        folder = options.out / "pdf"
        print_all([html / f"{slug_of(path.parent)}.html" for path in chosen], folder)
        print(f"As PDF they are in {folder}")
    return 0


def write(folder: Path, lessons: Sequence[Path]) -> None:
    """Write the pages that Sphinx makes slides of.

    Parameters
    ----------
    folder : pathlib.Path
    lessons : sequence of pathlib.Path
        Each is a ``lesson.py``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for path in lessons:
        source = read_source(path)
        recorded = read_outputs(source.slug, ROOT / "docs" / "lessons" / "outputs")
        deck = Deck(source, recorded, path.with_name("quiz.json"))
        (folder / f"{source.slug}.md").write_text(deck.markdown(), encoding="utf-8")
        for name in deck.pictures:
            picture = folder / "outputs" / source.slug / name
            picture.parent.mkdir(parents=True, exist_ok=True)
            picture.write_bytes(recorded.picture(name).read_bytes())
        listed.append(f"* [{source.id} {source.title}]({source.slug}.md)")
    text = ["# gpucluster: the lessons as slides", "## Choose one", *listed, "```{toctree}\n:hidden:\n:glob:\n\n*\n```"]
    (folder / "index.md").write_text("\n\n".join([*text[:2], "\n".join(listed), text[-1], ""]), encoding="utf-8")


def _sphinx(source: Path, html: Path, doctrees: Path) -> int:
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        print("Sphinx is not installed. `make slides` installs it and builds the slides.", file=sys.stderr)
        return 1
    configuration = str(Path(__file__).parent)
    quiet = ["--quiet", "--fail-on-warning", "-b", "revealjs"]
    return int(build_main([*quiet, "-c", configuration, "-d", str(doctrees), str(source), str(html)]))


def _tidy(html: Path) -> None:
    """Remove the themes that are not chosen; some of them would load fonts from elsewhere."""
    themes = html / "_static" / "revealjs" / "dist" / "theme"
    for path in themes.glob("*.css"):
        if path.stem != THEME:
            path.unlink()


if __name__ == "__main__":
    raise SystemExit(main())
