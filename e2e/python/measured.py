"""How the bench measures, and what it prints of that."""

import asyncio
import random
import statistics
import time


async def timed(f) -> float:
    begin = time.perf_counter()
    await f
    return (time.perf_counter() - begin) * 1000


def rested(way):
    """A way that begins when what the one before has left to do is done, as an assistant's calls do."""

    async def run() -> float:
        await asyncio.sleep(0.02)
        return await timed(way())

    return run


class Table:
    """Prints rows, and counts which goals are met."""

    def __init__(self):
        self.goals: list[tuple[str, bool]] = []

    def row(self, what: str, medians: dict[str, float], goal: tuple[str, bool] | None = None, unit: str = "ms", note: str = ""):
        """One line: each figure, and its distance from the first."""
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
    """The median of each way, one after the other in each round; those in few take
    long, and run in the first rounds only. A way that gives a float has timed itself.
    Each round has another order: what a way has left to do slows the one behind it."""
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
                few.pop(name)  # it cannot, and has said so
                times.pop(name, None)
            else:
                times.setdefault(name, []).append((time.perf_counter() - begin) * 1000)
    return {name: statistics.median(ts) for name, ts in times.items() if ts}
