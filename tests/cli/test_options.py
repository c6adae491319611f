"""Every mistake in the arguments gives one message; the options of create are those of the models."""

from pathlib import Path
from typing import Any

import pytest
from gpucluster.backends.auto import AutoSpec
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.cli.arguments import HelpWanted, shown_path, whole_number
from gpucluster.cli.commands import MAGIC, SHELL
from gpucluster.cli.documentation import arguments, page
from gpucluster.cli.options import spec_from, spec_options
from gpucluster.cli.verbs import all_verbs, parser_for, verbs_of
from gpucluster.protocol.errors import GPUClusterError, InvalidRequest
from gpucluster.site.presets import PRESETS


@pytest.mark.parametrize("face", [SHELL, MAGIC])
@pytest.mark.parametrize(
    ("verb", "words", "sentence"),
    [
        ("create", ["--n-worker", "3"], "Unknown option '--n-worker'. Did you mean '--n-workers'?"),
        (
            "create",
            ["--directives", "--contiguous"],
            "Unknown option '--contiguous'. If it is the value of --directives, write --directives=--contiguous.",
        ),
        ("create", ["cuda"], "Unexpected 'cuda'."),
        ("create", ["--n-workers"], "--n-workers needs a value."),
        (
            "create",
            ["--launcher-options", "-n 1"],
            "--launcher-options needs a value. If the value is '-n 1', write --launcher-options='-n 1'.",
        ),
        ("create", ["--rmm-async=yes"], "--rmm-async takes no value, not 'yes'. Write --rmm-async or --no-rmm-async."),
        ("create", ["--frob\x1b[31m"], "Unknown option '--frob?[31m'."),
        ("lease", ["--bogus", "3"], "Unknown option '--bogus'. See"),
        ("create", ["--title", "x"], "Unknown option '--title'. See '"),
        ("node", ["--clas"], "Unknown option '--clas'. Did you mean '--class'?"),
        ("scale", [], "N is missing."),
        ("scale", ["a", "3", "4"], "Unexpected '4'."),
        ("adapt", ["1"], "MAXIMUM is missing."),
        ("status", ["a", "b"], "Unexpected 'b'."),
    ],
)
def test_message(face: str, verb: str, words: list[str], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parser_for(verb, face).read(words)
    assert caught.value.message.startswith(sentence)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["3"], {"n_workers": "3"}),
        (["lab", "3"], {"name": "lab", "n_workers": "3"}),
        (["lab", "--no-wait", "3"], {"name": "lab", "n_workers": "3", "no_wait": True}),
        (["--timeout", "5", "lab", "-1"], {"name": "lab", "n_workers": "-1", "timeout": "5"}),
        (["3", "3"], {"name": "3", "n_workers": "3"}),
    ],
)
def test_name_is_optional_and_options_go_anywhere(words: list[str], expected: dict[str, object]) -> None:
    assert vars(parser_for("scale", SHELL).read(words)) == expected


@pytest.mark.parametrize("face", [SHELL, MAGIC])
def test_every_verb_has_help(face: str) -> None:
    for verb in verbs_of(face):
        with pytest.raises(HelpWanted) as caught:
            parser_for(verb, face).read(["--help"])
        assert caught.value.text.startswith(f"usage: {face} {verb}")


def mistyped(name: str) -> set[str]:
    """Return a word with typing mistakes: shortened, lengthened, or with two letters swapped."""
    return {name[:-1], name + "s", name[0] + name[2:0:-1] + name[3:], name.replace("-", "", 1)} - {name}


@pytest.mark.parametrize("face", [SHELL, MAGIC])
@pytest.mark.full
def test_mistyped_option_gets_suggestion(face: str) -> None:
    for verb in verbs_of(face):
        parser = parser_for(verb, face)
        known = parser.options()
        flags = {f"--{typed}" for flag in known for typed in mistyped(flag.lstrip("-")) if flag.startswith("--")}
        for flag in sorted(flags - set(known)):
            for words in ([flag], [flag, "3"], [f"{flag}=3"], ["x", flag, "3"], ["3", flag, "--json"], [flag[1:], "3"]):
                with pytest.raises(InvalidRequest) as caught:
                    parser.read(words)
                message = caught.value.message
                assert message.startswith("Unknown option '-") and "Did you mean '--" in message, (verb, words)


