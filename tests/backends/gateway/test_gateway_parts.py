"""The kind ``gateway`` without a server: what can be typed, what options are, and where secrets come from."""

from dataclasses import asdict

import dask
import pytest
from gpucluster.backends.gateway.server import Login, Report, read_secret
from gpucluster.backends.gateway.spec import HUB_TOKEN, GatewaySpec, Option, checked, read_options
from gpucluster.protocol.errors import PreflightFailed
from gpucluster.protocol.kinds import parse_spec, spec_schemas

ROWS = [
    {"field": "cores", "label": "Cores", "default": 1, "spec": {"type": "int", "min": 1, "max": 4}},
    {"field": "share", "label": "share", "default": 0.5, "spec": {"type": "float", "min": 0.1, "max": None}},
    {"field": "profile", "default": "small", "spec": {"type": "select", "options": ["small", "big"]}},
    {"field": "fast", "label": "fast", "default": False, "spec": {"type": "bool"}},
    {"field": "image", "label": "image", "default": "", "spec": {"type": "string"}},
    {"field": "environment", "label": "environment", "default": {}, "spec": {"type": "mapping"}},
    {"field": "later", "label": "later", "default": None, "spec": {"type": "of a server to come"}},
]
OFFERED = read_options(ROWS)
DEFAULTS = {row["field"]: row["default"] for row in ROWS}


def test_options_are_read_from_text_and_from_mappings():
    assert GatewaySpec(gateway_options="cores=2, profile=big").gateway_options == {"cores": "2", "profile": "big"}  # type: ignore[arg-type]
    assert GatewaySpec(gateway_options='{"environment": {"A": "1,2"}}').gateway_options == {"environment": {"A": "1,2"}}  # type: ignore[arg-type]
    assert GatewaySpec(address="https://hub/services/dask-gateway/").address == "https://hub/services/dask-gateway"
    shown = spec_schemas()["gateway"]["properties"]
    assert not {"threads_per_worker", "memory_limit", "local_directory"} & set(shown)


def test_stop_shuts_down_new_clusters_by_default():
    assert GatewaySpec().ends_with_us
    assert not GatewaySpec(cluster_name="x").ends_with_us
    assert GatewaySpec(cluster_name="x", shutdown_on_stop=True).ends_with_us
    assert not GatewaySpec(shutdown_on_stop=False).ends_with_us


def test_typed_values_are_converted():
    typed = {"cores": "2", "share": "1", "profile": "big", "fast": "Yes", "image": 3, "environment": '{"A": "b"}'}
    wanted = {"cores": 2, "share": 1.0, "profile": "big", "fast": True, "image": "3", "environment": {"A": "b"}}
    assert checked(OFFERED, typed, {}) == {**DEFAULTS, **wanted}
    assert checked(OFFERED, wanted, {}) == {**DEFAULTS, **wanted}
    assert checked(OFFERED, {"cores": 3}, {"cores": 2, "image": "i"}) == {**DEFAULTS, "cores": 3, "image": "i"}
    assert checked([], {}, {}) == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cores": 0}, "gateway_options.cores: must be a whole number from 1 to 4, not '0'."),
        ({"cores": True}, "gateway_options.cores: must be a whole number from 1 to 4, not 'true'."),
        ({"cores": 1.5}, "must be a whole number from 1 to 4, not '1.5'"),
        ({"share": "nan"}, "must be a number of at least 0.1, not 'nan'"),
        ({"share": 0}, "gateway_options.share: must be a number of at least 0.1, not '0'."),
        ({"profile": "Big"}, "must be one of 'small', 'big', not 'Big'. Did you mean 'big'?"),
        ({"fast": "perhaps"}, "gateway_options.fast: must be true or false, not 'perhaps'."),
        ({"environment": "A=b"}, "must be a mapping (a JSON object), not 'A=b'"),
        ({"image": []}, "gateway_options.image: must be text, not '[]'."),
        ({"core": 2, "fast": 2}, "available: cores, share, profile, fast, image, environment, later. Did you mean 'co"),
    ],
)
def test_values_that_the_server_would_refuse_are_refused(given, message):
    with pytest.raises(PreflightFailed) as refused:
        checked(OFFERED, given, {})
    assert message in refused.value.message
    assert {fault.field for fault in refused.value.fields} == {f"gateway_options.{name}" for name in given}


