"""Kinds of clusters of other packages: their options in the command line and magic, and their pending workers."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gpucluster.cli import main, tables
from gpucluster.cli.commands import MAGIC, SHELL
from gpucluster.cli.completion import candidates
from gpucluster.cli.options import spec_from
from gpucluster.cli.verbs import parser_for
from gpucluster.client.display.card import card_html
from gpucluster.protocol import kinds
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.messages import Message, MessageCode
from gpucluster.protocol.models import ClusterModel, ClusterState, Wanted
from gpucluster.protocol.spec import parse_spec
from gpucluster.widgets.picture import Picture

from tests.models import cluster_model
from tests.thirdparty.installing import offer

AWKWARD = """
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from pydantic import BaseModel, Field
from gpucluster.protocol.kinds import ClusterKind
from gpucluster.protocol.spec import SpecBase
from gpucluster.protocol.traits import Traits

class Mode(StrEnum):
    FAST = "fast"
    SLOW = "slow"

class Nested(BaseModel):
    depth: int = 1

class Spec(SpecBase):
    backend: Literal["awkward"] = Field("awkward", description="Workers that wait at 100% of the time.")
    timeout: int = Field(5, description="Called like an option of ours.")
    ratio: float = 0.5
    mode: Mode = Mode.FAST
    only: Literal["one"] = "one"
    at_least: Annotated[int, Field(strict=True, ge=1)] = 1
    devices: list[str] = Field(default_factory=list)
    nested: Nested | None = None
    table: dict[str, int] = Field(default_factory=dict)

class Kind(ClusterKind):
    name, title, spec, traits = "awkward", "Queued", Spec, Traits(queues=True, this_machine=False)
"""


@pytest.fixture(scope="module", autouse=True)
def awkward(tmp_path_factory: Any) -> Iterator[None]:
    """A package of that kind, found by this process."""
    folder: Path = tmp_path_factory.mktemp("packages")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(offer(folder, "awkward", AWKWARD, kind="awkward_kind:Kind")))
        kinds.look_again()
        yield
    sys.modules.pop("awkward_kind", None)
    kinds.look_again()


def spec(*words: str) -> Any:
    return spec_from(parser_for("create", SHELL).read(words))


@pytest.mark.parametrize("face", [SHELL, MAGIC])
def test_help_lists_its_options(face: str) -> None:
    text = " ".join(parser_for("create", face).format_help().split())
    assert "{auto,cuda,local,slurm,ssh,mpi,kubernetes,gateway,existing,awkward}" in text
    assert "awkward: Workers that wait at 100% of the time." in text
    assert "--mode {fast,slow} Default: fast. [awkward]" in text
    assert "--awkward-timeout N Called like an option of ours. Default: 5. [awkward]" in text
    assert "--timeout SECONDS" in text


def test_options_are_validated_by_its_model() -> None:
    found = spec(
        "--backend", "awkward", "--awkward-timeout", "7", "--timeout", "60", "--ratio", "0.25", "--mode", "slow",
        "--at-least", "3", "--devices", "0,1",
    )  # fmt: skip
    assert (found.timeout, found.ratio, found.mode, found.at_least) == (7, 0.25, "slow", 3)
    assert found.devices == ["0", "1"], "the same field of another kind takes numbers"
    for words, said in (
        (["--mode", "medium"], "--mode: "),
        (["--at-least", "0"], "--at-least: must be at least 1, not 0."),
        (["--ratio", "much"], "--ratio: "),
        (["--awkward-timeout", "long"], "--awkward-timeout: "),
        (["--nested", "deep"], "--nested: must be a JSON object"),
        (["--rmm-async"], "--rmm-async: is not an option of the backend 'awkward'; it belongs to --backend cuda or"),
    ):
        with pytest.raises(InvalidRequest) as refused:
            spec("--backend", "awkward", *words)
        assert refused.value.message.startswith(said)
    with pytest.raises(InvalidRequest, match="^--mode: is not an option of the backend 'local'; .*--backend awkward.$"):
        spec("--backend", "local", "--mode", "fast")


def test_completion_knows_it() -> None:
    assert candidates(["create", "--backend", "a"]) == ["auto", "awkward"]
    assert candidates(["create", "--mode", ""]) == ["fast", "slow"]
    assert "--at-least" in candidates(["create", "--at"], MAGIC)


def test_unknown_kind_is_refused(site: Any, capsys: Any) -> None:
    assert main(["create", "--backend", "pbs"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(
        "--backend: must be one of 'auto', 'cuda', 'local', 'slurm', 'ssh', 'mpi', 'kubernetes', 'gateway', "
        "'existing', 'awkward', not 'pbs'. "
    )


def waiting(**changes: Any) -> ClusterModel:
    """A cluster of that kind with one worker and three pending ones."""
    fields: dict[str, Any] = {
        "id": "0123abcd", "name": "jobs", "backend": "awkward", "backend_title": "Queued", "n_workers": 1,
        "wanted": Wanted(n_workers=4), "spec": parse_spec({"backend": "awkward"}), "n_pending": 3,
        "messages": [Message.of(MessageCode.PENDING, "The queue <short> is full.")],
    }  # fmt: skip
    return cluster_model(**{**fields, **changes})


def test_pending_workers_show_the_reason() -> None:
    model = waiting()
    row = tables.cluster_table([model]).splitlines()[1].split(maxsplit=6)
    assert row[:2] == ["jobs", "Queued"]
    assert "1 of 4" in tables.cluster_table([model])
    assert tables.cluster_table([model]).endswith("3 pending: The queue <short> is full.")
    assert "Pending:  3. The queue <short> is full." in tables.cluster_card(model)
    assert tables.worker_line(model) == "jobs: 1 worker, 4 wanted, 3 pending: The queue <short> is full."
    html = card_html(model, None)
    assert "Queued workers." in html
    assert "3. The queue &lt;short&gt; is full." in html
    assert "  Pending: 3. The queue <short> is full." in Picture(model).text.splitlines()
    for quiet in (waiting(n_pending=0, messages=[]), waiting(state=ClusterState.STOPPED)):
        shown = tables.cluster_table([quiet]) + tables.cluster_card(quiet) + tables.worker_line(quiet)
        assert "ending" not in shown + card_html(quiet, None) + Picture(quiet).text


def test_clusters_with_one_name_are_chosen_by_id() -> None:
    one, other = waiting(), waiting(id="4567cdef", state=ClusterState.STOPPED)
    assert "ID" not in tables.cluster_table([one, waiting(id="4567cdef", name="others")])
    heading, *rows = tables.cluster_table([one, other]).splitlines()
    assert heading.split()[:2] == ["NAME", "ID"]
    assert [row.split()[1] for row in rows] == ["0123abcd", "4567cdef"]


def test_cluster_of_another_version_is_named() -> None:
    notice = "It was created by another version of gpucluster (protocol 99, here 4). Here it can be stopped."
    said = [Message.of(MessageCode.NOTICE, notice)]
    model = waiting(backend="later", backend_title="", protocol_version=99, messages=said, python="", n_pending=0)
    assert "later" in tables.cluster_table([model])
    assert "It was created by another version" in tables.cluster_table([model])
    assert f"Notice:   {notice}" in tables.cluster_card(model)
