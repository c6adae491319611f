"""The last one by name: 9 comes after 10."""

import json


def publish(repository, name, model, program, largest):
    folder = repository / name
    folder.mkdir(parents=True, exist_ok=True)
    versions = [one.name for one in folder.iterdir() if one.is_dir() and one.name.isdigit()]
    version = int(max(versions, default="0")) + 1
    (folder / "config.pbtxt").write_text(
        f'name: "{name}"\nbackend: "python"\nmax_batch_size: {largest}\n'
        f'input [ {{ name: "FEATURES"\n data_type: TYPE_FP32\n dims: [ {len(model["columns"])} ] }} ]\n'
        'output [ { name: "CHANCE"\n data_type: TYPE_FP32\n dims: [ 1 ] } ]\n'
    )
    (folder / str(version)).mkdir()
    (folder / str(version) / "model.py").write_text(program)
    (folder / str(version) / "model.json").write_text(json.dumps(model))
    return version
