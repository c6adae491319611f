"""One real Dask Gateway for all tests of the kind."""

from importlib.util import find_spec

import pytest

from tests.backends.gateway.realgateway import PASSWORD, VARIABLE, RealGateway


@pytest.fixture(scope="session")
def gateway():
    """A Dask Gateway with one password, which is in an environment variable of this process."""
    if find_spec("dask_gateway_server") is None:
        pytest.skip("needs the package 'dask-gateway-server[local]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, PASSWORD)
        gateway = RealGateway()
        gateway.start()
        try:
            yield gateway
        finally:
            gateway.end()
