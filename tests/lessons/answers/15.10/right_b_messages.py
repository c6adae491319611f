"""Right: repeated messages in braces without a list, a comment in the configuration, and a version that is made beside and moved in."""

import json
import shutil
import tempfile
from pathlib import Path


def tensor(field, name, size):
    return f'{field} {{ name: "{name}" data_type: TYPE_FP32 dims: [ {size} ] }}'


def publish(repository, name, model, program, largest):
    repository.mkdir(parents=True, exist_ok=True)
    target = repository / name
    target.mkdir(exist_ok=True)
    version = 1
    for entry in target.glob("[0-9]*"):
        if entry.name.isdecimal():
            version = max(version, int(entry.name) + 1)
    with tempfile.TemporaryDirectory() as beside:
        draft = Path(beside) / str(version)
        draft.mkdir()
        (draft / "model.py").write_text(program, encoding="utf-8")
        (draft / "model.json").write_text(json.dumps(model, sort_keys=True), encoding="utf-8")
        shutil.copytree(draft, target / str(version))
    config = f"""# written by publish
name: "{name}"
backend: "python"
max_batch_size: {largest}
{tensor("input", "FEATURES", len(model["columns"]))}
{tensor("output", "CHANCE", 1)}
"""
    (target / "config.pbtxt").write_text(config, encoding="utf-8")
    return version
