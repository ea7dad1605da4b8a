"""Tests that an assistant reaches earlier work: runs, plots, and the user's notes."""

import json


async def test_earlier_work_is_found_and_shown(assistant, session):
    run = (await assistant.run(session, """\
import matplotlib.pyplot as plt
plt.plot([3, 1, 2])
plt.title('潮位 at Kushiro')
plt.show()
print('spring tide 1.42 m')
""")).data
    uri = run["images"][0]["resource_uri"]
    for words in ("kushiro", "潮位", "1.42 spring"):
        entries = (await assistant.ok("search_history", query=words, session_id=session))["entries"]
        assert [e["execution_id"] for e in entries] == [run["execution_id"]], words
        assert entries[0]["title"] == "潮位 at Kushiro"
        assert entries[0]["code"] == "import matplotlib.pyplot as plt"
        assert entries[0]["images"][0]["resource_uri"] == uri
    rest = assistant.rest("search_history", query="kushiro", session_id=session, limit=3)
    assert rest["entries"][0]["images"][0]["image_id"] == uri.split("/")[-1].split(".")[0]
    assert (await assistant.ok("search_history", query="kushiro", since="2999-01-01"))["entries"] == []
    assert (await assistant.call("search_history", since="soon")).error["code"] == "VALIDATION_ERROR"
    shown = await assistant.call("get_image_resource", resource_uri=uri)
    assert len(shown.pictures) == 1
    [content] = (await assistant.client.read_resource("easel://history")).contents
    [brief] = [e for e in json.loads(content.text)["executions"] if e["execution_id"] == run["execution_id"]]
    assert brief["code"] == "import matplotlib.pyplot as plt"
    assert len(content.text) < 12_000
