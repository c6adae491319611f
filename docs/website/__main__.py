"""Build the site: ``python -m docs.website``, with what ``requirements/docs.txt`` lists; ``make docs`` sees to that."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import metadata
from pathlib import Path

from .contents import for_assistants
from .errors import SiteError
from .pages import ROOT, Pages
from .proof import faults
from .staging import Staging


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site and look at what came out; 0 if all is well."""
    parser = argparse.ArgumentParser(prog="python -m docs.website", description="Build the documentation as a site.")
    parser.add_argument(
        "--out", type=Path, default=ROOT / ".build" / "docs", help="folder for the site and its workings"
    )
    parser.add_argument("--execute", action="store_true", help="run the lessons first, and record what they put out")
    options = parser.parse_args(arguments)
    if options.execute and (code := _execute()):
        return code
    source, html = options.out / "source", options.out / "html"
    try:
        Staging(Pages(), ROOT / "docs" / "lessons" / "outputs").write(source)
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    if code := _sphinx(source, html, options.out / "doctrees"):
        return code
    about = metadata("gpucluster")["Summary"]
    (html / "llms.txt").write_text(for_assistants(Pages(), about), encoding="utf-8")
    found = list(faults(html))
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        print(f"The site is in {html}; open {html / 'index.html'}")
    return int(bool(found))


def _sphinx(source: Path, html: Path, doctrees: Path) -> int:
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        print("Sphinx is not installed. `make docs` installs it and builds the site.", file=sys.stderr)
        return 1
    configuration = str(Path(__file__).parent)
    quiet = ["--quiet", "--fail-on-warning"]
    return int(build_main([*quiet, "-c", configuration, "-d", str(doctrees), str(source), str(html)]))


def _execute() -> int:
    from gpucluster.lessons.measuring import main as measure

    return measure([])


if __name__ == "__main__":
    raise SystemExit(main())
