import json
import sys

import pytest

sys.modules["rfc3987_syntax"] = None  # as jupytertest.WithoutGrammar

from assistant import connect  # noqa: E402
from hub import Hub  # noqa: E402
from servers import Easel, Jupyter  # noqa: E402


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory, request):
    """A stock Jupyter server, not the managed one. It has JupyterLab if a test opens that."""
    lab = any(item.path.name in ("test_jupyterlab.py", "test_open_notebooks.py") for item in request.session.items)
    server = Jupyter(tmp_path_factory.mktemp("jupyter"), lab=lab)
    yield server
    server.close()


@pytest.fixture(scope="session")
def easel(tmp_path_factory, jupyter):
    """An Easel that uses that server."""
    app = Easel.start(tmp_path_factory.mktemp("easel"), jupyter=jupyter)
    yield app
    assert app.close() == 0


@pytest.fixture(scope="session")
def keeping(tmp_path_factory, jupyter):
    """An Easel whose user lets the kernels of another server keep their figures."""
    app = Easel.prepare(tmp_path_factory.mktemp("keeping"), jupyter)
    app.data.mkdir(parents=True, exist_ok=True)
    (app.data / "settings.json").write_text(json.dumps({"keep_their_figures": True}))
    app.launch()
    yield app
    assert app.close() == 0


@pytest.fixture(scope="session")
def hub(tmp_path_factory):
    """A JupyterHub whose user has a running server."""
    h = Hub(tmp_path_factory.mktemp("hub"))
    h.start_server()
    yield h
    h.close()


@pytest.fixture(params=["legacy", "auto"])
def each_era(request):
    """Both protocol versions: 2025-11-25 with initialize, and 2026-07-28 without."""
    return request.param


@pytest.fixture(params=["legacy", pytest.param("auto", marks=pytest.mark.nightly)])
def era(request):
    """For tests that do not depend on the protocol version: the one that most clients speak,
    and at night the other, too."""
    return request.param


@pytest.fixture
async def assistant(easel, era):
    async with connect(easel, era) as a:
        yield a


@pytest.fixture
async def modern(easel):
    """A connection of the newer protocol version, for tests that do not depend on it."""
    async with connect(easel) as a:
        yield a


def create_session(easel) -> str:
    """Creates a session over REST, so that the test can use it with any number of clients."""
    status, _, body = easel.execute("session_create")
    assert status == 200, body
    return body["session_id"]


@pytest.fixture
def session(easel):
    """A new session, which ends after the test."""
    created = create_session(easel)
    yield created
    easel.execute("session_delete", session_id=created, force=True)


@pytest.fixture(scope="module")
def used_session(easel):
    """A session for all tests of a file that look only at what their own code gives. They need
    neither a kernel's start nor an import of matplotlib each."""
    created = create_session(easel)
    yield created
    easel.execute("session_delete", session_id=created, force=True)
