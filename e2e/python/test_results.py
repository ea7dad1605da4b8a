"""Tests what a model reads of a result: it is short and self-contained, and says how to get what it omits."""

import json
import pathlib

import pytest
from assistant import Answer, connect

ONE = "import matplotlib.pyplot as plt\nplt.plot([{n}, 3, 2])\nplt.title('Title {n}')\nplt.show()\n"
SIX = "".join(ONE.format(n=n) for n in range(6))


def show(answer: Answer):
    """Prints what a model reads, for inspection with pytest -s."""
    for c in answer.result.content:
        print(c.text if c.type == "text" else f"<{c.type} {getattr(c, 'uri', '')} {getattr(c, 'mime_type', '')} {len(getattr(c, 'data', ''))}>")


async def test_one_plot(assistant, session):
    answer = await assistant.run(session, ONE.format(n=1))
    show(answer)
    assert (answer.failed, len(answer.pictures), answer.links, answer.result.structured_content) == (False, 1, [], None)
    read = answer.read
    read.pop("execution_time_ms", None)  # present if the code took a second or more
    [image] = read["images"]
    assert read == {
        "success": True, "status": "ok", "execution_id": read["execution_id"],
        "images": [{"resource_uri": image["resource_uri"], "title": "Title 1"}],
    }  # fmt: skip
    assert {"code", "path", "width", "created_at"} <= answer.whole.keys() | answer.whole["images"][0].keys()


async def test_six_plots(assistant, used_session):
    answer = await assistant.run(used_session, SIX)
    show(answer)
    assert (answer.failed, len(answer.pictures), len(answer.links)) == (False, 4, 2)
    images = answer.read["images"]
    assert [i["title"] for i in images] == [f"Title {n}" for n in range(6)]
    assert answer.read["pictures"] == "4 of 6 shown; get the others, which have a path, with get_image_resource"
    for image, uri in zip(images[4:], answer.links):  # the advice works, with either name
        for name in (image["path"], uri):
            got = await assistant.call("get_image_resource", resource_uri=name)
            assert len(got.pictures) == 1 and got.read["title"] == image["title"]
            assert got.read["path"] == image["path"] and pathlib.Path(image["path"]).exists()


@pytest.mark.parametrize("plots, pictures, links", [(1, 1, 0), (6, 4, 2)])
async def test_a_failure_behind_plots(assistant, used_session, plots, pictures, links):
    answer = await assistant.run(used_session, "".join(ONE.format(n=n) for n in range(plots)) + "print('so far')\n1/0")
    show(answer)
    assert (answer.failed, len(answer.pictures), len(answer.links)) == (False, pictures, links)
    e = answer.read
    assert (e["success"], e["status"], e["error"]["type"], e["stdout"]) == (False, "error", "ZeroDivisionError", "so far\n")
    assert "drawn before the code failed" in e["pictures"]


async def test_a_failure_without_a_picture(assistant, used_session):
    for images in ("inline", "link"):
        answer = await assistant.run(used_session, "1/0" if images == "inline" else ONE.format(n=1) + "1/0", images=images)
        assert answer.failed and answer.read["success"] is False
    assert "drawn before the code failed" in answer.read["pictures"] and len(answer.links) == 1


async def test_a_cell_that_ends_with_its_figure_shows_it_once(assistant, used_session):
    answer = await assistant.run(used_session, "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\nplt.show()\nfig")
    show(answer)
    assert len(answer.pictures) == len(answer.read["images"]) == len(answer.whole["images"]) == 1


async def test_a_message_of_five_megabytes(modern, used_session):
    answer = await modern.run(used_session, ONE.format(n=1) + "print('so far')\nraise ValueError('<' * 5_000_000)")
    assert len(answer.pictures) == 1 and len(answer.result.model_dump_json(by_alias=True)) < 900_000
    e = answer.read
    assert (e["status"], e["stdout"], e["error"]["type"]) == ("error", "so far\n", "ValueError")
    assert len(json.dumps(e)) < 12_000
    [cut] = [t for t in e["truncated"] if t["stream"] == "error.message"]
    assert cut["total_bytes"] == 5_000_000
    print(cut)
    again = await modern.run(used_session, "import sys; len(str(sys.last_value))")  # as the result advises
    assert again.read["result"] == "5000000"
    assert len(json.dumps(answer.whole)) < 100_000


async def test_two_hundred_thousand_lines(modern, used_session):
    answer = await modern.run(used_session, "for i in range(200_000): print(i)")
    show(answer)
    [text] = answer.texts
    assert len(text) < 12_000
    cut = next(t for t in answer.read["truncated"] if t["stream"] == "stdout" and "path" in t)
    assert len(pathlib.Path(cut["path"]).read_bytes()) == cut["total_bytes"]
    assert len(answer.whole["stdout"]) > 19_000


