"""Artefacts in plots, drawn as an analyst would: how many the findings name, and what they say about the same plots without them."""

import collections

import artefacts
import pytest
from assistant import connect

CASES = artefacts.FROM_SEEDS + (artefacts.FROM_FILES if artefacts.FOLDER else [])
DATA = set(
    "repeats strings round on_line equal copies clumps lattice tight smooth flat held block same threshold wall spike empty edge bands".split()
)


@pytest.fixture
async def a(keeping):
    async with connect(keeping) as assistant:
        yield assistant


async def found_in(a, session, case, draw, wrong, seed) -> list[set[str]]:
    """Draws a case in some ways, and returns the checks of the data that found something in each plot."""
    code = "".join(case.code(d, wrong, seed) for d in draw)
    answer = await a.run(session, code, images="none")
    assert answer.read["status"] == "ok", (case.name, answer.read)
    images = answer.whole["images"]
    assert len(images) == len(draw), (case.name, images)
    found = []
    for image in images:
        status, _, plot = a.easel.request("GET", "/api/info/image_resource?max_edge=64&resource_uri=" + image["resource_uri"])
        assert status == 200, plot
        found.append({f["check"] for f in plot.get("findings", [])} & DATA)
    return found


async def count(a, ways, seeds):
    """Counts over all cases: the plots with the artefact and those of them in which it was found, and the findings in clean plots."""
    session = await a.keeping_session()
    assert (await a.run(session, artefacts.SETUP)).read["status"] == "ok"
    counted = collections.Counter()
    for case in CASES:
        for seed in seeds:
            for wrong in (True, False):
                if wrong and case.file and seed != seeds[0]:
                    continue  # the file is the same
                for n, found in enumerate(await found_in(a, session, case, case.draw[:ways], wrong, seed)):
                    hit = bool(found & set(case.checks.split()))
                    if wrong:
                        counted["drawn", n] += 1
                        counted["found", n] += hit
                        if not hit:
                            print(f"{case.name}, way {n + 1}, seed {seed}: {case.what}: not found, but {found or 'nothing'}")
                    else:
                        counted["clean", n] += 1
                        counted["false", n] += len(found)
                        if found:
                            print(f"{case.name}, way {n + 1}, seed {seed}, clean: {found}")
    for n in range(ways):
        print(f"way {n + 1}: found {counted['found', n]} of {counted['drawn', n]}; {counted['false', n]} findings in {counted['clean', n]} clean plots")
    return counted


async def test_artefacts_are_found(a):
    counted = await count(a, 1, (1,))
    # The goal is 22 of 26, and one finding in ten clean plots.
    assert 26 * counted["found", 0] >= 22 * counted["drawn", 0], counted
    assert 10 * counted["false", 0] <= counted["clean", 0], counted


@pytest.mark.nightly
async def test_artefacts_are_found_however_they_are_drawn(a):
    counted = await count(a, 3, (1, 2, 3))
    assert all(26 * counted["found", n] >= 22 * counted["drawn", n] for n in range(3)), counted
    assert 10 * sum(counted["false", n] for n in range(3)) <= sum(counted["clean", n] for n in range(3)), counted
