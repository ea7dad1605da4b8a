"""Summarizes what reached the model, for the cells of the table."""

import io
import re

from conversation import Exchange
from model import Model
from PIL import Image
from scenarios import SIX_TITLES

YES = "yes"
SCENARIOS = ["plot", "six", "failure", "long", "cancel"]


def genuine(picture: bytes) -> bool:
    """Reports whether a picture can be decoded. An address instead of one cannot."""
    try:
        Image.open(io.BytesIO(picture)).load()
    except OSError:
        return False
    return True


def outcome(step: str, exchange: Exchange) -> str:
    """Returns how a step's pictures arrived: YES if as in the contract."""
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
    """Returns what the model received instead of a picture: paths, URIs, or nothing."""
    addresses = uris(text)
    files = set(re.findall(r"/[\w./-]+\.png", text)) - addresses
    return "path" if len(files) >= expected else "URI" if addresses else "no"


def uris(text: str) -> set[str]:
    return {u.removeprefix("jupyter:") for u in re.findall(r"jupyter:[\w./-]+", text)}


def outcomes(model: Model) -> dict[str, str]:
    """Returns the outcome of each scenario. The log says why a step was not reached."""
    seen = dict(zip((s.name for s in model.steps), model.exchanges))
    return {s: outcome(s, seen[s]) if s in seen else "not reached" for s in SCENARIOS[:-1]}


def instructions(model: Model, server: str) -> str:
    """Returns how much of the server's instructions the model received."""
    first = server.split("\n\n")[0]
    squeezed = " ".join(model.instructions.split())
    return "all" if " ".join(server.split()) in squeezed else "first paragraph" if " ".join(first.split()) in squeezed else "none"
