"""When the standby supervisor is started, replaced and stopped."""

import asyncio
import logging

import pytest
from gpucluster.client.starting.launch import standbys
from gpucluster.registry.store import Registry
from gpucluster.server.standby import StandbyKeeper


class Recorder:
    """A control that only records requests for the standby."""

    def __init__(self, failure: Exception | None = None, hangs: bool = False) -> None:
        self.asked: list[str] = []
        self.failure = failure
        self.hangs = hangs

    async def ensure_standby(self) -> bool:
        self.asked.append("start")
        if self.failure:
            raise self.failure
        return True

    async def close_standby(self) -> bool:
        self.asked.append("close")
        if self.hangs:
            await asyncio.Event().wait()
        if self.failure:
            raise self.failure
        return True


@pytest.fixture
async def keeper_of():
    keepers = []

    def make(*, failure=None, hangs=False, **options):
        control = Recorder(failure, hangs)
        settings = {"enabled": True, "idle_seconds": 60.0, "log": logging.getLogger("test"), "restart_seconds": 0.0}
        keepers.append(StandbyKeeper(control, **{**settings, **options}))
        return control, keepers[-1]

    yield make
    for keeper in keepers:
        await keeper.close()


async def settle(control, asked: list[str]) -> None:
    for _ in range(1000):
        if control.asked == asked:
            break
        await asyncio.sleep(0.005)
    assert control.asked == asked


async def test_list_starts_standby_and_replaces_taken_one(keeper_of):
    control, keeper = keeper_of()
    keeper.used()
    await settle(control, [])
    for _ in range(5):
        keeper.listed()
    await settle(control, ["start"])
    keeper.taken()
    await settle(control, ["start", "start"])


async def test_idle_standby_ends_and_returns_on_use(keeper_of):
    control, keeper = keeper_of(idle_seconds=0.02)
    keeper.listed()
    await settle(control, ["start", "close"])
    keeper.listed()
    await settle(control, ["start", "close"])
    keeper.used()
    await settle(control, ["start", "close", "start", "close"])


async def test_closed_with_the_server(keeper_of):
    control, keeper = keeper_of()
    keeper.listed()
    await settle(control, ["start"])
    await keeper.close()
    assert control.asked == ["start", "close"]
    keeper.listed()
    keeper.taken()
    await settle(control, ["start", "close"])


async def test_switched_off(keeper_of):
    control, keeper = keeper_of(enabled=False)
    keeper.listed()
    keeper.taken()
    keeper.used()
    await settle(control, [])
    control, keeper = keeper_of()
    await keeper.close()
    assert control.asked == [], "there is none to close"


async def test_failure_is_only_logged(keeper_of, caplog):
    control, keeper = keeper_of(failure=OSError("no memory"), idle_seconds=0.02)
    keeper.listed()
    await settle(control, ["start", "close"])
    await keeper.close()
    assert "could not be started: no memory" in caplog.text
    assert "could not be closed: no memory" in caplog.text


async def test_unresponsive_standby_does_not_block(keeper_of, monkeypatch, caplog):
    monkeypatch.setattr("gpucluster.server.standby.CLOSE_SECONDS", 0.01)
    control, keeper = keeper_of(hangs=True)
    keeper.listed()
    await settle(control, ["start"])
    await keeper.close()
    assert "could not be closed: TimeoutError" in caplog.text


@pytest.mark.extension(standby=True, standby_idle_seconds=600.0)
class TestRealStandby:
    @pytest.fixture
    def waiting(self, registry_directory):
        registry = Registry(registry_directory)

        async def until(condition):
            for _ in range(600):
                found = {folder.id for folder, record in standbys(registry) if record.ready}
                if condition(found):
                    return found
                await asyncio.sleep(0.1)
            raise AssertionError(found)

        return until

    async def test_standby_is_taken_replaced_and_released(self, api, waiting, extension, jp_serverapp):
        assert await waiting(lambda found: not found) == set()
        assert (await api("GET", "clusters"))[0] == 200
        first = await waiting(lambda found: len(found) == 1)

        code, made = await api("POST", "clusters", {"name": "quick", "backend": "local", "n_workers": 1})
        assert code == 201
        assert {made["id"]} == first
        await waiting(lambda found: len(found) == 1 and found != first)
        await api("DELETE", f"clusters/{made['id']}")

        await extension.stop_extension()
        await waiting(lambda found: not found)
