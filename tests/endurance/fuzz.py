"""Thousands of valid and invalid requests to a real Jupyter server with real clusters: no answer may be a 5xx.

``python -m tests.endurance.fuzz --requests 10000 --seed 7``. Schemathesis draws them from our own OpenAPI document.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import requests
import schemathesis
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.server.openapi import openapi_document
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS, load_all_checks

from tests.server.jupyterprocess import TOKEN

from .place import Place, place
from .report import Report, begin, command

SITE = """\
limits:
  all: {kinds: [local, auto], n_workers: 2, threads_per_worker: 2, memory_limit: 400 MiB}
sharing:
  per_user: {clusters: 3}
"""
"""Few small clusters, and none on other machines."""
NOT_ASKED = {"/api/events", "/dashboard/{cluster}/{path}", "/api/openapi.json"}
"""A WebSocket, Dask's pages, and the document itself."""
WEIGHTS = {"post /api/clusters": 8, "patch /api/clusters/{cluster}": 4, "delete /api/clusters/{cluster}": 2}
"""How many times as often as others an operation is requested."""
BATCH = 25
"""Requests of one operation in a row."""
SECONDS = 60.0
_KEPT = ("idle_timeout_seconds", "resources", "env", "lifetime_seconds", "threads_per_worker", "local_directory")
"""Fields of a drawn request that stay where a cluster is to start: most drawn requests could not start one."""
_DRAWN = settings(database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
_CHECKS = ("not_a_server_error", "content_type_conformance", "response_schema_conformance")


@dataclass
class Answers(Report):
    """The answers to the requests."""

    requests: int = 0
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    """By operation: how often each status was answered."""
    clusters_made: int = 0

    def as_json(self) -> dict[str, Any]:
        answers = {name: dict(sorted(counts.items())) for name, counts in sorted(self.answers.items())}
        statuses: Counter[str] = sum(self.answers.values(), Counter())
        return {**super().as_json(), "answers": answers, "statuses": dict(sorted(statuses.items()))}


class Fuzzer:
    """Sends requests to the Jupyter server of a place."""

    def __init__(self, place: Place, seed: int) -> None:
        assert place.jupyter is not None
        load_all_checks()
        self._place = place
        self._url = place.jupyter.url
        self._random = random.Random(seed)
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"token {TOKEN}"
        schema = schemathesis.openapi.from_dict(openapi_document())
        schema.config.update(base_url=f"{self._url}gpucluster")
        self._operations = {
            f"{operation.method} {operation.path}": operation
            for operation in (found.ok() for found in schema.get_all_operations())
            if operation.path not in NOT_ASKED
        }
        self._checks = CHECKS.get_by_names(list(_CHECKS))
        self.report = Answers(seed)

    def run(self, number: int) -> Answers:
        begun = time.monotonic()
        for batch in self._batches():
            if self.report.requests >= number or len(self.report.failures) > 20:
                break
            self._send_batch(batch, min(BATCH, number - self.report.requests))
            self._make_room()
            if self.report.requests % 500 == 0:
                failed = len(self.report.failures)
                print(f"{self.report.requests} requests, {failed} failed", file=sys.stderr, flush=True)
        self.report.seconds = round(time.monotonic() - begun, 1)
        return self.report

    def _batches(self) -> Iterator[str]:
        names = [name for name in self._operations for _ in range(WEIGHTS.get(name, 1))]
        while True:
            yield from self._random.sample(names, len(names))

    def _send_batch(self, name: str, number: int) -> None:
        operation = self._operations[name]
        modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
        strategies = []
        for mode in modes:
            # An operation without input has no wrong requests.
            with suppress(Exception):
                strategies.append(operation.as_strategy(generation_mode=mode))
        bodies = st.none() if operation.method == "get" else st.none() | st.none() | _ODD_BODIES

        @seed(self._random.randrange(2**32))
        @settings(_DRAWN, max_examples=number)
        @given(case=st.one_of(strategies), odd=bodies, known=st.none() | st.integers(0, 99))
        def send(case: Any, odd: bytes | None, known: int | None) -> None:
            if self.report.requests < number + before:
                self._send(name, case, odd, known)

        before = self.report.requests
        send()

    def _send(self, name: str, case: Any, odd: bytes | None, known: int | None) -> None:
        models = self._place.control.list() if known is not None and "cluster" in (case.path_parameters or {}) else []
        if known is not None and models:
            case.path_parameters["cluster"] = models[known % len(models)].id
        if case.headers and known is not None:
            # With a drawn header every answer would be 403.
            case.headers.pop("Authorization", None)
        if name == "post /api/clusters" and known is not None and known % 3 == 0:
            kept = {key: case.body[key] for key in _KEPT if key in case.body} if isinstance(case.body, dict) else {}
            case.body = {**kept, "backend": "local", "n_workers": known % 4 % 3, "memory_limit": "200 MiB"}
        if isinstance(case.body, dict) and isinstance(where := case.body.get("local_directory"), str):
            # Absolute paths are created, so keep them below this folder.
            case.body["local_directory"] = str(self._place.folder) + where if where.startswith("/") else where
        more = {} if odd is None else {"data": odd}
        sent = f"{name} {case.path_parameters or ''} {str(case.query or '')[:200]} {str(odd or case.body)[:1500]}"
        self.report.requests += 1
        try:
            answer = case.call(session=self._session, timeout=SECONDS, **more)
        except requests.Timeout:
            self.report.failures.append(f"no answer within {SECONDS:.0f} s: {sent}")
            return
        except (requests.ConnectionError, ValueError, UnicodeError) as error:
            if self._place.jupyter is None or self._place.jupyter.process.poll() is not None:
                raise
            self._note(name, f"not sent: {type(error).__name__}")
            return
        self._note(name, str(answer.status_code))
        if name == "post /api/clusters" and answer.status_code == 201:
            self.report.clusters_made += 1
        try:
            case.validate_response(answer, checks=self._checks)
        except Exception as failure:
            self.report.failures.append(f"{sent}\n{str(failure)[:1500]}")

    def _note(self, name: str, what: str) -> None:
        self.report.answers.setdefault(name, Counter())[what] += 1

    def _make_room(self) -> None:
        """Stop clusters, so that the next ones can be made."""
        models = self._place.control.list()
        if sum(not model.state.ended for model in models) >= 3:
            for model in models:
                with suppress(GPUClusterError):
                    self._place.control.stop(model.id, wait=False)


def _deep(levels: int) -> bytes:
    return b'{"n_workers":' * levels + b"1" + b"}" * levels


_ODD_BODIES = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.integers(1, 20_000).map(_deep),
    st.sampled_from(
        [b"", b"null", b"[]", b"NaN", b'{"backend":"local","n_workers":1e999}', b"\xff\xfe{}", b"[" * 5000]
    ),
    st.integers(2**20 - 5, 2**20 + 5).map(lambda size: b'{"name":"' + b"x" * size + b'"}'),
)
"""Bodies that no schema would draw."""


def main() -> None:
    parser = command("fuzz", __doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    options = begin(parser)
    with place(site_text=SITE, standby=True) as here:
        report = Fuzzer(here, options.seed).run(options.requests)
        report.left = here.end()
    report.end(options.out)


if __name__ == "__main__":
    main()
