"""What models saw: the log of Easel is read by another program, and compared with what the clients
received, while Easel runs, after a restart, and after it was killed."""

import base64
import io
import json
import subprocess
import urllib.request

import pytest
from assistant import connect
from PIL import Image
from servers import BINARY, Easel, wait_until

LARGE = """\
# A wave
import matplotlib.pyplot as plt
plt.figure(figsize=(25, 20), dpi=100); plt.plot([1, 3, 2]); plt.title('Wave'); plt.show()
for i in range(5): plt.figure(figsize=(2, 1)); plt.plot([i]); plt.show()
print('x' * 48_000)
"""


@pytest.fixture(scope="module")
def writer(tmp_path_factory, jupyter):
    app = Easel.start(tmp_path_factory.mktemp("seen"), jupyter=jupyter)
    yield app
    assert app.close() == 0


def log(easel, *flags: str) -> str:
    done = subprocess.run([BINARY, "log", *flags], env=easel.env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def entries(easel, *flags: str) -> list[dict]:
    return [json.loads(line) for line in log(easel, *flags).splitlines()]


def size(picture: bytes) -> tuple[int, int, int]:
    return *Image.open(io.BytesIO(picture)).size, len(picture)


def sent(entry: dict, how: str) -> list[tuple[int, int, int]]:
    return [(i.get("width", 0), i.get("height", 0), i.get("bytes", 0)) for i in entry["received"]["images"] if i["how"] == how]


async def test_the_log_says_what_clients_received(writer):
    async with connect(writer, "legacy", name="claude-code") as seeing, connect(writer, name="Cline") as blind:
        session = await seeing.session(title="Waves")
        got = await seeing.run(session, LARGE)
        assert len(got.pictures) == 4 and len(got.links) == 2
        assert max(Image.open(io.BytesIO(got.pictures[0])).size) == 1568  # scaled
        linked = await blind.run(session, LARGE)
        assert linked.pictures == [] and len(linked.links) == 6
        first = got.data["images"][0]
        text_only = await seeing.run(session, LARGE.replace("Wave", "Wave 2"), images="none")
        fetched = await blind.call("get_image_resource", resource_uri=first["resource_uri"], max_edge=200)
        [whole] = (await seeing.client.read_resource(first["resource_uri"])).contents
        listed = await blind.call("list_session_images", session_id=session)
        request = urllib.request.Request(writer.url + "/api/resources/" + first["resource_uri"].removeprefix("jupyter://"))
        request.add_header("Authorization", f"Bearer {writer.token}")
        request.add_header("User-Agent", "my-agent/3 (test)")
        with urllib.request.urlopen(request) as r:
            file = r.read()

    def logged() -> list[dict]:
        """Without the calls of the tests' own helpers, once the last call has ended: its client has the file a moment before."""
        log = [e for e in entries(writer, "--session", session) if not e["client"].startswith("Python-urllib")]
        return log if "received" in log[-1] else []

    got_log = wait_until("the end of the last call", logged)
    made, seen, link, named, look, read, listing, rest = got_log
    assert all(e["session_id"] == session and e["session"] == "Waves" for e in got_log)
    assert [e["client"] for e in got_log] == ["claude-code", "claude-code", "Cline", "claude-code", "Cline", "claude-code", "Cline", "my-agent/3 (test)"]
    # each picture that the model got, with the size that it had there
    assert sent(seen, "inline") == [size(p) for p in got.pictures] and len(sent(seen, "link")) == 2 and seen["client_version"] == "1.2.3"
    assert sent(link, "inline") == [] and len(sent(link, "link")) == 6
    assert [len(sent(named, how)) for how in ("inline", "link", "text")] == [0, 0, 6] and text_only.pictures == []
    assert sent(look, "inline") == [size(p) for p in fetched.pictures] or fetched.pictures == []
    assert sent(read, "inline") == [size(base64.b64decode(whole.blob))]
    assert len(sent(listing, "text")) == len(listed.data["images"])
    assert sent(rest, "inline") == [size(file)] and rest["transport"] == "rest"
    # how much text, and how much was left out
    for entry, answer in ((seen, got), (link, linked), (look, fetched)):
        assert entry["received"]["text_bytes"] == len(answer.texts[0].encode())
    assert 48_000 - 8_200 < seen["received"]["left_out_bytes"] < 48_000
    # what ran and what came out
    x = seen["execution"]
    assert (x["code"], x["status"], x["stdout_bytes"], x["kernel_name"]) == (LARGE, "ok", 48_001, "python3")
    assert [i["image_id"] for i in x["images"]] == [i["image_id"] for i in got.data["images"]]
    assert (x["images"][0]["width"], x["images"][0]["height"]) == (first["width"], first["height"])
    assert "code" not in seen["parameters"] and made["tool"] == "session_create"
    report = log(writer, "--session", session, "--format", "report", "--thumbnails", "--lang", "ja")
    assert "アシスタントの記録" in report and "A wave" in report and report.count("<img ") >= 6 and writer.token not in report


async def test_the_log_outlives_easel(tmp_path, jupyter):
    easel = Easel.start(tmp_path / "e", jupyter=jupyter)
    async with connect(easel, name="claude-code") as a:
        session = await a.session()
        await a.run(session, "import matplotlib.pyplot as plt; plt.plot([1]); plt.show()")
        await a.ok("session_list")
    running = entries(easel)
    assert easel.close() == 0
    assert [e for e in entries(easel) if e["tool"] != "execute_code"] == [e for e in running if e["tool"] != "execute_code"]
    file = tmp_path / "log.jsonl"
    log(easel, "--output", str(file))
    assert file.read_text() == log(easel) and file.stat().st_mode & 0o077 == 0
    again = subprocess.run([BINARY, "log", "--output", str(file)], env=easel.env, capture_output=True, text=True)
    assert again.returncode == 1 and "already exists" in again.stderr

    easel.launch()  # it numbers its calls anew
    async with connect(easel, name="claude-code") as a:
        await a.ok("file_list")
        last = await a.run(session, "print('the last words')")
        easel.process.kill()  # at once: only this last call may be incomplete
    easel.process.wait()
    kept = entries(easel)
    assert kept[: len(running)] == running or [e["at"] for e in kept[: len(running)]] == [e["at"] for e in running]
    after = kept[len(running) :]
    assert after[0]["tool"] == "file_list" and after[0]["status"] == "ok" and after[0]["received"]["text_bytes"] > 0
    assert len(after) <= 2
    if len(after) == 2 and after[1]["status"] == "ok":
        assert after[1]["received"]["text_bytes"] == len(last.texts[0].encode())


def test_a_wrong_command_line_says_what_is_right(writer):
    for flags, words in ((["--since", "yesterday"], "2026-11-01"), (["--format", "pdf"], "jsonl or report"), (["--session", "no"], "session_id")):
        done = subprocess.run([BINARY, "log", *flags], env=writer.env, capture_output=True, text=True)
        assert done.returncode != 0 and words in done.stderr, (flags, done.stderr)
    assert entries(writer, "--until", "2020-01-01") == []
