"""The steps of the scripted model, which are the same for all clients."""

import dataclasses
import pathlib
import re
import typing

from conversation import Exchange

PROMPT = "Use the easel tools to draw the plots of the harbour, and show me each of them."

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.title('Tide')\nplt.show()"
# The code does not contain the titles, so that a client that repeats the code does not name them.
SIX = """import matplotlib.pyplot as plt
for n in range(1, 7):
    plt.figure()
    plt.plot([n, 2 * n, n])
    plt.title(f"Harbour {n}")
    plt.show()
"""
SIX_TITLES = [f"Harbour {n}" for n in range(1, 7)]
AFTER = "import matplotlib.pyplot as plt\nplt.plot([3, 1, 2])\nplt.title('Ebb')\nplt.show()\n1 / 0"
LONG = """import os, time
import matplotlib.pyplot as plt
while not os.path.exists({gate!r}):
    time.sleep(0.02)
plt.plot([2, 1, 3])
plt.title('Flood')
plt.show()
"""
ENDLESS = """import pathlib, time
pathlib.Path({begun!r}).touch()
for _ in range(3000):
    time.sleep(0.1)
"""


@dataclasses.dataclass
class Step:
    """A tool call of the model. Its arguments depend on the results so far."""

    name: str
    tool: str
    arguments: typing.Callable[[list[Exchange]], dict]


def identifier(kind: str, exchange: Exchange) -> str:
    """Returns an id in a result, however often the client has quoted the JSON."""
    found = re.search(rf"{kind}_id\W+([0-9A-Za-z][0-9A-Za-z-]{{7,}})", exchange.result.text)
    return found[1] if found else f"no {kind}_id in the result"


def session(before: list[Exchange]) -> str:
    return identifier("session", before[0])


def run(name: str, code: str, **more) -> Step:
    return Step(name, "execute_code", lambda before: {"session_id": session(before), "code": code} | more)


OPEN = Step("session", "session_create", lambda _: {})


def steps(scratch: pathlib.Path) -> list[Step]:
    """Returns the steps of all scenarios that need only the model, in one conversation."""
    gate = scratch / "gate"

    def follow(before: list[Exchange]) -> dict:
        gate.touch()
        return {"execution_id": identifier("execution", before[-1]), "wait": 40}

    return [
        OPEN,
        run("plot", PLOT),
        run("six", SIX),
        run("failure", AFTER),
        run("begin", LONG.format(gate=str(gate)), wait=1),
        Step("long", "get_execution", follow),
    ]


def endless(scratch: pathlib.Path) -> list[Step]:
    """Returns the steps that run endless code, to be cancelled. The code creates scratch/begun."""
    return [OPEN, run("endless", ENDLESS.format(begun=str(scratch / "begun")))]
