"""Tests MCP prompts and completion, through the official SDK with both protocol versions."""

import base64
import re

import mcp
import mcp_types
import pytest
from assistant import connect
from test_bridge import bridge

pytestmark = pytest.mark.anyio

TEMPLATE = "jupyter://sessions/{session_id}/images/{image_id}.{ext}"
VALUES = "jupyter://sessions/{session_id}/images/{image_id}/data.csv"


def texts(got) -> str:
    return "\n".join(m.content.text for m in got.messages if m.content.type == "text")


def pictures(got) -> list[bytes]:
    return [base64.b64decode(m.content.data) for m in got.messages if m.content.type == "image"]


def draw(easel) -> dict:
    """Draws a plot in a new session."""
    session = easel.execute("session_create")[2]["session_id"]
    code = "import matplotlib.pyplot as plt\nplt.plot([3, 1, 2])\nplt.title('Zigzag')\nplt.show()"
    return easel.execute("execute_code", session_id=session, code=code, images="none")[2]["images"][0]


@pytest.fixture(scope="module")
def plot(easel):
    """A plot whose session is running."""
    image = draw(easel)
    yield image
    easel.execute("session_delete", session_id=image["session_id"])


@pytest.fixture(scope="module")
def old_plot(easel):
    """A plot whose session has ended."""
    image = draw(easel)
    easel.execute("session_delete", session_id=image["session_id"])
    return image


async def completed(assistant, ref, name: str, value: str, **given: str):
    return (await assistant.client.complete(ref, {"name": name, "value": value}, given or None)).completion


def prompt(name: str):
    return mcp_types.PromptReference(type="ref/prompt", name=name)


def template(uri: str = TEMPLATE):
    return mcp_types.ResourceTemplateReference(type="ref/resource", uri=uri)


async def test_they_are_listed_with_their_arguments(assistant):
    listed = (await assistant.client.list_prompts()).prompts
    assert [p.name for p in listed] == ["analyse_file", "continue_from_selection", "ask_about_selection", "rework_plot"]
    for p in listed:
        assert p.title and p.description
        assert all(a.title and a.description for a in p.arguments)
    assert [(a.name, a.required) for a in listed[0].arguments] == [("path", True), ("question", None), ("session_id", None)]


async def test_analyse_file_shows_the_file_to_the_model(assistant, jupyter, plot):
    session = plot["session_id"]
    (jupyter.root / "sales ü.csv").write_text("month,amount\nMay,3\nJune,5\n")
    arguments = {"path": "sales ü.csv", "question": "Which month was best?", "session_id": session}
    got = await assistant.client.get_prompt("analyse_file", arguments)
    said = texts(got)
    for part in ("sales ü.csv", "Which month was best?", session, "2 rows and 2 columns", "June\t5", "execute_code"):
        assert part in said, said
    assert all(m.role == "user" for m in got.messages)
    # A file that is neither text nor a table is described, not refused.
    (jupyter.root / "noise.bin").write_bytes(bytes(range(256)))
    assert "could not be previewed" in texts(await assistant.client.get_prompt("analyse_file", {"path": "noise.bin"}))


async def test_continue_from_selection_carries_code_and_picture(assistant, plot):
    await assistant.ok("select_file", path=plot["resource_uri"])
    got = await assistant.client.get_prompt("continue_from_selection", {"goal": "a smoother line"})
    said = texts(got)
    for part in ("a smoother line", plot["resource_uri"], plot["session_id"], "is running", "plt.title('Zigzag')", "the picture"):
        assert part in said, said
    assert [p[:4] for p in pictures(got)] == [b"\x89PNG"]


async def test_rework_plot_of_a_session_that_has_ended(assistant, old_plot):
    got = await assistant.client.get_prompt("rework_plot", {"wish": "larger labels", "image": old_plot["resource_uri"]})
    said = texts(got)
    for part in ("larger labels", "```python", "plt.title('Zigzag')", "has ended", "Zigzag"):
        assert part in said, said
    assert len(pictures(got)) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "told", "code"),
    [
        ("analyse_file", {}, "path is required", "VALIDATION_ERROR"),
        ("analyse_file", {"path": " "}, "path is required", "VALIDATION_ERROR"),
        ("analyse_file", {"path": "nowhere.csv"}, "nowhere.csv", "FILE_NOT_FOUND"),
        ("analyse_file", {"path": "../../etc/passwd"}, "", "VALIDATION_ERROR"),
        ("analyse_file", {"path": "x" * 5000}, "longer than", "VALIDATION_ERROR"),
        ("rework_plot", {"wish": "w", "colour": "red"}, "colour is not an argument", "VALIDATION_ERROR"),
        ("rework_plot", {"wish": "w", "image": "jupyter://sessions/a/images/b.png"}, "", None),
        ("no_such_prompt", {}, "no_such_prompt", None),
    ],
)
async def test_what_cannot_be_filled_in_says_why(assistant, name, arguments, told, code):
    with pytest.raises(mcp.MCPError) as e:
        await assistant.client.get_prompt(name, arguments)
    assert e.value.error.code == -32602 and told in e.value.error.message, e.value.error
    assert code is None or e.value.error.data["code"] == code, e.value.error


