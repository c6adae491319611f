"""Messages for bad input name the field, the fault and what is allowed; and options of processes of this machine."""

import json

import pytest
from gpucluster.backends.auto import AutoSpec
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.capacity import Machine, capacity_notes, memory_fault, spec_notes
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.machine_spec import HIDDEN
from gpucluster.protocol.spec import parse_patch, parse_spec
from gpucluster.protocol.version import GIVEN_VARIABLES
from hypothesis import given, settings
from hypothesis import strategies as st

HUGE = 10**5000  # Python refuses to write it out
KINDS = "backend: must be one of 'auto', 'cuda', 'local', 'slurm', 'ssh', 'mpi', 'kubernetes', 'gateway', 'existing'"

BAD_NUMBERS = [
    ({"n_workers": -1}, "n_workers: must be at least 0, not -1."),
    ({"n_workers": "abc"}, "n_workers: must be a whole number, not 'abc'."),
    ({"n_workers": ""}, "n_workers: must be a whole number, not ''."),
    ({"n_workers": 1.5}, "n_workers: must be a whole number, not 1.5."),
    ({"n_workers": True}, "n_workers: must be a whole number, not True."),
    ({"n_workers": 100_000}, "n_workers: must be at most 256, not 100000."),
    ({"n_workers": 10**30}, f"n_workers: must be at most 256, not {10**30}."),
    ({"n_workers": HUGE}, "n_workers: must be at most 256."),
    ({"n_workers": "NaN"}, "n_workers: must be a whole number, not 'NaN'."),
]
BAD_SPECS = [
    *BAD_NUMBERS,
    ({"n_workers": "2"}, "n_workers: must be a whole number, not '2'."),
    ({"n_workers": float("nan")}, "n_workers: must be a whole number, not nan."),
    ({"workers": 2}, "workers: is not an option of this request (did you mean 'n_workers'?)."),
    ({1: 2}, "1: is not an option of this request."),
    (
        {"backend": "pbs"},
        f"{KINDS}, not 'pbs'. Other kinds are provided by packages: install one in this Python environment.",
    ),
    ({"backend": None}, f"{KINDS}."),
    ({"backend": []}, f"{KINDS}."),
    ({"threads_per_worker": 0}, "threads_per_worker: must be at least 1, not 0."),
    ({"idle_timeout_seconds": 0}, "idle_timeout_seconds: must be at least 1, not 0."),
    ({"backend": "local", "protocol": "udp"}, "protocol: must be one of 'unix', 'tls' or 'tcp', not 'udp'."),
    ({"backend": "cuda", "rmm_async": "maybe"}, "rmm_async: must be true or false, not 'maybe'."),
    ({"local_directory": "relative"}, "local_directory: must be an absolute path."),
    ({"local_directory": "/a\0b"}, "local_directory: must be an absolute path."),
    ({"local_directory": "/\ud800"}, "local_directory: The path /? is not UTF-8. Choose another directory."),
    ("", "is not valid JSON."),
    (b"", "is not valid JSON."),
    ("[", "is not valid JSON."),
    (b"\xff", "is not valid JSON."),
    ("null", "must be a JSON object, not None."),
    ("[]", "must be a JSON object, not []."),
    (None, "must be a JSON object, not None."),
    (5, "must be a JSON object, not 5."),
]


@pytest.mark.parametrize(("value", "sentence"), BAD_SPECS, ids=range(len(BAD_SPECS)))
def test_bad_spec_is_refused(value, sentence):
    with pytest.raises(InvalidRequest) as refusal:
        parse_spec(value)
    assert refusal.value.message == sentence
    assert refusal.value.http_status == 422


@pytest.mark.parametrize("name", ["", "-a", "a b", "a/b", "../a", "x" * 64, "a\n", "é", "a\0", "\ud800"])
def test_name_with_special_characters_is_refused(name):
    with pytest.raises(InvalidRequest, match="^name: must start with a letter or digit"):
        parse_spec({"name": name})


def test_name_like_an_id_is_refused():
    with pytest.raises(InvalidRequest, match="^name: must not look like the id of a cluster"):
        parse_spec({"name": "c34cc47b"})


