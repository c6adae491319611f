"""What a kind needs to be there, and the sentence where it is not."""

from __future__ import annotations

from gpucluster.protocol.kinds import absence, kind_models
from gpucluster.protocol.traits import Needs


def test_a_command_that_is_not_on_the_path(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert absence("slurm") == (
        "There is no Slurm here: the command 'sbatch' is not on the PATH. Start Jupyter on a login node or in a job of "
        "the site, perhaps after 'module load slurm'."
    )
    assert absence("local") is None
    # It is told with the kinds, which a form is drawn from.
    [slurm] = [kind for kind in kind_models() if kind.name == "slurm"]
    assert (slurm.where, slurm.problem) == ("Slurm", absence("slurm"))


def test_a_package_that_is_not_installed(monkeypatch):
    monkeypatch.setattr("gpucluster.protocol.traits.find_spec", lambda name: None)
    assert absence("ssh") == "It needs a package that is not installed: pip install 'gpucluster[ssh]'."
    # The workers' environment may be another one.
    assert absence("ssh", packages=False) is None
    assert Needs(packages=("flux",)).missing() == "It needs a package that is not installed: pip install flux."


def test_what_an_allocation_sets(monkeypatch):
    needs = Needs(variables=("SLURM_JOB_ID", "PBS_JOBID"), absent="This is no allocation")
    for name in needs.variables:
        monkeypatch.delenv(name, raising=False)
    assert needs.missing() == "This is no allocation: SLURM_JOB_ID and PBS_JOBID are not set."
    monkeypatch.setenv("PBS_JOBID", "4711")
    assert needs.missing() is None


def test_a_kind_that_is_nowhere():
    assert absence("nowhere").startswith("There is no kind of cluster 'nowhere'")
