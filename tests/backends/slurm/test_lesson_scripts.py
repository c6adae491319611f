"""Lesson 14 with a real Slurm: its scripts are submitted, and what was read in them is what Slurm has understood."""

import ast
from typing import Any

import pytest
from gpucluster.lessons.building.source import read_source
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.course.lesson_14_onto_the_machine.material import asked_for, minutes
from gpucluster.lessons.course.lesson_14_onto_the_machine.probes import BatchSystem, SubmissionRefused, dry_run


@pytest.fixture
def here(slurm, tmp_path, monkeypatch):
    """That Slurm, from a directory that its nodes see."""
    monkeypatch.chdir(tmp_path)
    return BatchSystem()


def of_lesson(*names: str) -> dict[str, Any]:
    """Return what the solution's cells define under these names."""
    found: dict[str, Any] = {}
    cells = [cell.solution_text() for cell in read_source(find_lesson("14").folder / "lesson.py").cells]
    for statement in (one for cell in cells for one in _statements(cell)):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement
        if getattr(target, "name", getattr(target, "id", "")) in names:
            exec(ast.unparse(statement), found)
    return {name: found[name] for name in names}


def _statements(cell: str) -> list[ast.stmt]:
    try:
        return ast.parse(cell).body
    except SyntaxError:  # prose, or a magic
        return []


def test_the_lessons_script_is_submitted(here, slurm, tmp_path):
    assert here.real and "main" in repr(here)
    outcome = here.submit(of_lesson("SCRIPT")["SCRIPT"])
    assert outcome.state == "COMPLETED"
    assert outcome.output.splitlines() == [f"job {outcome.job}, tasks 2", "last line"]
    granted = outcome.granted
    assert (granted["NumTasks"], granted["NumNodes"]) == (outcome.asked["ntasks"], outcome.asked["nodes"])
    assert minutes(granted["TimeLimit"]) == minutes(outcome.asked["time"]) == 2
    assert list(tmp_path.iterdir()) == []
    assert slurm.jobs() == []


def test_refused_script_shows_slurms_message(here):
    with pytest.raises(SubmissionRefused, match="does not look like a batch script"):
        here.submit("\n#!/bin/bash\necho\n")
    with pytest.raises(SubmissionRefused, match="invalid partition"):
        here.submit("#!/bin/bash\n#SBATCH --partition=nowhere\necho\n")


@pytest.mark.full
def test_job_that_does_not_end_is_cancelled(here, slurm):
    outcome = here.submit("#!/bin/bash\n#SBATCH --time=5\nsleep 100\n", patience=2)
    assert "then cancelled" in outcome.state
    assert slurm.ask("squeue", "-h", "-t", "PD,R").split() == []


def test_dry_run_shows_the_requested_script(here, slurm):
    asked = asked_for(dry_run("slurm", n_workers=2, walltime="00:10:00", memory_limit="1 GiB"))
    assert minutes(asked["time"]) == 10
    assert (asked["nodes"], asked["mem"]) == ("1", "1G")
    assert slurm.jobs() == []


def test_slurm_accepts_the_right_answer_of_14_3(here):
    lesson = of_lesson("worker_script", "SITE")
    job = {"nodes": 2, "gpus": 2, "cores": 4, "minutes": 10, "scheduler_file": "/shared/me/scheduler.json"}
    site = {**lesson["SITE"], "partition": "main", "cores_per_gpu": 2}
    assert "to start at" in here.looked_at(lesson["worker_script"](site, job))
    assert "to start at" in here.looked_at(lesson["worker_script"](site, {**job, "gpus": 0}))
    assert "invalid partition" in here.looked_at(lesson["worker_script"](lesson["SITE"], job))
    assert "not available" in here.looked_at(lesson["worker_script"](site, {**job, "gpus": 9}))