async def test_nothing_selected_says_what_to_do(assistant, plot):
    await assistant.ok("open_folder", path="jupyter://sessions/")  # clears the selection
    with pytest.raises(mcp.MCPError, match="Nothing is selected"):
        await assistant.client.get_prompt("continue_from_selection", {})
    with pytest.raises(mcp.MCPError, match="Nothing is selected"):
        await assistant.client.get_prompt("rework_plot", {"wish": "blue"})


async def test_session_ids_are_completed(assistant, plot):
    ref, session = prompt("analyse_file"), plot["session_id"]
    found = await completed(assistant, ref, "session_id", session[:6])
    assert session in found.values and all(v.startswith(session[:6]) for v in found.values)
    assert found.total == len(found.values) and not found.has_more
    assert (await completed(assistant, ref, "session_id", "no-such")).values == []


async def test_paths_are_completed_folder_by_folder(assistant, jupyter):
    deep = jupyter.root / "Data of May" / "raw"
    deep.mkdir(parents=True, exist_ok=True)
    (deep / "one.csv").touch()
    (deep / "two.ipynb").touch()
    ref = prompt("analyse_file")
    assert "Data of May/" in (await completed(assistant, ref, "path", "da")).values  # case-insensitive
    assert (await completed(assistant, ref, "path", "Data of May/")).values == ["Data of May/raw/"]
    assert (await completed(assistant, ref, "path", "Data of May/raw/")).values == ["Data of May/raw/one.csv", "Data of May/raw/two.ipynb"]
    assert (await completed(assistant, ref, "path", "Data of May/raw/tw")).values == ["Data of May/raw/two.ipynb"]
    for outside in ("../", "/etc/", "nowhere/"):
        assert (await completed(assistant, ref, "path", outside)).values == []


async def test_images_are_completed(assistant, plot):
    ref = prompt("rework_plot")
    uri = plot["resource_uri"]
    found = (await completed(assistant, ref, "image", "")).values
    assert found[:2] == ["selected", "latest"] and uri in found
    assert uri in (await completed(assistant, ref, "image", "zigz")).values  # matches its title
    assert (await completed(assistant, ref, "image", uri[:-6])).values == [uri]
    many = await completed(assistant, ref, "wish", "larger")
    assert many.values == []  # free text has no completions


async def test_the_parts_of_an_images_uri_are_completed(assistant, plot):
    session = plot["session_id"]
    listed = (await assistant.client.list_resource_templates()).resource_templates
    assert [t.uri_template for t in listed] == [TEMPLATE, VALUES]
    for of in TEMPLATE, VALUES:
        assert session in (await completed(assistant, template(of), "session_id", session[:5])).values
        assert (await completed(assistant, template(of), "image_id", "", session_id=session)).values == [plot["image_id"]]
    given = {"session_id": session, "image_id": plot["image_id"]}
    [ext] = (await completed(assistant, template(), "ext", "p", **given)).values
    uri = re.sub(r"\{(\w+)\}", lambda m: (given | {"ext": ext})[m[1]], TEMPLATE)
    assert (await assistant.client.read_resource(uri)).contents[0].mime_type == "image/png"


async def test_what_cannot_be_completed_is_refused(assistant):
    for ref, name in (
        (prompt("no_such_prompt"), "path"), (prompt("analyse_file"), "colour"), (template("jupyter://{x}"), "x"), (template(VALUES), "ext"),
    ):
        with pytest.raises(mcp.MCPError) as e:
            await completed(assistant, ref, name, "")
        assert e.value.error.code == -32602


async def test_a_toolset_has_its_own_prompts(easel, era):
    async with connect(easel, era, path="/mcp?toolsets=gallery") as a:
        assert [p.name for p in (await a.client.list_prompts()).prompts] == ["continue_from_selection", "ask_about_selection", "rework_plot"]
        with pytest.raises(mcp.MCPError):
            await a.client.get_prompt("analyse_file", {"path": "x"})


async def test_the_bridge_passes_them_on(easel, era, plot, tmp_path):
    async with bridge(easel.env, tmp_path / "log", "--toolsets", "gallery", mode=era) as a:
        assert [p.name for p in (await a.client.list_prompts()).prompts] == ["continue_from_selection", "ask_about_selection", "rework_plot"]
        got = await a.client.get_prompt("rework_plot", {"wish": "blue", "image": plot["resource_uri"]})
        assert "plt.title('Zigzag')" in texts(got) and len(pictures(got)) == 1
        assert plot["resource_uri"] in (await completed(a, prompt("rework_plot"), "image", plot["resource_uri"][:-5])).values
        with pytest.raises(mcp.MCPError) as e:
            await a.client.get_prompt("rework_plot", {})
        assert e.value.error.data["code"] == "VALIDATION_ERROR"