def test_values_that_look_like_options() -> None:
    assert vars(parser_for("create", SHELL).read(["-n4"])) == {"n_workers": "4"}
    assert vars(parser_for("create", SHELL).read(["-n", "none"])) == {"n_workers": "none"}
    assert vars(parser_for("scale", SHELL).read(["--", "3"])) == {"n_workers": "3"}
    assert vars(parser_for("record", SHELL).read(["x", "--note", "--fast --now"])) == {
        "file": "x",
        "note": "--fast --now",
    }
    with pytest.raises(InvalidRequest, match="Unknown option '-name'. Did you mean '--name'"):
        parser_for("create", SHELL).read(["-name", "lab"])


@pytest.mark.parametrize(
    ("typed", "face", "verb"),
    [
        ("creat", SHELL, "create"), ("CREATE", MAGIC, "create"), ("copy", SHELL, "lessons copy"),
        ("lesson", SHELL, "lessons"), ("lessons cpoy", SHELL, "lessons copy"), ("--vresion", SHELL, "--version"),
        ("lsit", SHELL, "list"),
    ],
)  # fmt: skip
def test_an_unknown_verb_names_the_nearest(typed: str, face: str, verb: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parser_for(typed, face)
    assert caught.value.message.startswith(f"Unknown verb '{typed}'. Did you mean '{verb}'? The verbs are ")


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e3", "0", "-1", "101", "9" * 50])
def test_whole_number_refuses(text: str) -> None:
    with pytest.raises(InvalidRequest, match="^--lines: must "):
        whole_number(text, "--lines", 1, 100)


def test_a_long_path_is_shown_by_its_end():
    assert shown_path(Path("/tmp/a")) == "/tmp/a"
    assert shown_path("/home/ann/lessons\x1b[2J/06.ipynb") == "/home/ann/lessons?[2J/06.ipynb"
    shown = shown_path(f"/{'deep/' * 100}06.ipynb")
    assert (shown[0], shown[-14:], len(shown)) == ("…", "/deep/06.ipynb", 120)


def spec(*words: str) -> Any:
    return spec_from(parser_for("create", SHELL).read(words))


def refusal(*words: str) -> str:
    with pytest.raises(InvalidRequest) as caught:
        spec(*words)
    return caught.value.message


@pytest.mark.parametrize("model", [LocalSpec, CudaSpec, AutoSpec])
@pytest.mark.parametrize("face", [SHELL, MAGIC])
def test_each_field_is_an_option_with_its_description(model: type, face: str) -> None:
    parser = parser_for("create", face)
    text = " ".join(parser.format_help().split())
    for name, field in model.model_fields.items():  # type: ignore[attr-defined]
        assert "--" + name.replace("_", "-") in parser.options()
        if name != "protocol":  # longer for GPUs, and the help has the longest text
            assert " ".join(field.description.split()) in text


def test_help_shows_bounds_and_defaults_of_the_model() -> None:
    text = " ".join(parser_for("create", SHELL).format_help().split())
    assert "Tasks that one worker runs at the same time. 1 to 128. Default: 1." in text
    assert "1 to 2592000. Default: 3600." in text
    # Except for the remarks on single kinds.
    assert "--protocol {unix,tls,tcp,ucx,mpi}" in text
    assert "With mpi: {tls,tcp,mpi}, by default tls. 'tls' encrypts, and lets only you connect. 'mpi' connects" in text
    assert "With auto, local: {unix,tls,tcp}, by default unix." in text


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["--n-workers", "3"], "n_workers", 3),
        (["--n-workers=3"], "n_workers", 3),
        (["--n_workers", "3"], "n_workers", 3),
        (["--n-workers", "none"], "n_workers", None),
        (["--memory-limit", "2 GiB"], "memory_limit", 2**31),
        (["--memory-limit", "20%"], "memory_limit", 0.2),
        (["--memory-limit", "auto"], "memory_limit", "auto"),
        (["--memory-limit", "none"], "memory_limit", None),
        (["--idle-timeout-seconds", "none"], "idle_timeout_seconds", None),
        (["--backend", "cuda", "--devices", "0,2"], "devices", [0, 2]),
        (["--backend", "cuda", "--devices", "GPU-12345678, GPU-abcdef01"], "devices", ["GPU-12345678", "GPU-abcdef01"]),
        (["--backend", "cuda", "--rmm-async"], "rmm_async", True),
        (["--backend", "cuda", "--no-rmm-track-allocations"], "rmm_track_allocations", False),
        (["--backend", "cuda", "--protocol", "ucx", "--no-enable-nvlink"], "enable_nvlink", False),
        (["--backend", "cuda", "--pre-import", "cudf,cuml.cluster"], "pre_import", ["cudf", "cuml.cluster"]),
    ],
)
def test_typed_text_becomes_the_value(words: list[str], field: str, value: Any) -> None:
    found = getattr(spec(*words), field)
    assert found == value
    assert type(found) is type(value)