async def test_the_rest_of_a_stream_is_read_as_advised(modern, used_session):
    printed = "".join(f"{i} 図\n" for i in range(4_000))
    e = (await modern.run(used_session, "import sys\nprint(''.join(f'{i} 図\\n' for i in range(4_000)), end='')\nprint('once', file=sys.stderr)")).read
    [cut] = e["truncated"]
    assert cut["total_bytes"] == len(printed.encode()) and e["stderr"] == "once\n"
    assert pathlib.Path(cut["path"]).read_text() == printed
    head, _, tail = e["stdout"].partition("\n… ")
    assert printed.startswith(head) and printed.endswith(tail.partition("\n")[2])
    read, after = head, cut["after"]
    for _ in range(20):
        page = (await modern.call("get_execution", execution_id=e["execution_id"], after=after)).read
        assert len(page["stdout"].encode()) <= 8_000 and "stderr" not in page and "images" not in page
        read += page["stdout"]
        if "truncated" not in page:
            break
        [cut] = page["truncated"]
        after = cut["after"]
    assert read == printed


async def test_a_long_result_is_in_the_session(modern, used_session):
    e = (await modern.run(used_session, "'x' * 100_000")).read
    [cut] = e["truncated"]
    assert cut["stream"] == "result" and len(e["result"]) < 9_000
    name = cut["reason"].split("Out[")[1].split("]")[0]
    assert (await modern.run(used_session, f"len(Out[{name}])")).read["result"] == "100000"


async def test_a_key_error(assistant, used_session):
    await assistant.run(used_session, "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndef total(d):\n    return d['b'].sum()")
    answer = await assistant.run(used_session, "total(df)")
    show(answer)
    error = answer.read["error"]
    assert answer.failed and (error["type"], error["message"]) == ("KeyError", "'b'")
    lines = error["traceback"].splitlines()
    assert "total(df)" in lines[0] and "return d['b'].sum()" in lines[1] and lines[2].startswith("File pandas/") and len(lines) == 3
    assert "get_loc" in answer.whole["error"]["traceback"] and len(answer.whole["error"]["traceback"]) > 1_000


async def test_text_for_models_is_plain(assistant, used_session):
    answer = await assistant.run(used_session, "print('<a> & </a>')\n'a < b'")
    assert "<a> & </a>" in answer.texts[0] and "a < b" in answer.texts[0]


async def test_the_newest_and_the_selected_plot_have_names(modern, easel, session):
    await modern.run(session, ONE.format(n=1))
    await modern.run(session, ONE.format(n=2))
    newest = await modern.call("get_image_resource", resource_uri="latest")
    assert newest.read["title"] == "Title 2" and len(newest.pictures) == 1 and newest.read["resource_uri"]
    listed = (await modern.ok("list_session_images", session_id=session))["images"]
    older = next(i for i in listed if i["title"] == "Title 1")
    assert (await modern.ok("select_file", path=older["resource_uri"]))["selected"][0]["title"] == "Title 1"
    assert (await modern.call("get_image_resource", resource_uri="selected")).read["title"] == "Title 1"
    chosen = (await modern.call("get_selected_files", include_images=True))
    show(chosen)
    assert chosen.read["selected_by"] == "assistant" and len(chosen.pictures) == 1
    rated = await modern.call("set_rating", rating=5, path="selected")
    show(rated)
    assert rated.read["files"] == [{"resource_uri": older["resource_uri"], "title": "Title 1", "rating": 5}]
    assert len(rated.texts[0]) < 300


async def test_many_variables(modern, session):
    await modern.run(session, "for i in range(300): globals()[f'v_{i:03}'] = 'x' * 300  # and i")
    answer = await modern.call("get_variables", session_id=session)
    assert len(answer.read["variables"]) == 100 and answer.read["omitted"] == "201 more: narrow the list with filter"
    narrowed = (await modern.ok("get_variables", session_id=session, filter="v_29"))["variables"]
    assert [v["name"] for v in narrowed] == [f"v_29{i}" for i in range(10)]


async def test_lists_come_in_pages_of_twenty(modern, easel, session):
    await modern.run(session, "import matplotlib.pyplot as plt\nfor i in range(25):\n    plt.figure(figsize=(1, 1)); plt.plot([i]); plt.show()", images="none")
    page = await modern.call("list_session_images", session_id=session)
    show(page)
    assert len(page.read["images"]) == 20 and not page.links
    assert len((await modern.ok("list_session_images", session_id=session, cursor=page.read["next_cursor"]))["images"]) == 5
    await modern.ok("open_folder", path=f"jupyter://sessions/{session}/")
    files = await modern.ok("get_files_in_view")
    assert (len(files["files"]), files["matching"]) == (20, 25)
    assert len((await modern.ok("get_files_in_view", cursor=files["next_cursor"]))["files"]) == 5
    assert len((await modern.ok("get_files_in_view", limit=25))["files"]) == 25
    _, _, whole = easel.request("GET", f"/api/info/list_session_images?session_id={session}")
    assert len(whole["images"]) == 25


@pytest.mark.parametrize("name", ["Cline", "continue-cli-client", "copilot-cli"])
async def test_a_client_that_shows_no_pictures(easel, used_session, name):
    async with connect(easel, name=name) as a:
        answer = await a.run(used_session, ONE.format(n=1))
        show(answer)
        [image] = answer.read["images"]
        assert (answer.pictures, answer.links) == ([], [image["resource_uri"]])
        assert "path" in answer.read["pictures"] and pathlib.Path(image["path"]).exists()
        looked = await a.call("get_image_resource", resource_uri=image["resource_uri"])
        assert looked.pictures == [] and looked.read["path"] == image["path"] and "path" in looked.read["pictures"]
        assert len((await a.run(used_session, ONE.format(n=2), images="inline")).pictures) == 1  # overrides the list of clients
