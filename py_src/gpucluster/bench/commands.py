"""The verb ``bench`` of the command line and the magic."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from ..cli import EXIT_INTERRUPTED
from ..cli.arguments import SentenceParser, did_you_mean, shown, whole_number
from ..cli.commands import LIVING, Answer, Commands, Say, Subcommand
from ..cli.options import add_spec_options, spec_from, spec_options
from ..protocol.errors import InvalidRequest
from ..protocol.spec import MAX_WORKERS
from .workload import NAMES, SIZES, TRANSPORTS

if TYPE_CHECKING:
    from .result import BenchResult
    from .target import Target
    from .transports import TransportResult

R = TypeVar("R", "BenchResult", "TransportResult")
BENCH_FIELDS = ("name", "threads_per_worker", "memory_limit", "protocol", "devices", "rmm_pool_size")
"""Fields of the spec of a temporary cluster."""
_COMPARE = "compare"
_MEASURING = ("only", "size", "seconds", "workers", "repeats", "output", "no_report", "scheduler", "transports")


class WorkloadModel(BaseModel, frozen=True):
    """One workload as JSON."""

    name: str
    title: str
    sizes: dict[str, dict[str, int]]


def declare_bench(parser: SentenceParser, _face: str) -> None:
    parser.argument(
        "words", nargs="*", metavar="NAME", complete=LIVING,
        help="Name or id of a running cluster. Default: a temporary one. Or 'compare FIRST "
        "SECOND': compare two files of results.",
    )  # fmt: skip
    parser.argument("--list", action="store_true", help="List the workloads and their sizes.")
    parser.argument(
        "--only", metavar="A,B,…", complete=NAMES,
        help="Measure only these workloads. Default: all that the cluster can run.",
    )  # fmt: skip
    parser.argument(
        "--size", metavar="{" + ",".join(SIZES) + "}", complete=SIZES,
        help="Size of the data; if it exceeds memory, a smaller one is measured. Default: small.",
    )  # fmt: skip
    parser.argument("--seconds", metavar="N", help="Instead of a size: the total time allowed. 10 to 86400.")
    parser.argument(
        "--workers", metavar="A,B,…",
        help="Measure with each of these numbers of workers in turn, such as 1,2,4. Default: the present number.",
    )  # fmt: skip
    parser.argument("--repeats", metavar="N", help="Measured runs, after one warm-up. 1 to 100. Default: 5.")
    parser.argument(
        "--output", metavar="FILE", complete="file",
        help="Write the results there as JSON, and a report beside it as HTML. Default: a name with the time, here.",
    )  # fmt: skip
    parser.argument("--no-report", action="store_true", help="Write no HTML report.")
    parser.argument(
        "--scheduler", metavar="ADDRESS", complete="file",
        help="Measure any Dask cluster: address of its scheduler, or a scheduler file.",
    )  # fmt: skip
    parser.argument(
        "--transports", metavar="A,B,…", complete=TRANSPORTS,
        help="Instead: start a cluster for each of these transports ("
        + ", ".join(TRANSPORTS) + "), and compare messages and workloads over them, in turns.",
    )  # fmt: skip
    add_spec_options(parser, BENCH_FIELDS)


def bench(found: Namespace, say: Say) -> Answer:
    words = list(getattr(found, "words", []))
    if getattr(found, "list", False):
        return _list(found)
    if words[:1] == [_COMPARE]:
        return _compare(found, words[1:])
    if "transports" in vars(found):
        return _transports(found, words, say)
    if len(words) > 1:
        raise InvalidRequest(f"Unexpected '{shown(words[1])}': one cluster is measured at a time.")
    return _measure(found, words[0] if words else None, say)


def _list(found: Namespace) -> Answer:
    from .catalogue import workloads
    from .text import workloads_text

    chosen = workloads(_only(found))
    return Answer(workloads_text(chosen), [WorkloadModel.model_validate(one, from_attributes=True) for one in chosen])


def _compare(found: Namespace, files: Sequence[str]) -> Answer:
    given = [option for option in (*_MEASURING, "backend", "preset", *BENCH_FIELDS) if option in vars(found)]
    if given:
        raise InvalidRequest(f"{_flag(given[0])} cannot be used with 'bench compare'.")
    if len(files) != 2:
        raise InvalidRequest("Pass two result files: bench compare FIRST SECOND.")
    from .comparison import compare
    from .result import load

    answer = compare(load(files[0]), load(files[1]))
    return Answer(answer.text(), answer)


def _measure(found: Namespace, name: str | None, say: Say) -> Answer:
    only, size, counts = _only(found), _size(found), _counts(found)
    seconds = whole_number(found.seconds, "--seconds", 10, 86_400) if "seconds" in vars(found) else None
    if size is not None and seconds is not None:
        raise InvalidRequest("Pass --size or --seconds, not both.")
    repeats = whole_number(getattr(found, "repeats", "5"), "--repeats", 1, 100)
    output = _output(found)
    measured = _target(found, name, counts)

    from . import running, text
    from .report import write_report

    say("Getting the cluster")
    with measured as target:
        result = running.bench(
            target, only=only, size=size, seconds=seconds, workers=counts, repeats=repeats, say=say
        )  # fmt: skip
    code = int(any(item.failed for item in result.left_out)) if result.complete else EXIT_INTERRUPTED
    if not getattr(found, "no_report", False):
        say("Writing the report")
    return _written(found, result, output, write_report, text.result_text(result), code)


def _transports(found: Namespace, words: Sequence[str], say: Say) -> Answer:
    others = ("only", "seconds", "workers", "scheduler", "backend", "preset", *BENCH_FIELDS)
    if given := [option for option in others if option in vars(found) and getattr(found, option) is not None]:
        raise InvalidRequest(
            f"{_flag(given[0])} cannot be combined with --transports: it starts clusters of two workers."
        )
    if words:
        raise InvalidRequest(f"--transports starts its own clusters; omit '{shown(words[0])}'.")
    names = _names(found.transports, "--transports", TRANSPORTS, "transport ", f"of {', '.join(TRANSPORTS)}")
    size: Any = _size(found) or "small"
    output = _output(found)
    repeats = whole_number(getattr(found, "repeats", "5"), "--repeats", 1, 100)

    from . import transports

    result = transports.compare_transports(names, size=size, repeats=repeats, say=say)
    return _written(found, result, output, transports.write_page, transports.text(result))


def _written(
    found: Namespace, result: R, output: Path, write_page: Callable[[R, Path], None], text: str, code: int = 0
) -> Answer:
    result.save(output)
    written = [output]
    if not getattr(found, "no_report", False):
        written.append(output.with_suffix(".html"))
        write_page(result, written[-1])
    return Answer(text, result, [f"Written: {path}" for path in written], code=code)


def _target(found: Namespace, name: str | None, counts: list[int] | None) -> AbstractContextManager[Target]:
    """Return the cluster to measure; nothing is started or connected before it is entered."""
    address = getattr(found, "scheduler", None)
    created = [option for option in ("backend", "preset", *BENCH_FIELDS) if option in vars(found)]
    if created and (name is not None or address is not None):
        which = f"'{shown(name)}'" if name is not None else "that of --scheduler"
        raise InvalidRequest(f"{_flag(created[0])} is for a new cluster, but {which} already exists.")
    if name is not None and address is not None:
        raise InvalidRequest("Pass NAME or --scheduler, not both.")
    from . import target

    if address is not None:
        return target.scheduler(address)
    if name is not None:
        return target.existing(name, scales=counts is not None)
    spec = spec_from(Namespace(**{name: value for name, value in vars(found).items() if name in created}))
    # Sizes are chosen with the fewest workers, so start with these.
    return target.created(spec.model_copy(update={"n_workers": min(counts)}) if counts else spec)


def _only(found: Namespace) -> list[str] | None:
    if "only" not in vars(found):
        return None
    return _names(found.only, "--only", NAMES, "workload ", "workload; --list shows them")


def _names(text: str, option: str, known: Sequence[str], kind: str, hint_if_none: str) -> list[str]:
    """Return the comma-separated names of an option; refuse an empty list, and unknown names."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InvalidRequest(f"{option}: name at least one {hint_if_none}.")
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InvalidRequest(f"{option}: unknown {kind}'{shown(name)}'.{hint} Available: {', '.join(known)}.")
    return names


def _size(found: Namespace) -> Any:
    if "size" not in vars(found):
        return None
    if found.size not in SIZES:
        raise InvalidRequest(f"--size: must be one of {', '.join(SIZES)}, not '{shown(found.size)}'.")
    return found.size


def _counts(found: Namespace) -> list[int] | None:
    if "workers" not in vars(found):
        return None
    return sorted({whole_number(part.strip(), "--workers", 1, MAX_WORKERS) for part in found.workers.split(",")})


def _output(found: Namespace) -> Path:
    from ..profiling.files import checked_path

    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    wanted = getattr(found, "output", f"gpucluster-bench-{stamp}.json")
    path = checked_path(wanted, "--output", ".json")
    assert path is not None
    if path.suffix.lower() in {".html", ".htm"}:
        raise InvalidRequest("--output: must be a JSON file; the report gets the same name with .html.")
    checked_path(path.with_suffix(".html"), "--output")
    return path


def _flag(field: str) -> str:
    option = spec_options().get(field)
    return option.flag if option is not None else "--" + field.replace("_", "-")


COMMANDS = Commands(
    (Subcommand("bench", "Measure a cluster, or compare two measurements.", declare_bench, json=True, run=bench),)
)
