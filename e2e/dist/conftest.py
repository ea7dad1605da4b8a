import os
import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "python")]

from debian import Debian  # noqa: E402

DIST = pathlib.Path(os.environ["EASEL_DIST"])


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


@pytest.fixture
def packages():
    """The directory of the packages, and that of the previous version."""
    return DIST, pathlib.Path(os.environ["EASEL_DIST_BEFORE"])


def make(suite: str):
    system = Debian(suite, os.environ[f"EASEL_ROOT_{suite.upper()}"], os.environ["EASEL_APT_ARCHIVES"])
    try:
        yield system
    finally:
        left = system.close()
    assert not left, f"processes were left: {left}"


@pytest.fixture(params=["bookworm", "trixie"])
def debian(request):
    """A clean Debian."""
    yield from make(request.param)


@pytest.fixture
def bookworm():
    yield from make("bookworm")


@pytest.fixture
def trixie():
    yield from make("trixie")
