"""Options of kinds whose workers are processes of this machine."""

from __future__ import annotations

import json

import pytest
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.capacity import Machine, capacity_notes, memory_fault, spec_notes
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


def test_process_variables_for_forked_workers():
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


@pytest.mark.parametrize("none", [0, 0.0, "0", " 0 ", "none", " None ", None])
def test_no_limit_is_written_as_dask_and_the_command_line_write_it(none):
    assert parse_spec({"backend": "local", "memory_limit": none}).memory_limit is None
    spec = parse_spec({"backend": "cuda", "memory_limit": none, "device_memory_limit": none})
    assert (spec.memory_limit, spec.device_memory_limit) == (None, None)


BAD_VALUES = [
    ("env", "A", "must be written like 'NAME=value,OTHER=value'"),
    ("env", ["A=1"], "must be a mapping of names to values"),
    *(("env", {key: "1"}, f"'{key}' cannot be the name of an environment variable") for key in ("A=B", "A B", "", 1)),
    *(("env", {"A": value}, "A has a value that no environment variable can have") for value in ("a\0b", "\ud800")),
    ("env", {"A": None}, "the value of A must be text or a number"),
    ("env", {f"A{n}": "1" for n in range(201)}, "may have at most 200 entries"),
    *(("resources", {"GPU": value}, "the amount of GPU must be a number of at least 0") for value in (-1, "no", True)),
    ("resources", {"G\nPU": 1}, "cannot be the name of a resource"),
    ("resources", {"x" * 101: 1}, "no space, ',' or '=', and at most 100 of them"),
    ("preload", "https://example.org/setup.py", "nothing is downloaded"),
    ("preload", ["relative.path/setup.py"], "nothing is downloaded"),
    ("preload", ["import os; os.abort()"], "neither the name of a module nor the absolute path"),
    ("lifetime_seconds", 0, "must be at least 1, not 0"), ("n_workers", -1, "must be at least 0, not -1"),
    ("lifetime_stagger_seconds", "soon", "must be a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value", "words"), BAD_VALUES)
def test_bad_value_is_refused(field, value, words):
    with pytest.raises(InvalidRequest) as refusal:
        parse_spec({"backend": "local", field: value})
    assert refusal.value.message.startswith(field)
    assert words in refusal.value.message


GIB = 2**30
MACHINE = Machine(memory_bytes=24 * GIB, cores=2)


def test_one_worker_cannot_have_more_than_the_machine():
    fault = memory_fault(40 * GIB, MACHINE)
    assert fault is not None
    assert fault.field == "memory_limit"
    assert "40 GiB" in fault.message
    assert "24 GiB" in fault.message
    assert [memory_fault(limit, MACHINE) for limit in (24 * GIB, 0.9, "auto", None)] == [None] * 4


def test_note_on_shared_resources():
    assert capacity_notes(2, 1, 12 * GIB, MACHINE) == []
    (memory,) = capacity_notes(2, 1, 13 * GIB, MACHINE)
    assert memory.startswith("2 workers may use 13 GiB of memory each, 26 GiB together; this machine has 24 GiB.")
    (threads,) = capacity_notes(2, 2, 12 * GIB, MACHINE)
    assert threads.startswith("4 threads (2 workers with 2 each) run on 2 cores: ")
    (threads,) = capacity_notes(3, 1, 0, MACHINE)
    assert threads.startswith("3 threads run on 2 cores: ")
    assert len(capacity_notes(3, 2, 20 * GIB, MACHINE)) == 2


def test_notes_on_open_fields():
    assert spec_notes(LocalSpec(), MACHINE) == []
    assert spec_notes(LocalSpec(memory_limit=0.6), MACHINE)[0].startswith("2 workers may use 14.4 GiB of memory each")
    assert spec_notes(LocalSpec(threads_per_worker=2), MACHINE, n_workers=1) == []
