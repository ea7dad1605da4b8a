"""Tests notifications in both protocol versions, and MCP sessions that survive a restart of
Easel."""

import asyncio
import contextlib
import json
import warnings

import pytest
from assistant import connect
from away import killed_while_it_draws
from servers import Easel

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()"


class Ear:
    """Receives the notifications of a client with either protocol version."""

    def __init__(self):
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    async def message(self, message):
        """Receives a notification of the older protocol, from the session's stream."""
        if "notifications/" in str(getattr(message, "method", "")):
            self.heard.put_nowait(f"{message.method} {getattr(message.params, 'uri', '')}")

    @contextlib.asynccontextmanager
    async def listen(self, assistant, era: str, *uris: str):
        if era == "legacy":
            for uri in uris:
                with warnings.catch_warnings(action="ignore"):  # the SDK warns that this method is deprecated
                    await assistant.client.session.subscribe_resource(uri)
            yield
            return
        async with assistant.client.listen(resources_list_changed=True, resource_subscriptions=uris) as events:

            async def hear():
                async for event in events:
                    self.heard.put_nowait(f"{type(event).__name__} {getattr(event, 'uri', '')}")

            task = asyncio.create_task(hear())
            yield
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def until(self, *words: str):
        """Waits for a notification that contains one of the words."""
        async with asyncio.timeout(180):
            while True:
                said = await self.heard.get()
                if any(w in said for w in words):
                    return


async def test_a_client_hears_what_it_asked_for(easel, each_era, session):
    ear = Ear()
    async with connect(easel, each_era, message_handler=ear.message) as a, ear.listen(a, each_era, "easel://state"):
        image = (await a.run(session, PLOT, images="none")).data["images"][0]["resource_uri"]
        await ear.until("list_changed", "ResourcesListChanged")
        await ear.until("easel://state")
        # Updates of a subscribed image, here of its rating.
        async with ear.listen(a, each_era, image):
            await a.ok("set_rating", path=image, rating=4)
            await ear.until(image)
        assert image in {str(r.uri) for r in (await a.client.list_resources()).resources}


@pytest.fixture
def restarted(tmp_path):
    app = Easel.start(tmp_path / "easel", EASEL_JUPYTER_URL="http://127.0.0.1:9", EASEL_JUPYTER_TOKEN="none")
    yield app
    assert app.close() == 0


async def test_a_session_survives_a_restart(restarted, each_era):
    async with connect(restarted, each_era) as a:
        before = await a.ok("filter_by_rating", rating=3)
        assert before["view"]["filters"]["rating"]["value"] == 3
        assert restarted.close() == 0
        restarted.launch()
        # The same client continues without initializing again.
        after = await a.ok("get_current_folder")
        assert after["view"]["window"] == "none"
        assert {"session_create", "execute_code"} <= {t.name for t in (await a.client.list_tools()).tools}
        await a.client.read_resource("easel://state")
    calls = [json.loads(line) for path in restarted.data.rglob("*.log") for line in path.read_text().splitlines()]
    who = {c["tool"]: c["client"] for c in calls if c["msg"] == "call"}
    assert who["get_current_folder"] == "e2e 1.2.3"  # its name is still known


async def test_a_plot_that_waits_to_be_sent_again_survives_a_restart(tmp_path, jupyter):
    easel = Easel.start(tmp_path, jupyter=jupyter)
    async with connect(easel, name="codex") as a:
        session = await a.session()
        (image,) = (await a.run(session, PLOT)).data["images"]
    assert easel.close() == 0
    waits = [{"image_id": image["image_id"], "client": "codex"}]
    (easel.data / "resends.json").write_text(json.dumps(waits))
    easel.launch()
    async with connect(easel, name="codex") as a:
        first, second = [await a.run(session, "1 + 1") for _ in range(2)]
    assert (len(first.pictures), len(second.pictures)) == (1, 0), first.texts
    assert easel.close() == 0
    assert json.loads((easel.data / "resends.json").read_text()) == []


async def test_a_server_keeps_what_comes_while_easel_is_killed(tmp_path, jupyter):
    app = Easel.start(tmp_path / "easel", jupyter=jupyter)
    try:
        async with connect(app) as a:
            made = a.rest("session_create")
        await killed_while_it_draws(app, made, jupyter.request, tmp_path)
        assert app.execute("session_delete", session_id=made["session_id"], force=True)[0] == 200
    finally:
        assert app.close() == 0
