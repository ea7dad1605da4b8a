"""What reached the model, in a word: the table's cells."""

import io
import re

from conversation import Exchange
from model import Model
from PIL import Image
from scenarios import SIX_TITLES

YES = "yes"
SCENARIOS = ["plot", "six", "failure", "long", "cancel"]


def genuine(picture: bytes) -> bool:
    """Whether a picture can be decoded; an address instead of one cannot."""
    try:
        Image.open(io.BytesIO(picture)).load()
    except OSError:
        return False
    return True


def outcome(step: str, exchange: Exchange) -> str:
    """How a step's pictures arrived; yes if as the contract says."""
    result, expected = exchange.result, 6 if step == "six" else 1
    good = [p for p in result.pictures if genuine(p)]
    if len(good) < len(result.pictures):
        return "with an address as picture"
    if result.base64:
        return "base64 as text"
    if not good:
        return named_place(result.text, expected)
    if step == "failure" and "ZeroDivisionError" not in result.text:
        return "the error is missing"
    if step != "six":
        return YES if len(good) == 1 else f"{len(good)} pictures"
    named = sum(title in result.text for title in SIX_TITLES[len(good) :])
    return YES if len(good) == 4 and named == 2 else f"{len(good)} of 6, {named} named"


def named_place(text: str, expected: int) -> str:
    """What a model is told instead of a picture: files, addresses, or nothing."""
    addresses = uris(text)
    files = set(re.findall(r"/[\w./-]+\.png", text)) - addresses
    return "path" if len(files) >= expected else "URI" if addresses else "no"


def uris(text: str) -> set[str]:
    return {u.removeprefix("jupyter:") for u in re.findall(r"jupyter:[\w./-]+", text)}


def outcomes(model: Model) -> dict[str, str]:
    """Each scenario's outcome; a step that was never made has its reason in the log."""
    seen = dict(zip((s.name for s in model.steps), model.exchanges))
    return {s: outcome(s, seen[s]) if s in seen else "not reached" for s in SCENARIOS[:-1]}


def instructions(model: Model, server: str) -> str:
    """How much of the server's instructions the model got."""
    first = server.split("\n\n")[0]
    squeezed = " ".join(model.instructions.split())
    return "all" if " ".join(server.split()) in squeezed else "first paragraph" if " ".join(first.split()) in squeezed else "none"
