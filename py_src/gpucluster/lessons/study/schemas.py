"""JSON Schemas of study and progress files: ``python -m gpucluster.lessons.study.schemas [--check]``."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..learner_progress import Progress
from .bank.items import Cards, Hooks, ParsonsFile, Quiz

FOLDER = Path(__file__).parents[4] / "docs" / "schemas"
FILES: dict[str, type[BaseModel]] = {
    "quiz.schema.json": Quiz,
    "cards.schema.json": Cards,
    "hooks.schema.json": Hooks,
    "parsons.schema.json": ParsonsFile,
    "gpucluster-progress.schema.json": Progress,
}


def schema_of(name: str) -> dict[str, Any]:
    """Return one JSON Schema."""
    schema = FILES[name].model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def text_of(name: str) -> str:
    """Return one JSON Schema as it stands in its file."""
    return json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the schemas, or only say which are stale."""
    parser = argparse.ArgumentParser(
        prog="python -m gpucluster.lessons.study.schemas", description="Write the schemas."
    )
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is out of date")
    options = parser.parse_args(arguments)
    old = [name for name in FILES if not _is_fresh(FOLDER / name, text_of(name))]
    for name in old:
        if options.check:
            print(f"docs/schemas/{name} is out of date.", file=sys.stderr)
            continue
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_text(text_of(name), encoding="utf-8")
        print(f"Wrote docs/schemas/{name}.")
    return 1 if options.check and old else 0


def _is_fresh(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    raise SystemExit(main())
