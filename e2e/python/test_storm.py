"""Runs a short storm, so that the long ones (make storm) keep working."""

import pytest
import storm


@pytest.mark.parametrize("managed", [pytest.param(True, id="managed", marks=pytest.mark.nightly), pytest.param(False, id="stock")])
def test_a_storm(tmp_path, managed):
    assert storm.storm(tmp_path, 7, 6, managed, 3) == []
