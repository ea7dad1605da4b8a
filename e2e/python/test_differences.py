"""What is different between two plots."""

import pytest
from assistant import connect

FIRST = """
import numpy as np, matplotlib.pyplot as plt
y = np.linspace(0, 7.6, 240)
fig, ax = plt.subplots()
ax.plot(y, label="A")
ax.plot(y / 2, label="B")
ax.legend(); plt.show()
"""
SECOND = """
import numpy as np, matplotlib.pyplot as plt
y = np.linspace(0, 5.1, 180)
fig, ax = plt.subplots()
ax.plot(y, label="A")
ax.legend(); plt.show()
"""
UPDATED = """
import matplotlib.pyplot as plt
from IPython.display import display
fig, ax = plt.subplots(); plt.close(fig)
ax.plot([1, 2, 3], label="A")
shown = display(fig, display_id=True)
ax.lines[0].set_ydata([1, 2, 9]); ax.set_ylim(0, 10)
shown.update(fig)
"""


@pytest.fixture
async def a(keeping):
    async with connect(keeping) as assistant:
        yield assistant


async def test_two_plots_are_compared(a):
    session = await a.keeping_session()
    [first] = (await a.run(session, FIRST)).data["images"]
    [second] = (await a.run(session, SECOND)).data["images"]
    answer = await a.call("get_prompt_info", path=second["resource_uri"], compare_with=first["resource_uri"])
    read = answer.read
    assert read["compared_with"] == first["resource_uri"], read
    text = read["differences"]
    assert text.startswith("Code: - y = np.linspace(0, 7.6, 240); + y = np.linspace(0, 5.1, 180); - ax.plot(y / 2, label=\"B\"). Facts: "), text
    assert "A: n 240 → 180; y max 7.6 → 5.1" in text and "legend lost B" in text and len(text) < 400, text
    rest = a.rest("get_prompt_info", path=second["resource_uri"], compare_with=first["resource_uri"])["differences"]
    assert rest["text"] == text and rest["code"][0] == "- y = np.linspace(0, 7.6, 240)" and "legend lost B" in rest["facts"], rest
    same = (await a.call("get_prompt_info", path=second["resource_uri"], compare_with=second["resource_uri"])).read
    assert same["differences"] == "Code: the same. Facts: no difference.", same
    none = (await a.call("get_prompt_info", path=second["resource_uri"], compare_with="previous")).error
    assert none["code"] == "VALIDATION_ERROR" and "no earlier version" in none["message"], none
    unknown = (await a.call("get_prompt_info", path=second["resource_uri"], compare_with="jupyter://sessions/x/images/y.png")).error
    assert unknown["code"] in ("IMAGE_NOT_FOUND", "FILE_NOT_FOUND"), unknown


async def test_a_figure_is_compared_with_its_earlier_version(a):
    session = await a.keeping_session()
    images = (await a.run(session, UPDATED)).data["images"]
    read = (await a.call("get_prompt_info", path=images[-1]["resource_uri"], compare_with="previous")).read
    assert read["differences"].startswith("Code: the same. Facts: A: y max 3 → 9"), read
    assert "other values at 1 of 3 points" in read["differences"], read
