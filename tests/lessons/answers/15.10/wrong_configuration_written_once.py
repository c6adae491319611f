"""Leaves a configuration that is there: a new version may have other columns."""

import json


def publish(repository, name, model, program, largest):
    folder = repository / name
    folder.mkdir(parents=True, exist_ok=True)
    version = max([int(one.name) for one in folder.iterdir() if one.is_dir()], default=0) + 1
    place = folder / str(version)
    place.mkdir(exist_ok=True)
    config = folder / "config.pbtxt"
    if not config.exists():
        config.write_text(f"""name: "{name}"
backend: "python"
max_batch_size: {largest}
input [ {{ name: "FEATURES" data_type: TYPE_FP32 dims: [ {len(model["columns"])} ] }} ]
output [ {{ name: "CHANCE" data_type: TYPE_FP32 dims: [ 1 ] }} ]
""")
    (place / "model.py").write_text(program)
    (place / "model.json").write_text(json.dumps(model))
    return version
