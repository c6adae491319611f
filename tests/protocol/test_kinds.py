"""Kinds of clusters of other packages, valid and broken."""

import sys

import pytest
from gpucluster.backends.backend import load_backend
from gpucluster.protocol import kinds
from gpucluster.protocol.errors import InvalidRequest, MissingPackage
from gpucluster.protocol.kinds import absence, kind_models
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, Wanted
from gpucluster.protocol.spec import UnknownSpec, parse_spec
from gpucluster.protocol.traits import Needs

from tests.thirdparty.installing import offer

GOOD = """
from typing import ClassVar, Literal
from gpucluster.protocol.kinds import ClusterKind
from gpucluster.protocol.spec import SpecBase
from gpucluster.protocol.traits import Traits

class Spec(SpecBase):
    backend: Literal["{name}"] = "{name}"
    size: int = 1

class Kind(ClusterKind):
    name, title, spec, traits = "{name}", "Tests", Spec, Traits(queues=True)
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder for installed packages on this process's path."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    kinds.look_again()
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]
    monkeypatch.undo()
    kinds.look_again()


BROKEN = {
    "missing": ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    "exits": ("raise SystemExit('no licence')", "SystemExit: no licence"),
    "noclass": ("Kind = 5", "not a class derived from"),
    "misnamed": (GOOD.format(name="other"), "must have the name of its entry point, 'misnamed'"),
    "speechless": (GOOD.format(name="speechless").replace('"Tests"', "None"), "lacks a title or traits"),
    "specless": (GOOD.format(name="specless").replace(", Spec,", ", dict,"), "lacks a spec"),
    "open": (GOOD.format(name="open").replace('Literal["open"]', "str"), "must be Literal['open']"),
}


def test_broken_kind_does_not_break_others(site):
    offer(site, "good", GOOD.format(name="good"), kind="good_kind:Kind")
    for name, (source, _) in BROKEN.items():
        offer(site, name, source, kind=f"{name}_kind:Kind")
    offer(site, "Bad Name", GOOD.format(name="Bad Name"), kind="bad_kind:Kind", package="gpucluster-bad")
    offer(site, "local", GOOD.format(name="local"), kind="rival_kind:Kind", package="gpucluster-rival")
    assert list(kinds.usable_kinds()) == [
        "auto", "cuda", "local", "slurm", "ssh", "mpi", "kubernetes", "gateway", "existing", "good",
    ]  # fmt: skip
    # Ours may need packages that are not installed here.
    told = {found.package: found.problem or "" for found in kinds.kind_models() if found.package != "gpucluster"}
    assert told.pop("gpucluster-good 0.1") == ""
    assert len(told) == len(BROKEN) + 2
    for name, (_, words) in BROKEN.items():
        assert words in told[f"gpucluster-{name} 0.1"]
        with pytest.raises(InvalidRequest, match=f"backend: The kind '{name}' of the package") as refusal:
            parse_spec({"backend": name})
        assert refusal.value.fields[0].field == "backend"
    assert told["gpucluster-rival 0.1"].endswith(" The name 'local' is taken by gpucluster.")
    assert parse_spec({"backend": "good", "size": 2}).model_dump(exclude_unset=True) == {"backend": "good", "size": 2}
    with pytest.raises(MissingPackage, match="is not a gpucluster backend"):
        load_backend("good")


def test_newly_installed_kind_is_found(site):
    with pytest.raises(InvalidRequest, match="not 'late'"):
        parse_spec({"backend": "late"})
    offer(site, "late", GOOD.format(name="late"), kind="late_kind:Kind")
    assert parse_spec({"backend": "late"}).backend == "late"
    assert [kind.title for kind in kinds.kind_models() if kind.name == "late"] == ["Tests"]


@pytest.mark.parametrize(
    "spec",
    [{"backend": "unheard-of", "size": 3, "n_workers": 2}, {"backend": "local", "from_the_future": True}],
    ids=["kind", "version"],
)
def test_unknown_kind_round_trips(spec):
    model = ClusterModel.model_validate(
        {"id": "0123abcd", "name": "a", "backend": spec["backend"], "state": ClusterState.RUNNING, "wanted": Wanted(),
         "idle": Idle(), "python": "python", "created_at": "2026-01-01T00:00:00Z", "spec": spec}
    )  # fmt: skip
    assert isinstance(model.spec, UnknownSpec)
    again = ClusterModel.model_validate_json(model.model_dump_json())
    assert again == model
    assert again.spec.model_dump(exclude_unset=True).items() >= spec.items()
    with pytest.raises(InvalidRequest):
        parse_spec(model.spec)


def test_missing_command(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert absence("slurm") == (
        "Slurm is not available here: the command 'sbatch' is not on the PATH. Start Jupyter on a login node or in "
        "a job of the site, perhaps after 'module load slurm'."
    )
    assert absence("local") is None
    # It is part of the kinds, from which forms are made.
    [slurm] = [kind for kind in kind_models() if kind.name == "slurm"]
    assert (slurm.where, slurm.problem) == ("Slurm", absence("slurm"))


def test_missing_package(monkeypatch):
    monkeypatch.setattr("gpucluster.protocol.traits.find_spec", lambda name: None)
    assert absence("ssh") == "It needs a package that is not installed: pip install 'gpucluster[ssh]'."
    # The workers' environment may be another one.
    assert absence("ssh", packages=False) is None
    assert Needs(packages=("flux",)).missing() == "It needs a package that is not installed: pip install flux."


def test_allocation_variable(monkeypatch):
    needs = Needs(variables=("SLURM_JOB_ID", "PBS_JOBID"), absent="This is no allocation")
    for name in needs.variables:
        monkeypatch.delenv(name, raising=False)
    assert needs.missing() == "This is no allocation: SLURM_JOB_ID and PBS_JOBID are not set."
    monkeypatch.setenv("PBS_JOBID", "4711")
    assert needs.missing() is None


def test_unknown_kind():
    assert absence("nowhere").startswith("The kind of cluster 'nowhere' is not installed")