def test_a_value_of_two_dashes_is_not_lost() -> None:
    with pytest.raises(InvalidRequest, match="--directives: '--' is not an option of sbatch"):
        spec("--backend", "slurm", "--directives=--")
    with pytest.raises(InvalidRequest, match="--name: must start with a letter or digit"):
        spec("--name=--")


def test_only_what_was_given_is_sent() -> None:
    assert spec("--n-workers", "2").model_fields_set == {"backend", "n_workers"}
    assert spec().backend == "auto"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_is_a_start(preset: Any) -> None:
    made = spec("--preset", preset.name, "--name", "mine")
    assert made.model_dump(include=set(preset.spec)) == preset.spec
    assert made.name == "mine"


def test_an_option_wins_over_its_preset() -> None:
    assert spec("--preset", "cpu", "--n-workers", "3").n_workers == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--n-workers", "-1"], "--n-workers: must be at least 0, not -1."),
        (["--n-workers", "abc"], "--n-workers: must be a whole number, not 'abc'."),
        (["--n-workers", "1.5"], "--n-workers: must be a whole number, not '1.5'."),
        (["--n-workers", "true"], "--n-workers: must be a whole number, not 'true'."),
        (["--n-workers", "100000"], "--n-workers: must be at most 256, not 100000."),
        (["--n-workers", "1e30"], "--n-workers: must be a whole number, not '1e30'."),
        (["--n-workers", "NaN"], "--n-workers: must be a whole number, not 'NaN'."),
        (["--n-workers", ""], "--n-workers: must be a whole number, not ''."),
        (["--n-workers", "٣"], "--n-workers: must be a whole number, not '٣'."),
        (["--memory-limit", "1"], "--memory-limit: '1' is less than 1 MiB"),
        (["--backend", "gpu"], "--backend: must be one of"),
        (["--rmm-async"], "--rmm-async: is not an option of the backend 'auto'; it belongs to --backend cuda or"),
        (["--backend", "cuda", "--devices", "-1"], "--devices: '-1' is neither a GPU index nor a UUID such as"),
        (["--backend", "cuda", "--devices", ""], "--devices: must name at least one GPU"),
        (["--backend", "cuda", "--rmm-async", "--rmm-pool-size", "1 GiB"], "rmm_async keeps its own pool"),
        (["--preset", "gpuu"], "--preset: unknown preset 'gpuu' (did you mean 'gpu'?); available: auto,"),
    ],
)
def test_wrong_value_names_the_option(words: list[str], sentence: str) -> None:
    message = refusal(*words)
    assert message.startswith(sentence)
    assert "\n" not in message


def test_long_number_is_refused() -> None:
    assert refusal("--n-workers", "9" * 30).startswith("--n-workers: must be at most 256")
    assert refusal("--n-workers", "9" * 10_000).startswith("--n-workers: must be a whole number")


def test_options_say_which_backends_have_them() -> None:
    options = spec_options()
    assert options["n_workers"].backends == ("auto", "cuda", "local", "slurm", "ssh", "mpi", "kubernetes", "gateway")
    assert options["rmm_pool_size"].backends == ("cuda", "slurm", "ssh", "mpi", "kubernetes")


PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run: python -m gpucluster.cli.documentation > docs/command-line.md"
    )


def exit_codes(error: type[GPUClusterError]) -> set[int]:
    return {error.exit_code}.union(*(exit_codes(child) for child in error.__subclasses__()))


def test_documentation_is_complete() -> None:
    assert [verb.name for verb in all_verbs() if f"\n| `{verb.name}` | {verb.summary}" not in page()] == []
    text = arguments()
    for verb in all_verbs():
        assert f"\n## {verb.name}\n" in text
        for flag in parser_for(verb.name, verb.faces[0]).options():
            assert flag in text
    assert all(f"| {code} | " in page() for code in exit_codes(GPUClusterError))


def test_page_describes_common_arguments_once_and_names_them_in_usage() -> None:
    text = arguments()
    assert text.count("Print JSON instead of text.") == 1
    assert "\ngpucluster scale [OPTIONS] [--timeout SECONDS] [--json] [NAME] N\n" in text


def test_page_puts_the_kinds_of_most_options_into_the_heading() -> None:
    _, slurm = arguments().split("\nSlurm [slurm]\n", 1)
    assert "\n* `--partition PARTITION`: Partition that the jobs wait in. Default: chosen by Slurm.\n" in slurm
    assert "[slurm, kubernetes]\n" in slurm