def test_wrong_setting_of_dask_is_named():
    with pytest.raises(PreflightFailed, match="Dask's setting gateway.cluster.options: this Dask Gateway offers no"):
        checked([], {}, {"cores": 2})


def test_option_has_a_description_and_a_schema():
    described = {option.name: option.described() for option in OFFERED}
    assert described["cores"] == "cores (Cores): a whole number from 1 to 4; 1 by default"
    assert described["profile"] == "profile: one of 'small', 'big'; small by default"
    cores: Option = OFFERED[0]
    assert cores.schema() == {"title": "Cores", "type": "integer", "default": 1, "minimum": 1, "maximum": 4}


def test_secrets_come_from_variables_and_private_files(tmp_path, monkeypatch):
    path = tmp_path / "password"
    path.write_text("open sesame\n")
    path.chmod(0o600)
    assert read_secret(str(path)) == "open sesame"
    path.chmod(0o640)
    with pytest.raises(PreflightFailed, match="other users can read"):
        read_secret(str(path))
    with pytest.raises(PreflightFailed, match="cannot be read .Is a directory."):
        read_secret(str(tmp_path))
    with pytest.raises(PreflightFailed, match="cannot be read"):
        read_secret(str(tmp_path / "none"))
    monkeypatch.setenv("OF_A_TEST", "x")
    assert read_secret("OF_A_TEST") == "x"


async def test_defaults_come_from_dasks_configuration(monkeypatch):
    pytest.importorskip("dask_gateway", reason="needs the package 'dask-gateway'")
    monkeypatch.setenv("OF_A_TEST", "hub.example.org")
    settings = {
        "gateway.address": "https://{OF_A_TEST}/gateway/",
        "gateway.proxy-address": 8786,
        "gateway.auth": {"type": "basic", "kwargs": {"username": "bob", "password": "{OF_A_TEST}"}},
    }
    with dask.config.set(settings):
        found = Login.of(GatewaySpec())
        client = found.gateway()
        assert client.address == "https://hub.example.org/gateway"
        assert client.proxy_address == "gateway://hub.example.org:8786"
        assert (client.auth.username, client.auth.password) == ("bob", "hub.example.org")
        assert "hub.example.org" not in str({**asdict(found), "address": ""}), "no secret is written down"
        # The configuration of one kind of login is not used for another.
        monkeypatch.setenv(HUB_TOKEN, "t")
        assert Login.of(GatewaySpec(auth="jupyterhub")).gateway().auth.api_token == "t"
    for address, message in ((None, "no 'gateway.address'"), ("{NOT_THERE_AT_ALL}", "not set")):
        with dask.config.set({"gateway.address": address}), pytest.raises(PreflightFailed, match=message):
            Login.of(GatewaySpec())


def test_the_token_of_the_hub_reaches_no_other_kind(monkeypatch):
    monkeypatch.setenv(HUB_TOKEN, "t")
    assert GatewaySpec().process_environment() == {HUB_TOKEN: "t"}
    assert GatewaySpec(auth="basic").process_environment() == {}
    assert parse_spec({"backend": "local"}).process_environment() == {}


def test_report_of_a_stopping_cluster_is_ended():
    given = {"name": "x", "start_time": 2000, "tls_cert": None, "tls_key": None}
    ended = {status: Report.read({**given, "status": status}).ended for status in ("PENDING", "RUNNING", "STOPPING")}
    assert ended == {"PENDING": False, "RUNNING": False, "STOPPING": True}
