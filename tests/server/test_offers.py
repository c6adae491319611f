"""What a Dask Gateway lets one choose, told while somebody fills in the form."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.client.control import AsyncControl

# A real server, which starts nothing here.
from tests.backends.gateway.conftest import gateway  # noqa: F401
from tests.backends.gateway.realgateway import RealGateway

pytestmark = pytest.mark.full


async def test_the_form_is_told_what_the_site_offers_and_what_it_would_refuse(
    api: Any,
    monkeypatch: pytest.MonkeyPatch,
    gateway: RealGateway,  # noqa: F811
) -> None:
    code, told = await api("POST", "notes", gateway.options)
    assert (code, told["fields"]) == (200, [])
    assert "It offers worker_cores (Cores): a whole number from 1 to 4; 1 when left out." in told["notes"]
    wrong = {**gateway.options, "gateway_options": "worker_cores=9"}
    code, told = await api("POST", "notes", wrong)
    refused = {"field": "gateway_options.worker_cores", "message": "must be a whole number from 1 to 4, not '9'"}
    assert (code, told["notes"], told["fields"]) == (200, [], [refused])
    code, told = await api("POST", "notes", {**gateway.options, "address": "http://127.0.0.1:9"})
    fault = {"field": "address", "message": "nothing listens on port 9 of 127.0.0.1"}
    assert (code, told["notes"], told["fields"]) == (200, [], [fault])
    # Nobody asks the site again for what it has just said.
    with monkeypatch.context() as patch:
        patch.setattr(AsyncControl, "preview", None)
        assert (await api("POST", "notes", {**wrong, "name": "mine"}))[1]["fields"] == [refused]
    code, shown = await api("POST", "preview", gateway.options)
    assert (code, shown["offered"]["worker_cores"]["maximum"]) == (200, 4)
