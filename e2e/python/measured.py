"""The measurements and the output of the bench."""

import asyncio
import random
import statistics
import time


async def timed(f) -> float:
    begin = time.perf_counter()
    await f
    return (time.perf_counter() - begin) * 1000


def rested(way):
    """Returns a way that first waits until the work that the previous one has left is done,
    as between an assistant's calls."""

    async def run() -> float:
        await asyncio.sleep(0.02)
        return await timed(way())

    return run


class Table:
    """Prints rows, and records which goals are met."""

    def __init__(self):
        self.goals: list[tuple[str, bool]] = []

    def row(self, what: str, medians: dict[str, float], goal: tuple[str, bool] | None = None, unit: str = "ms", note: str = ""):
        """Prints a row: each number, and its difference from the first."""
        floor, cells = next(iter(medians.values())), []
        for name, m in medians.items():
            far = f" ({m / floor:5.2f}×, {m - floor:+7.1f})" if cells and floor > 0 else ""
            cells.append(f"{name} {m:8.1f} {unit}{far}")
        said = ""
        if goal:
            self.goals.append((what, goal[1]))
            said = f"   goal {goal[0]}: {'met' if goal[1] else 'MISSED'}"
        print(f"{what:30} " + "   ".join(cells) + said + (f"   [{note}]" if note else ""), flush=True)

    def summary(self):
        missed = [what for what, met in self.goals if not met]
        print(f"\ngoals: {len(self.goals) - len(missed)} met, {len(missed)} missed" + (": " + "; ".join(missed) if missed else ""))


async def interleaved(rounds: int, few: dict | None = None, **ways) -> dict[str, float]:
    """Returns the median time of each way, in ms. Each round runs all ways, in random order,
    because work that a way has left slows down the next one. The slow ways in few run only in
    the first rounds. If a way returns a float, that is its time."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    order, chance = list(ways.items()), random.Random(1)
    for n in range(rounds):
        chance.shuffle(order)
        for name, way in order:
            begin = time.perf_counter()
            took = await way()
            times[name].append(took if isinstance(took, float) else (time.perf_counter() - begin) * 1000)
        for name, way in list((few or {}).items()) if n < 5 else ():
            begin = time.perf_counter()
            if await way() is None:
                few.pop(name)  # it has failed and printed why
                times.pop(name, None)
            else:
                times.setdefault(name, []).append((time.perf_counter() - begin) * 1000)
    return {name: statistics.median(ts) for name, ts in times.items() if ts}
