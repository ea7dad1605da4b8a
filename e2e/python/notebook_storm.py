"""One or two users and an assistant work in one notebook for long, while their programs are
killed; then nothing may be lost or doubled. See writers.py.

    python notebook_storm.py SEED EDITS [collaboration] [users=2] [easel=N] [server=N] [tab=N] [second=N] [alone]

Each N is how often something happens, at random moments: Easel or the Jupyter server is killed,
the page of a user crashes, a second tab shows the notebook for a while. With alone, the
assistant does nothing: what is lost then, JupyterLab loses without Easel.
"""

import asyncio
import contextlib
import itertools
import json
import pathlib
import random
import sys
import tempfile
import time

from lab import Notebook, open_browser
from playwright.async_api import Error as BrowserError
from servers import Easel, Jupyter
from writers import PATH, Assistant, Typist, notebook, open_tab, saved, settle, tally, write

MOST_SHOWN = 20  # faults


class Storm:
    def __init__(self, easel: Easel, jupyter: Jupyter, browser, seed: int, alone: bool, collaboration: bool):
        self.easel, self.jupyter, self.browser = easel, jupyter, browser
        self.rng, self.alone, self.collaboration = random.Random(seed), alone, collaboration
        self.assistant = Assistant(easel, random.Random(seed + 1))
        self.users: list[Typist] = []
        self.awake: dict[Typist, asyncio.Event] = {}  # cleared while a user waits
        self.still: dict[Typist, asyncio.Event] = {}  # set while the user does
        self.notes, self.ended = [], False

    async def run(self, users: int, edits: int, counts: dict[str, int]):
        write(self.jupyter, PATH, notebook(["first", "second", "third"]))
        for i in range(users):
            u = Typist(await open_tab(self.browser, self.jupyter), random.Random(self.rng.random()), i)
            self.users.append(u)
            self.awake[u], self.still[u] = asyncio.Event(), asyncio.Event()
            self.awake[u].set()
        due = sorted((self.rng.uniform(0.1, 0.9) * edits, what) for what, n in counts.items() for _ in range(n))
        typing = [asyncio.create_task(self.type(u)) for u in self.users]
        happening = asyncio.create_task(asyncio.sleep(0))
        i = 0
        while i < edits or due or not happening.done():
            if due and i >= min(due[0][0], edits) and happening.done():
                await happening
                happening = asyncio.create_task(getattr(self, due.pop(0)[1])())
            if self.alone:
                await asyncio.sleep(0.3)
                i += 1
            else:
                i += await asyncio.to_thread(self.assistant.step, True)
        await happening
        self.ended = True
        await asyncio.gather(*typing)
        for u in self.users:
            await u.save()
        return await settle(self.jupyter, self.users, self.assistant)

    async def type(self, u: Typist):
        while not self.ended:
            self.still[u].set()
            await self.awake[u].wait()
            self.still[u].clear()
            await u.step(more=True)

    async def easel_killed(self):
        self.easel.process.kill()
        self.easel.process.wait()
        await asyncio.to_thread(self.easel.launch)

    async def server_killed(self):
        self.notes.append(f"server killed at {time.monotonic():.1f}")
        await asyncio.to_thread(self.jupyter.kill)
        left = [p.name for p in self.jupyter.root.iterdir() if p.name.startswith(".~")]
        await asyncio.to_thread(self.jupyter.launch, self.jupyter.port)
        invalid = [p.name for p in self.jupyter.root.iterdir() if p.name.endswith(".invalid")]
        self.notes.append(f"server back at {time.monotonic():.1f}; half-written: {left}; declared invalid: {invalid}")

    async def tab_killed(self):
        """The page crashes, after the user has saved."""
        u = self.rng.choice(self.users)
        await self.pause(u)
        with contextlib.suppress(BrowserError):
            await u.dismiss()
        for i in itertools.count():
            await u.save()
            await asyncio.sleep(0.25)
            shown, stored = "".join(c["source"] for c in await u.shown()), "".join(saved(self.jupyter))
            unsaved = [m for m in u.typed if m.text in shown and m.text not in stored]
            if not unsaved:
                break
            if i == 240:
                self.notes.append(f"user {u.number} cannot save, and so the page does not crash: {unsaved}")
                self.awake[u].set()
                return
        await u.collect(time.monotonic())
        self.notes.append(f"the page of user {u.number} crashes at {time.monotonic():.1f}; it had to save {i + 1} times")
        old, crash = u.tab, await u.tab.page.context.new_cdp_session(u.tab.page)
        with contextlib.suppress(BrowserError, asyncio.TimeoutError):
            await asyncio.wait_for(crash.send("Page.crash"), 2)
        await old.close()
        u.tab = await open_tab(self.browser, self.jupyter)
        self.awake[u].set()

    async def second_tab(self):
        """Another tab shows the notebook: without collaboration, Easel must refuse and say why."""
        other = await Notebook.open(self.browser, self.jupyter, PATH)
        before = sum(n for h, n in self.assistant.hints.items() if "tabs show it" in h or "all tabs but one" in h)
        await asyncio.sleep(6)
        after = sum(n for h, n in self.assistant.hints.items() if "tabs show it" in h or "all tabs but one" in h)
        self.notes.append(f"with a second tab, {after - before} calls were refused for it")
        await other.close()

    async def pause(self, u: Typist):
        self.awake[u].clear()
        await self.still[u].wait()


