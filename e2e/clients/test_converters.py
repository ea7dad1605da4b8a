"""The converters of agent libraries accept all of Easel's tools."""

import pytest
from programs import Place
from roster import LIBRARIES


@pytest.mark.quick
@pytest.mark.parametrize("program", LIBRARIES, ids=lambda p: p.environment)
def test_it_takes_every_tool(easel, observer, program, tmp_path):
    program.install()
    taken = program.convert(Place(tmp_path / "home", easel, "http"))
    assert not taken["refused"]
    assert taken["accepted"] == len(observer.tools)