@pytest.mark.parametrize(
    ("field", "value"),
    [("kernel_name", "a\n"), ("interface", "ib0\n"), ("pre_import", ["cudf\n"]), ("devices", ["GPU-12345678\n"])],
)
def test_no_text_field_takes_a_line_break(field, value):
    with pytest.raises(InvalidRequest) as refusal:
        parse_spec({"backend": "cuda", "protocol": "ucx", field: value})
    assert [item.field.partition(".")[0] for item in refusal.value.fields] == [field]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rmm_async": True, "rmm_managed_memory": True}, "cannot be combined"),
        ({"rmm_async": True, "rmm_pool_size": 0.5}, "omit rmm_pool_size"),
        ({"rmm_release_threshold": "1 GiB"}, "only with rmm_async"),
        ({"rmm_maximum_pool_size": "1 GiB"}, "needs rmm_pool_size or rmm_async"),
        ({"rmm_pool_size": "2 GiB", "rmm_maximum_pool_size": "1 GiB"}, "must be at least rmm_pool_size"),
        ({"enable_nvlink": True}, "needs protocol 'ucx'"),
        ({"interface": "ib0"}, "'unix' stays on this machine"),
        ({"cudf_spill_stats": 1}, "needs enable_cudf_spill"),
        ({"devices": []}, "at least one GPU"), ({"devices": [0, 0]}, "names a GPU twice"),
        ({"devices": [0, "GPU-12345678"]}, "not a mixture"), ({"devices": ["gpu0"]}, "neither a GPU index nor a UUID"),
        ({"devices": [0], "n_workers": 2}, "1 GPUs are named; one worker each"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(options, words):
    with pytest.raises(InvalidRequest, match=words):
        parse_spec({"backend": "cuda", **options})


BAD_PATCHES = [
    ({}, "pass exactly one of n_workers, adapt and idle_timeout_seconds."),
    ({"n_workers": 1, "adapt": {"minimum": 0, "maximum": 1}}, "pass exactly one of n_workers, adapt and "
     "idle_timeout_seconds."),
    ({"n_workers": None}, "n_workers must not be empty."),
    ({"adapt": None}, "adapt must not be empty."),
    *BAD_NUMBERS,
    ({"adapt": {}}, "adapt.minimum: is required; adapt.maximum: is required."),
    ({"adapt": {"minimum": 5, "maximum": 1}}, "adapt: minimum (5) must not be larger than maximum (1)."),
    ({"adapt": {"minimum": -3, "maximum": -1}}, "adapt.minimum: must be at least 0, not -3; "
     "adapt.maximum: must be at least 1, not -1."),
    ({"adapt": {"minimum": 0, "maximum": 10**9}}, "adapt.maximum: must be at most 256, not 1000000000."),
    ({"adapt": 5}, "adapt: must be a JSON object, not 5."),
    ({"idle_timeout_seconds": -1}, "idle_timeout_seconds: must be at least 0, not -1."),
    ({"name": "x", "workers": 2}, "name: is not an option of this request; workers: is not an option of this request."),
    ("not JSON", "is not valid JSON."),
    (b"", "is not valid JSON."),
    ("null", "must be a JSON object, not None."),
    (None, "must be a JSON object, not None."),
]  # fmt: skip


@pytest.mark.parametrize(("value", "sentence"), BAD_PATCHES, ids=range(len(BAD_PATCHES)))
def test_bad_change_is_refused(value, sentence):
    with pytest.raises(InvalidRequest) as refusal:
        parse_patch(value)
    assert refusal.value.message == sentence


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
fields = sorted({*LocalSpec.model_fields, *CudaSpec.model_fields, *AutoSpec.model_fields, "nonsense"})


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(fields), anything, max_size=4) | anything)
def test_any_input_is_a_serializable_spec_or_refused(value):
    try:
        spec = parse_spec(value)
    except InvalidRequest as refusal:
        assert refusal.message.endswith(".")
        assert refusal.message.isprintable()
        assert refusal.fields
    else:
        assert parse_spec(spec.model_dump_json()) == spec


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(["n_workers", "adapt", "idle_timeout_seconds", "x"]), anything) | anything)
def test_anything_is_either_a_change_or_a_refusal(value):
    try:
        patch = parse_patch(value)
    except InvalidRequest as refusal:
        assert refusal.fields
    else:
        assert parse_patch(json.dumps(patch.model_dump(exclude_unset=True))) == patch


@pytest.mark.parametrize("parse", [parse_spec, parse_patch])
def test_many_mistakes_are_summarized(parse):
    """Formatting 50,000 mistakes blocked the Jupyter server for seconds."""
    body = json.dumps({f"k{number}": 1 for number in range(50_000)})
    with pytest.raises(InvalidRequest, match="The request has 5000[0-9] errors, too many to list") as refusal:
        parse(body)
    assert len(refusal.value.message) < 100
    assert len(refusal.value.fields) == 1


@pytest.mark.parametrize("backend", ["local", "auto", "cuda"])
def test_mappings_can_be_given_as_text(backend):
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
def test_invalid_resource_name_is_refused(backend, name):
    with pytest.raises(InvalidRequest) as refusal:
        parse_spec({"backend": backend, "resources": {name: 1}})
    said = [fault.message for fault in refusal.value.fields if fault.field == "resources"]
    assert said == [
        f"'{name}' is not a valid resource name: use at most 100 letters, digits and other characters, without "
        f"spaces, ',' and '='"
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


def test_variable_values_are_not_recorded():
    spec = parse_spec({"backend": "local", "env": {"PASSWORD": "swordfish"}, "n_workers": 0})
    assert spec.written_down().env == {"PASSWORD": HIDDEN}
    assert "swordfish" not in spec.written_down().model_dump_json()
    assert parse_spec(spec.written_down().model_dump()).n_workers == 0


@pytest.mark.parametrize("none", [0, 0.0, "0", " 0 ", "none", " None ", None])
def test_no_limit_has_the_spellings_of_dask(none):
    assert parse_spec({"backend": "local", "memory_limit": none}).memory_limit is None
    spec = parse_spec({"backend": "cuda", "memory_limit": none, "device_memory_limit": none})
    assert (spec.memory_limit, spec.device_memory_limit) == (None, None)


BAD_VALUES = [
    ("env", "A", "must be written like 'NAME=value,OTHER=value'"),
    ("env", ["A=1"], "must be a mapping of names to values"),
    *(("env", {key: "1"}, f"'{key}' is not a valid environment variable name") for key in ("A=B", "A B", "", 1)),
    *(("env", {"A": value}, "the value of A is not allowed in an env") for value in ("a\0b", "\ud800")),
    ("env", {"A": None}, "the value of A must be text or a number"),
    ("env", {f"A{n}": "1" for n in range(201)}, "may have at most 200 entries"),
    *(("resources", {"GPU": value}, "the amount of GPU must be a number of at least 0") for value in (-1, "no", True)),
    ("resources", {"G\nPU": 1}, "is not a valid resource name"),
    ("resources", {"x" * 101: 1}, "use at most 100 letters"),
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