async def main(seed: int, edits: int, options: list[str]):
    counts = {k: int(v) for k, _, v in (o.partition("=") for o in options) if v}
    users, collaboration = counts.pop("users", 1), "collaboration" in options
    happen = {"easel": "easel_killed", "server": "server_killed", "tab": "tab_killed", "second": "second_tab"}
    with tempfile.TemporaryDirectory() as base:
        easel = Easel.prepare(pathlib.Path(base) / "easel")
        easel.give_python()
        jupyter = Jupyter(pathlib.Path(base) / "jupyter", collaboration=collaboration, lab=True)
        easel.env |= {"EASEL_JUPYTER_URL": jupyter.url, "EASEL_JUPYTER_TOKEN": jupyter.token}
        try:
            easel.launch()
            async with open_browser() as browser:
                storm = Storm(easel, jupyter, browser, seed, "alone" in options, collaboration)
                wrong = await storm.run(users, edits, {happen[k]: n for k, n in counts.items()})
                report(storm, seed, wrong)
        finally:
            if easel.process:
                easel.close()
            jupyter.close()
            for line in (easel.data / "logs/easel.log").read_text().splitlines():
                if '"level":"ERROR"' in line:
                    print("Easel's log:", line)
            log = (pathlib.Path(base) / "jupyter/jupyter.log").read_text(errors="replace")
            for text in ("out-of-sync", "Out-of-band", "Non-unique cell ID", "Error saving"):
                if n := log.count(text):
                    print(f"Jupyter's log: {n} × {text}")
    return 1 if wrong else 0


def report(storm: Storm, seed: int, wrong: list[str]):
    a = storm.assistant
    print(f"seed {seed}: {sum(len(u.typed) for u in storm.users)} keystrokes, users did {[dict(u.did) for u in storm.users]}")
    print(f"assistant did {dict(a.did)} via {dict(a.via)}; edits: {len(a.done)} made, {len(a.refused)} refused, {len(a.unknown)} unknown")
    swept = tally(saved(storm.jupyter), storm.users, a)[1]
    print(f"{len(swept)} characters were typed into a cell that somebody deleted or moved at that moment, and are gone")
    print(*storm.notes, *(f"dialog of user {u.number}: {d!r}" for u in storm.users for d in u.dialogs), sep="\n")
    print(json.dumps(a.hints, indent=1, ensure_ascii=False))
    print(*wrong[:MOST_SHOWN], sep="\n")
    for kind in ("keystroke", "the assistant's edit", "refused edit", "whose call failed", "differ"):
        print(f"{sum(kind in w for w in wrong)} × {kind} in {len(storm.users) + 2} views")
    print(f"{len(wrong)} faults" if wrong else "nothing is lost or doubled, and all agree")


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])))
