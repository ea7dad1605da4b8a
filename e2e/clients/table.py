"""Writes the results to docs/clients.md, between two markers."""

import pathlib

from judge import SCENARIOS, YES
from observe import Seen
from roster import PROGRAMS

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/clients.md"
BEGIN, END = "<!-- make test-clients writes from here -->\n", "<!-- to here -->\n"
HEAD = ["program", "version", "transport", "tools", "instructions", "picture", "six plots", "after failure", "long run", "cancel", "notes"]


def write(seen: dict[str, Seen]) -> None:
    """Writes the table, unless the results are incomplete, because it would lose the other programs."""
    if any(p.id not in seen for p in PROGRAMS):
        return
    lines = [row(HEAD), row(["---"] * len(HEAD))] + [row(cells(seen[p.id])) for p in PROGRAMS]
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + "".join(lines) + "\n" + END + rest.partition(END)[2])


def row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def cells(seen: Seen) -> list[str]:
    p = seen.program
    names = [p.name, p.version, p.way]
    if why := seen.missing or seen.broken:
        what = "could not be installed" if seen.missing else "failed"
        return names + ["–"] * 7 + [f"{what}: {why.splitlines()[-1]}"]
    reasons = dict.fromkeys(limit.reason for limit in p.limits.values())
    notes = " ".join([*reasons, p.notes]).strip()
    return names + [str(seen.tools), seen.instructions] + [cell(seen, s) for s in SCENARIOS] + [notes]


def cell(seen: Seen, scenario: str) -> str:
    limit = seen.program.limits.get(scenario)
    # Results that vary must not change the page.
    outcome = limit.outcome if limit and " or " in limit.outcome else seen.outcomes[scenario]
    return outcome if outcome == YES else f"**{outcome}**"
