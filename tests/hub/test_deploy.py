"""The configurations in ``deploy/jupyterhub`` have names and values that the programs accept."""

import json
from pathlib import Path
from typing import Any

import batchspawner
import jsonschema
import pytest
import yaml
from gpucluster.server.extension import GPUClusterExtension
from gpucluster.site.reading import site_of
from jinja2 import Template
from jupyter_server.services.config.manager import ConfigManager
from jupyterhub.app import JupyterHub
from jupyterhub.scopes import scope_definitions
from jupyterhub.spawner import Spawner
from jupyterhub_idle_culler import IdleCuller
from systemdspawner import SystemdSpawner
from traitlets.config import Config, Configurable
from traitlets.config.loader import PyFileConfigLoader

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "jupyterhub"
SCHEMAS = Path(__file__).parent / "schemas"
CLASSES: dict[str, type[Configurable]] = {
    found.__name__: found
    for found in (JupyterHub, Spawner, SystemdSpawner, batchspawner.SlurmSpawner, GPUClusterExtension)
}


def python_config(path: str) -> Config:
    return PyFileConfigLoader(str(DEPLOY / path)).load_config()


def check(config: Config) -> None:
    """Assert that each setting is one of its class, with a valid value."""
    for name, section in config.items():
        traits = CLASSES[name].class_traits(config=True)
        for setting, value in section.items():
            assert setting in traits, f"{name}.{setting}"
            holder = CLASSES[name].__new__(CLASSES[name])
            traits[setting]._validate(holder, value)


def yaml_of(path: str) -> Any:
    return yaml.safe_load((DEPLOY / path).read_text())


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_text())


@pytest.mark.parametrize("path", ["tljh/gpucluster.py", "batchspawner/jupyterhub_config.py"])
def test_hub_accepts_the_configuration(path):
    config = python_config(path)
    assert config
    check(config)


def test_check_finds_wrong_settings():
    with pytest.raises(AssertionError, match=r"SlurmSpawner\.req_partion"):
        check(Config({"SlurmSpawner": {"req_partion": "course"}}))
    with pytest.raises(Exception, match="concurrent_spawn_limit"):
        check(Config({"JupyterHub": {"concurrent_spawn_limit": "ten"}}))


def test_job_of_a_server_has_the_configured_options():
    config = python_config("batchspawner/jupyterhub_config.py")
    spawner = config["SlurmSpawner"]
    defaults = {name[4:]: "" for name in batchspawner.SlurmSpawner.class_traits() if name.startswith("req_")}
    values = defaults | {name[4:]: value for name, value in spawner.items()}
    template = Template(batchspawner.SlurmSpawner.batch_script.default_value)
    script = template.render(**values, cmd="jupyterhub-singleuser")
    for line in ("--partition=course", "--time=04:00:00", "--mem=8G", "--gres=gpu:1", "--cpus-per-task=4"):
        assert f"#SBATCH {line}\n" in script


def test_options_of_servers_are_settings_of_the_extension():
    arguments = python_config("batchspawner/jupyterhub_config.py")["Spawner"]["args"]
    extension = GPUClusterExtension()
    extension.parse_command_line(arguments)
    assert (extension.standby, extension.activity_hours, extension.gauges_count_as_activity) == (True, 4.0, False)


def test_culler_has_the_scopes_that_it_needs():
    config = python_config("batchspawner/jupyterhub_config.py")["JupyterHub"]
    [service], [role] = config["services"], config["load_roles"]
    assert role["services"] == [service["name"]]
    assert set(role["scopes"]) <= set(scope_definitions)
    culler = IdleCuller()
    culler.parse_command_line(service["command"][3:])
    assert (culler.timeout, culler.cull_every) == (3600, 300)


def test_the_littlest_jupyterhub_accepts_its_file():
    jsonschema.validate(yaml_of("tljh/config.yaml"), schema("the-littlest-jupyterhub.json"))
    settings = json.loads((DEPLOY / "tljh/jupyter_gpucluster_config.json").read_text())
    check(Config(settings))
    assert settings["GPUClusterExtension"]["standby"] is False


@pytest.mark.parametrize("where", ["tljh", "kubernetes"])
def test_extension_reads_documented_settings(where, tmp_path, monkeypatch):
    if where == "tljh":
        name, text = "jupyter_gpucluster_config.json", (DEPLOY / "tljh/jupyter_gpucluster_config.json").read_text()
    else:
        file = yaml_of("kubernetes/values.yaml")["singleuser"]["extraFiles"]["gpucluster-settings"]
        name, text = Path(file["mountPath"]).name, json.dumps(file["data"])
    (tmp_path / name).write_text(text)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    extension = GPUClusterExtension()
    extension.load_config_file()
    assert (extension.standby, extension.activity_hours) == (False, 12.0)


def test_class_servers_disable_unneeded_extensions(tmp_path):
    """Later files of the folder take precedence: ours comes after those of the packages."""
    ours = json.loads((DEPLOY / "tljh/jupyter_server_config.json").read_text())
    assert ours == yaml_of("kubernetes/values.yaml")["singleuser"]["extraFiles"]["gpucluster-memory"]["data"]
    files = tmp_path / "jupyter_server_config.d"
    files.mkdir()
    for extension in ("dask_labextension", "jupyter_server_proxy"):
        (files / f"{extension}.json").write_text(json.dumps({"ServerApp": {"jpserver_extensions": {extension: True}}}))
    place = Path(yaml_of("kubernetes/values.yaml")["singleuser"]["extraFiles"]["gpucluster-memory"]["mountPath"])
    assert f"{place.parent.name}/{place.name}" in (ROOT / "docs" / "hub.md").read_text()
    (files / place.name).write_text(json.dumps(ours))
    read = ConfigManager(read_config_path=[str(tmp_path)]).get("jupyter_server_config")
    expected = {"dask_labextension": False, "jupyter_server_proxy": False}
    assert read["ServerApp"]["jpserver_extensions"] == expected


def test_chart_accepts_its_values():
    values = yaml_of("kubernetes/values.yaml")
    jsonschema.Draft202012Validator(schema("zero-to-jupyterhub.json")).validate(values)
    values["singleuser"]["extraFile"] = {}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema("zero-to-jupyterhub.json")).validate(values)
    check(Config(values["singleuser"]["extraFiles"]["gpucluster-settings"]["data"]))


def test_site_files_are_valid(tmp_path):
    file = tmp_path / "site.yaml"
    file.write_text(yaml.dump(yaml_of("kubernetes/values.yaml")["singleuser"]["extraFiles"]["gpucluster-site"]["data"]))
    for path in (file, DEPLOY / "site.yaml"):
        site = site_of(path)
        assert not site.troubles
        assert site.limits_of("local").n_workers == 2


def test_the_guide_names_every_file():
    guide = (ROOT / "docs" / "hub.md").read_text()
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            assert path.relative_to(DEPLOY).as_posix() in guide, path
