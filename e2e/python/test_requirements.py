"""Tests that the tests' kernels have the same packages as users' kernels."""

import collections
import pathlib
import re

HERE = pathlib.Path(__file__).parent


def pins(path: pathlib.Path) -> dict[str, set[str]]:
    """Returns the pinned versions by name. Markers may select one of several."""
    found = collections.defaultdict(set)
    for line in path.read_text().splitlines():
        if m := re.match(r"([\w.-]+)==([^\s;]+)", line):
            found[m[1].lower()].add(m[2])
    return found


def test_the_pins_are_those_of_the_managed_jupyter():
    ours = pins(HERE / "requirements.txt")
    for name, versions in pins(HERE.parents[1] / "jupyter/managed/requirements.txt").items():
        assert ours[name] <= versions, f"{name}: run make requirements"
