"""Canary: what a scheduler remembers of computations that are over."""

from __future__ import annotations

from gpucluster.dask_internals import spans


def test_old_computations_are_forgotten(here, canary, monkeypatch, wait_until):
    with canary("the extension 'spans', whose spans without a name are kept with all groups of tasks"):
        known = here.scheduler.extensions["spans"]

        def groups() -> int:
            return sum(len(span.groups) for span in known.spans.values())

        kept = here.client.submit(int, 7, pure=False)
        kept.result(30)
        for number in range(12):
            # The first part of a key names its group.
            assert here.client.submit(int, number, key=(f"kind{number}", 0)).result(30) == number
        wait_until(lambda: len(here.scheduler.tasks) == 1)
        before = groups()
        assert before >= 12
        spans.forget_old_spans(here.scheduler)
        assert groups() == before, "they are young"
        monkeypatch.setattr(spans, "SECONDS", -10.0)
        spans.forget_old_spans(here.scheduler)
        assert groups() == 1, "the one whose result somebody holds"
        assert here.scheduler.tasks[kept.key].group.span_id in known.spans
        for listed in (known.root_spans, known.spans_search_by_tag["default"], known.spans_search_by_name["default",]):
            assert {span.id for span in listed} == set(known.spans)
        # The page of the dashboard, heartbeats and the next computations go on.
        assert known.merge_all().cumulative_worker_metrics
        assert here.client.submit(int, 8, pure=False).result(30) == 8
        assert kept.result(30) == 7
        kept.release()
        wait_until(lambda: not here.scheduler.tasks)
        spans.forget_old_spans(here.scheduler)
        assert not known.spans
        assert here.client.submit(int, 9, pure=False).result(30) == 9
