"""``Client("gpucluster://name")``, for tools that use addresses."""

import dask
import pytest
from distributed import Client, default_client
from distributed.comm.addressing import get_address_host
from distributed.comm.registry import get_backend
from gpucluster.client.scheme import SchemeBackend
from gpucluster.protocol.errors import ClusterNotFound, InvalidState


def test_distributed_finds_the_scheme_by_its_entry_point() -> None:
    assert isinstance(get_backend("gpucluster"), SchemeBackend)
    assert get_address_host("gpucluster://some-name") == "some-name"
    with pytest.raises(ValueError, match="Cannot listen"):
        get_backend("gpucluster").get_listener("some-name", None, True)


def test_client_connects_by_name_id_and_address(shared_cluster) -> None:
    for name in ("shared", shared_cluster.id):
        with Client(f"gpucluster://{name}") as client:
            assert client.submit(sum, [1, 2]).result() == 3
    with dask.config.set({"scheduler-address": "gpucluster://shared"}), Client() as client:
        assert client.submit(sum, [1, 2]).result() == 3


def test_unknown_and_ended_clusters_are_refused_at_once(site) -> None:
    with pytest.raises(ClusterNotFound, match="Cluster 'nobody' not found"):
        Client("gpucluster://nobody")
    model = site.running(name="over", n_workers=1)
    site.control.stop(model.id)
    with pytest.raises(InvalidState, match="The cluster 'over' is stopped"):
        Client("gpucluster://over")
    assert dask.config.get("scheduler", None) is None
    with pytest.raises(ValueError, match="No clients found"):
        default_client()
