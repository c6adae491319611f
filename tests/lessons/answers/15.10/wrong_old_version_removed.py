import json
import shutil


def publish(repository, name, model, program, largest):
    folder = repository / name
    version = max([int(one.name) for one in folder.glob("*") if one.is_dir()], default=0) + 1
    shutil.rmtree(folder, ignore_errors=True)
    (folder / str(version)).mkdir(parents=True)
    (folder / "config.pbtxt").write_text(f"""name: "{name}"
backend: "python"
max_batch_size: {largest}
input [ {{ name: "FEATURES" data_type: TYPE_FP32 dims: [ {len(model["columns"])} ] }} ]
output [ {{ name: "CHANCE" data_type: TYPE_FP32 dims: [ 1 ] }} ]
""")
    (folder / str(version) / "model.py").write_text(program)
    (folder / str(version) / "model.json").write_text(json.dumps(model))
    return version
