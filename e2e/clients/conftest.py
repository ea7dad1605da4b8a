import pytest
import table
from observe import Observer
from servers import Easel, wait_until


def pytest_addoption(parser):
    parser.addoption("--table", action="store_true", help="write what was seen into docs/clients.md")


@pytest.fixture(scope="session")
def easel(tmp_path_factory):
    """An Easel with a managed Jupyter, like a user's."""
    app = Easel.prepare(tmp_path_factory.mktemp("easel"))
    app.give_python()
    app.launch()
    wait_until("the managed Jupyter", lambda: app.execute("session_create")[0] == 200, 300, 1)
    yield app
    assert app.close() == 0


@pytest.fixture(scope="session")
def observer(request, easel, tmp_path_factory):
    watching = Observer(easel, tmp_path_factory.mktemp("clients"))
    yield watching
    if request.config.getoption("--table"):
        table.write(watching.seen)


@pytest.fixture
def seen(observer, program):
    """Returns what a program did. The first test that uses it runs the program."""
    found = observer(program)
    if found.missing:
        pytest.skip(f"not installed: {found.missing}")  # test_it_can_be_installed fails
    assert not found.broken, found.broken
    return found
