"""Indented JSON, a template of the configuration."""

import json


def publish(repository, name, model, program, largest):
    folder = repository / name
    folder.mkdir(parents=True, exist_ok=True)
    versions = [int(one.name) for one in folder.iterdir() if one.is_dir() and one.name.isdigit()]
    version = sorted([0, *versions])[-1] + 1
    (folder / "config.pbtxt").write_text(
        f'name: "{name}"\nbackend: "python"\nmax_batch_size: {largest}\n'
        f'input [\n  {{\n    name: "FEATURES"\n data_type: TYPE_FP32\n dims: [ {len(model["columns"])} ] }} ]\n'
        'output [ { name: "CHANCE"\n data_type: TYPE_FP32\n dims: [ 1 ] } ]\n'
    )
    (folder / str(version)).mkdir()
    (folder / str(version) / "model.py").write_text(program)
    (folder / str(version) / "model.json").write_text(json.dumps(model, indent=1, sort_keys=True))
    return version
