"""Tests of easel library export and import: with plots of real kernels, into an empty library and into one
that has a part of them, while Easel runs and while it does not, and killed in the middle."""

import json
import signal
import subprocess
import zipfile

from servers import BINARY, Easel, wait_until

CODE = """\
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([3, 1, 2]); ax.set_title('潮位 %d'); plt.show()
print('drawn %d')
"""

MANY = """\
import struct, zlib
from IPython.display import Image, display
def png(n):
    def chunk(t, d): return struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d))
    raw = b''.join(b'\\0' + bytes([n % 256, n // 256, y % 256] * 40) for y in range(30))
    head = struct.pack('>IIBBBBB', 40, 30, 8, 2, 0, 0, 0)
    return b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b'')
for n in range(400): display(Image(data=png(n)))
"""


def library(easel, what, file, **options):
    return subprocess.run([BINARY, "library", what, str(file)], env=easel.env, capture_output=True, text=True, timeout=300, **options)


def seen(easel):
    """Everything of the plots that REST shows, by their ids, without where the files are and what its kernel could draw."""
    plots, cursor = {}, ""
    while cursor is not None:
        status, _, page = easel.request("GET", f"/api/resources?limit=200&cursor={cursor}")
        assert status == 200, page
        for image in page["resources"]:
            status, _, full = easel.request("GET", f"/api/info/get_image_resource?resource_uri={image['uri']}")
            assert status == 200, full
            plot = {k: v for k, v in full.items() if k not in ("path", "redrawable", "redrawable_why", "adjusted")}
            run = plot.get("execution_id")
            status, _, execution = easel.request("GET", f"/api/info/get_execution?execution_id={run}")
            assert status == 200, execution
            plot["run"] = {k: execution[k] for k in ("code", "status", "stdout", "stderr", "created_at", "execution_count")}
            plots[image["uri"]] = plot
        cursor = page.get("next_cursor")
    return plots


def same(here, there):
    """Names what is different."""
    assert here.keys() == there.keys()
    for uri, plot in there.items():
        different = {k: (here[uri].get(k), v) for k, v in plot.items() if here[uri].get(k) != v}
        assert not different, uri
        assert here[uri].keys() == plot.keys(), uri


def draw(easel, numbers):
    session = easel.execute("session_create")[2]["session_id"]
    for n in numbers:
        status, _, run = easel.execute("execute_code", session_id=session, code=CODE % (n, n))
        assert status == 200 and run["status"] == "ok", run
    return session


def test_a_library_moves_and_merges(tmp_path, jupyter):
    a = Easel.start(tmp_path / "a", jupyter=jupyter)
    try:
        draw(a, [1, 2, 3])
        first, second = [e["uri"] for e in a.request("GET", "/api/resources")[2]["resources"]][:2]
        assert a.execute("set_rating", rating=4, path=first)[0] == 200
        assert a.execute("set_tags", add=["keep", "これ"], path=second)[0] == 200
        running = library(a, "export", tmp_path / "running.zip")
        assert running.returncode == 0 and running.stdout.startswith("Exported 3 plots, 3 executions, 1 session, 2 plots with"), running
        there = seen(a)
        again = library(a, "export", tmp_path / "running.zip")
        assert again.returncode == 1 and "already exists" in again.stderr, again
    finally:
        assert a.close() == 0
    closed = library(a, "export", tmp_path / "closed.zip")
    assert closed.returncode == 0 and "Exported 3 plots" in closed.stdout, closed
    contents = [json.loads(zipfile.ZipFile(tmp_path / f).read("contents.json")) for f in ("running.zip", "closed.zip")]
    assert contents[0]["records"] == contents[1]["records"]

    b = Easel.prepare(tmp_path / "b", jupyter)  # it has never run
    done = library(b, "import", tmp_path / "running.zip")
    assert done.returncode == 0 and done.stdout.startswith("Imported 3 plots, 3 executions, 1 session"), done
    b.launch()
    try:
        same(seen(b), there)
        draw(b, [4])
        assert b.execute("set_rating", rating=1, path=first)[0] == 200  # newer than the one in the file
        mine = seen(b)
        assert len(mine) == 4
        running = library(b, "import", tmp_path / "closed.zip")  # while it runs
        assert running.returncode == 0 and "Imported nothing" in running.stdout and "3 plots" in running.stdout, running
        same(seen(b), mine)
        assert library(b, "export", tmp_path / "back.zip").returncode == 0
    finally:
        assert b.close() == 0

    a.launch()
    try:
        back = library(a, "import", tmp_path / "back.zip")
        assert back.returncode == 0 and back.stdout.startswith("Imported 1 plot, 1 execution, 1 session, 1 plot with"), back
        same(seen(a), mine)
    finally:
        assert a.close() == 0


def test_a_broken_file_changes_nothing_and_a_killed_import_goes_on(tmp_path, jupyter):
    a = Easel.start(tmp_path / "a", jupyter=jupyter)
    try:
        session = a.execute("session_create")[2]["session_id"]
        status, _, run = a.execute("execute_code", session_id=session, code=MANY, images="none")
        assert status == 200 and run["status"] == "ok", run
        wait_until("the plots", lambda: a.execute("open_folder", path="jupyter://sessions/")[2]["view"]["count"] == 400)
        assert library(a, "export", tmp_path / "all.zip").returncode == 0
    finally:
        assert a.close() == 0
    whole = (tmp_path / "all.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    b = Easel.prepare(tmp_path / "b", jupyter)
    cut = library(b, "import", tmp_path / "cut.zip")
    assert cut.returncode == 1 and "nothing was changed" in cut.stderr and "its end is missing" in cut.stderr, cut
    for pause in (0.05, 0.3, 0.8):
        process = subprocess.Popen([BINARY, "library", "import", str(tmp_path / "all.zip")], env=b.env)
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
    done = library(b, "import", tmp_path / "all.zip")
    assert done.returncode == 0, done
    b.launch()
    try:
        view = b.execute("open_folder", path="jupyter://sessions/")[2]["view"]
        assert view["count"] == 400, view
        assert len({p["image_id"] for p in seen(b).values()}) == 400
    finally:
        assert b.close() == 0
