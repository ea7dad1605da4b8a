"""Tests a kernel that runs while Easel does not."""

import asyncio

from assistant import connect
from servers import wait_until


async def killed_while_it_draws(easel, session: dict, jupyter, folder):
    """Kills Easel while code runs. The code draws and ends. The next Easel must have all of
    its output, in the same execution, which is returned. jupyter(method, path) calls the kernel's server."""
    go, done, quiet = folder / "go", folder / "done", folder / "quiet"
    code = f"""
import pathlib, time
import matplotlib.pyplot as plt
print('begun', flush=True)
time.sleep(2.1)  # QUIET in easel_kept.py: so nothing can have been lost with Easel
pathlib.Path({str(quiet)!r}).touch()
while not pathlib.Path({str(go)!r}).exists():
    time.sleep(0.01)
plt.plot([1, 2]); plt.title('Nobody looked'); plt.show()
print('end', flush=True)
pathlib.Path({str(done)!r}).touch()
"""
    async with connect(easel) as a:
        e = (await a.run(session["session_id"], code, wait=0)).data
        while not e["stdout"]:
            e = (await a.call("get_execution", execution_id=e["execution_id"])).data

    def kernel() -> dict:
        return jupyter("GET", f"/api/kernels/{session['kernel_id']}")[2]

    wait_until("the server to hear what Easel has heard", lambda: kernel()["execution_state"] == "busy")
    wait_until("the kernel to have been quiet", quiet.exists)
    easel.process.kill()
    easel.process.wait()
    wait_until("the server to notice", lambda: kernel()["connections"] == 0)
    go.touch()
    wait_until("the end", done.exists)
    easel.launch()
    async with connect(easel) as a, asyncio.timeout(120):
        while e["status"] == "running":
            e = (await a.call("get_execution", execution_id=e["execution_id"], wait=30)).data
        assert (e["status"], e["code"], e["stdout"]) == ("ok", code, "begun\nend\n")
        assert [i["title"] for i in e["images"]] == ["Nobody looked"]
    shown = easel.request("GET", "/api/resources/state")[2]["sessions"]
    assert [s["session"]["images"] for s in shown if s["session"]["session_id"] == session["session_id"]] == [1]
    return e
