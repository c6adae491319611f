"""What ``bench`` does, for the command line and the magic alike."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from ..cli.arguments import did_you_mean, shown, whole_number
from ..cli.options import spec_from, spec_options
from ..cli.verbs import BENCH_FIELDS
from ..protocol.errors import InvalidRequest
from ..protocol.spec import MAX_WORKERS
from .names import NAMES, SIZES, TRANSPORTS

if TYPE_CHECKING:
    from .target import Target

_COMPARE = "compare"
_MEASURING = ("only", "size", "seconds", "workers", "repeats", "output", "no_report", "scheduler", "transports")


@dataclass(frozen=True)
class BenchAnswer:
    """What there is to show."""

    value: BaseModel | Sequence[BaseModel]
    text: str
    written: list[Path] = field(default_factory=list)
    failed: bool = False
    interrupted: bool = False


class WorkloadModel(BaseModel):
    """One workload as JSON."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    sizes: dict[str, dict[str, int]]


def bench(found: Namespace, say: Callable[[str], None]) -> BenchAnswer:
    """List workloads, compare two results, or measure a cluster.

    Raises
    ------
    InvalidRequest
        Something typed is wrong; nothing was started.
    GPUClusterError
        The cluster could not be had, or measured.
    """
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


def _list(found: Namespace) -> BenchAnswer:
    from .catalogue import workloads
    from .text import workloads_text

    chosen = workloads(_only(found))
    models = [
        WorkloadModel(name=one.name, title=one.title, sizes={size: dict(of) for size, of in one.sizes.items()})
        for one in chosen
    ]
    return BenchAnswer(models, workloads_text(chosen))


def _compare(found: Namespace, files: Sequence[str]) -> BenchAnswer:
    given = [option for option in (*_MEASURING, "backend", "preset", *BENCH_FIELDS) if option in vars(found)]
    if given:
        raise InvalidRequest(f"{_flag(given[0])} cannot be used with 'bench compare'.")
    if len(files) != 2:
        raise InvalidRequest("Give two files of results: bench compare FIRST SECOND.")
    from .comparison import compare
    from .result import load

    answer = compare(load(files[0]), load(files[1]))
    return BenchAnswer(answer, answer.text())


def _measure(found: Namespace, name: str | None, say: Callable[[str], None]) -> BenchAnswer:
    only, size, seconds, counts = _only(found), _size(found), _seconds(found), _counts(found)
    if size is not None and seconds is not None:
        raise InvalidRequest("Give --size or --seconds, not both.")
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
    result.save(output)
    written = [output]
    if not getattr(found, "no_report", False):
        say("Writing the report")
        written.append(output.with_suffix(".html"))
        write_report(result, written[-1])
    failed = any(item.failed for item in result.left_out)
    return BenchAnswer(result, text.result_text(result), written, failed, not result.complete)


def _transports(found: Namespace, words: Sequence[str], say: Callable[[str], None]) -> BenchAnswer:
    others = ("only", "seconds", "workers", "scheduler", "backend", "preset", *BENCH_FIELDS)
    if given := [option for option in others if option in vars(found) and getattr(found, option) is not None]:
        raise InvalidRequest(f"{_flag(given[0])} has no meaning with --transports: it starts clusters of two workers.")
    if words:
        raise InvalidRequest(f"--transports starts clusters of its own; leave out '{shown(words[0])}'.")
    names = [name.strip() for name in found.transports.split(",") if name.strip()]
    if not names:
        raise InvalidRequest(f"--transports: name at least one of {', '.join(TRANSPORTS)}.")
    for name in names:
        if name not in TRANSPORTS:
            hint = did_you_mean(name, TRANSPORTS)
            raise InvalidRequest(f"--transports: there is no '{shown(name)}'.{hint} There are {', '.join(TRANSPORTS)}.")
    size: Any = _size(found) or "small"
    output = _output(found)
    repeats = whole_number(getattr(found, "repeats", "5"), "--repeats", 1, 100)

    from .transports import comparison, report

    result = comparison.compare_transports(names, size=size, repeats=repeats, say=say)
    result.save(output)
    written = [output]
    if not getattr(found, "no_report", False):
        written.append(output.with_suffix(".html"))
        report.write_page(result, written[-1])
    return BenchAnswer(result, report.text(result), written)


def _target(found: Namespace, name: str | None, counts: list[int] | None) -> AbstractContextManager[Target]:
    """Return the cluster that is meant; only entering it starts or asks anything."""
    address = getattr(found, "scheduler", None)
    created = [option for option in ("backend", "preset", *BENCH_FIELDS) if option in vars(found)]
    if created and (name is not None or address is not None):
        which = f"'{shown(name)}'" if name is not None else "that of --scheduler"
        raise InvalidRequest(f"{_flag(created[0])} is for a cluster that is created, but {which} is there already.")
    if name is not None and address is not None:
        raise InvalidRequest("Give NAME or --scheduler, not both.")
    from . import target

    if address is not None:
        return target.scheduler(address)
    if name is not None:
        return target.existing(name, scales=counts is not None)
    spec = spec_from(Namespace(**{name: value for name, value in vars(found).items() if name in created}))
    # Sizes are chosen where there are fewest workers, so it begins there.
    return target.created(spec.model_copy(update={"n_workers": min(counts)}) if counts else spec)


def _only(found: Namespace) -> list[str] | None:
    if "only" not in vars(found):
        return None
    names = [name.strip() for name in found.only.split(",") if name.strip()]
    if not names:
        raise InvalidRequest("--only: name at least one workload; --list shows them.")
    for name in names:
        if name not in NAMES:
            hint = did_you_mean(name, NAMES)
            raise InvalidRequest(f"--only: there is no workload '{shown(name)}'.{hint} There are {', '.join(NAMES)}.")
    return names


def _size(found: Namespace) -> Any:
    if "size" not in vars(found):
        return None
    if found.size not in SIZES:
        raise InvalidRequest(f"--size: must be one of {', '.join(SIZES)}, not '{shown(found.size)}'.")
    return found.size


def _seconds(found: Namespace) -> float | None:
    return whole_number(found.seconds, "--seconds", 10, 86_400) if "seconds" in vars(found) else None


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
        raise InvalidRequest("--output: is the JSON file; the report gets the same name with .html.")
    checked_path(path.with_suffix(".html"), "--output")
    return path


def _flag(field: str) -> str:
    option = spec_options().get(field)
    return option.flag if option is not None else "--" + field.replace("_", "-")
