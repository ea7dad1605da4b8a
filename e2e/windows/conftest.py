import pathlib
import sys

import pytest

# The helpers of the other tests.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

from servers import Jupyter  # noqa: E402


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory):
    """A stock Jupyter server on this machine, not under Wine."""
    server = Jupyter(tmp_path_factory.mktemp("jupyter"))
    yield server
    server.close()
