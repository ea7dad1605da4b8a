import pytest
from assistant import connect
from servers import Easel, Jupyter


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory):
    """A Jupyter server that is not Easel's own."""
    server = Jupyter(tmp_path_factory.mktemp("jupyter"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def easel(tmp_path_factory, jupyter):
    """An Easel that uses that server."""
    app = Easel.start(tmp_path_factory.mktemp("easel"), jupyter=jupyter)
    yield app
    assert app.close() == 0


@pytest.fixture(params=["legacy", "auto"])
def era(request):
    """Both protocols: 2025-11-25 with initialize, and 2026-07-28 without."""
    return request.param


@pytest.fixture
async def assistant(easel, era):
    async with connect(easel, era) as a:
        yield a


@pytest.fixture
async def modern(easel):
    """For what does not depend on the protocol."""
    async with connect(easel) as a:
        yield a


@pytest.fixture
def session(easel):
    """A fresh session, ended after the test. Made over REST, so that it serves
    any number of clients in the test."""
    status, _, body = easel.execute("session_create")
    assert status == 200, body
    yield body["session_id"]
    easel.execute("session_delete", session_id=body["session_id"], force=True)
