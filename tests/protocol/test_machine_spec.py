"""Options of kinds whose workers are processes of this machine."""

from __future__ import annotations

import json

import pytest
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.machine_spec import HIDDEN
from gpucluster.protocol.spec import parse_spec
from gpucluster.protocol.version import GIVEN_VARIABLES


@pytest.mark.parametrize("backend", ["local", "auto", "cuda"])
def test_they_can_be_typed_as_text_and_given_as_mappings(backend):
    typed = parse_spec({"backend": backend, "env": "A=1, B=two=2", "resources": "GPU=2,MEMORY=4e9", "preload": "numpy"})
    options = {"env": {"A": 1, "B": "two=2"}, "resources": {"GPU": 2, "MEMORY": 4e9}, "preload": ["numpy"]}
    given = parse_spec({"backend": backend, **options})
    assert typed == given
    assert given.env == {"A": "1", "B": "two=2"}
    assert given.resources == {"GPU": 2.0, "MEMORY": 4e9}
    packed = given.process_environment()
    assert {name: json.loads(value) for name, value in packed.items()} == {GIVEN_VARIABLES: given.env}


@pytest.mark.parametrize("backend", ["local", "auto", "cuda", "ssh", "mpi", "slurm", "kubernetes"])
@pytest.mark.parametrize("name", ["a'$(touch x)", "two words", "a=b", "a,b", ""])
def test_a_resource_has_a_name_that_a_worker_can_start_with(backend, name):
    with pytest.raises(InvalidRequest) as refusal:
        parse_spec({"backend": backend, "resources": {name: 1}})
    said = [fault.message for fault in refusal.value.fields if fault.field == "resources"]
    assert said == [
        f"'{name}' cannot be the name of a resource: it may have letters, digits and other signs, but no space, ',' or "
        "'=', and at most 100 of them"
    ]
    assert parse_spec({"backend": "local", "resources": {"a'$(x)": 1}}).resources == {"a'$(x)": 1.0}


def test_only_what_forked_workers_read_too_early_is_for_the_process_that_starts_them():
    env = {"HOME": "/elsewhere", "LD_PRELOAD": "libm.so", "GPUCLUSTER_DIR": "/elsewhere"}
    here = parse_spec({"backend": "local", "env": env}).process_environment()
    packed = json.loads(here.pop(GIVEN_VARIABLES))
    assert here == {"LD_PRELOAD": "libm.so"}
    assert {**here, **packed} == env
    there = parse_spec({"backend": "mpi", "env": env}).process_environment()
    assert {name: json.loads(value) for name, value in there.items()} == {GIVEN_VARIABLES: env}


def test_the_values_of_variables_are_not_written_down():
    spec = parse_spec({"backend": "local", "env": {"PASSWORD": "swordfish"}, "n_workers": 0})
    assert spec.written_down().env == {"PASSWORD": HIDDEN}
    assert "swordfish" not in spec.written_down().model_dump_json()
    assert parse_spec(spec.written_down().model_dump()).n_workers == 0


@pytest.mark.parametrize("zero", [0, 0.0, "0", " 0 ", None])
def test_a_limit_of_nothing_is_no_limit(zero):
    spec = parse_spec({"backend": "cuda", "memory_limit": zero, "device_memory_limit": zero})
    assert (spec.memory_limit, spec.device_memory_limit) == (None, None)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("env", "A", "must be written like 'NAME=value,OTHER=value'"),
        ("env", ["A=1"], "must be a mapping of names to values"),
        ("env", {"A=B": "1"}, "'A=B' cannot be the name of an environment variable"),
        ("env", {"A B": "1"}, "'A B' cannot be the name of an environment variable"),
        ("env", {"": "1"}, "'' cannot be the name"),
        ("env", {1: "1"}, "'1' cannot be the name"),
        ("env", {"A": "a\0b"}, "A has a value that no environment variable can have"),
        ("env", {"A": "\ud800"}, "A has a value that no environment variable can have"),
        ("env", {"A": None}, "the value of A must be text or a number"),
        ("env", {f"A{n}": "1" for n in range(201)}, "may have at most 200 entries"),
        ("resources", {"GPU": -1}, "the amount of GPU must be a number of at least 0"),
        ("resources", {"GPU": "many"}, "the amount of GPU must be a number of at least 0"),
        ("resources", {"GPU": True}, "the amount of GPU must be a number of at least 0"),
        ("resources", {"G\nPU": 1}, "cannot be the name of a resource"),
        ("resources", {"x" * 101: 1}, "no space, ',' or '=', and at most 100 of them"),
        ("preload", "https://example.org/setup.py", "nothing is downloaded"),
        ("preload", ["relative.path/setup.py"], "nothing is downloaded"),
        ("preload", ["import os; os.abort()"], "neither the name of a module nor the absolute path"),
        ("lifetime_seconds", 0, "must be at least 1, not 0"),
        ("lifetime_stagger_seconds", "soon", "must be a whole number"),
        ("n_workers", -1, "must be at least 0, not -1"),
    ],
)
def test_a_bad_value_is_refused_with_a_sentence(field, value, words):
    with pytest.raises(InvalidRequest) as refusal:
        parse_spec({"backend": "local", field: value})
    assert refusal.value.message.startswith(field)
    assert words in refusal.value.message
