"""A session in R, as an assistant has it: values, variables, data frames, plots, errors and packages."""

import pathlib
import subprocess

import pytest
from assistant import connect

DATA = """
rain <- data.frame(station = c("Kiel", "Bremen", NA), mm = c(83.5, 71.25, NA), day = as.Date("2026-11-01") + 0:2)
rain$at <- as.POSIXct("2026-11-01 06:00", tz = "Europe/Berlin") + 86400 * 0:2
wet <- function(x, limit = 75) x > limit
"""


@pytest.fixture(scope="module")
async def a(keeping):
    async with connect(keeping) as assistant:
        yield assistant


@pytest.fixture(scope="module")
async def session(a):
    s = await a.session(name="ir")
    await a.run(s, DATA)
    return s


async def test_values_are_text(a, session):
    answer = await a.run(session, "40 + 2\nrain\nsummary(c(101, 205, 309))\nlist(a = 1, b = 'x')\nfactor(c('u', 'v'))\nNULL\nmatrix(1:4, 2)\ninvisible(7)")
    said = "\n".join(answer.texts)
    for part in ("[1] 42", "1 Kiel    83.50 2026-11-01", "Median", "$a", "Levels: u v", "[1,] 1    3"):
        assert part in said, (part, said)
    for noise in ("<table", "&lt;", "\\\\begin{", "<li>"):
        assert noise not in said, said


async def test_variables(a, session):
    got = {v["name"]: v for v in (await a.ok("get_variables", session_id=session))["variables"]}
    assert (got["rain"]["type"], got["rain"]["size"]) == ("data.frame", "3 rows × 4 cols")
    assert (got["wet"]["type"], got["wet"]["value"]) == ("function", "function(x, limit)")
    sized = a.rest("get_variables", session_id=session, filter="rain")["variables"][0]["memory_bytes"]
    assert str(sized) in (await a.run(session, "cat(object.size(rain))")).data["stdout"]


async def test_a_data_frame(a, session):
    info = a.rest("get_dataframe_info", session_id=session, variable_name="rain", head_rows=2)
    assert info["shape"] == [3, 4] and info["type"] == "data.frame"
    assert info["dtypes"] == {"station": "character", "mm": "numeric", "day": "Date", "at": "POSIXct, Europe/Berlin"}
    assert info["head"][1] == {"station": "Bremen", "mm": 71.25, "day": "2026-11-02", "at": "2026-11-02T06:00:00+01:00"}
    assert info["describe"]["mm"]["mean"] == 77.375 and info["describe"]["station"]["nulls"] == 1
    refused = await a.call("get_dataframe_info", session_id=session, variable_name="wet")
    assert refused.error["code"] == "INVALID_VARIABLE_TYPE" and "function" in refused.error["message"]
    assert (await a.ok("get_dataframe_info", session_id=session, variable_name="rain"))["name"] == "rain"


async def test_plots_are_drawn_again(a, session, tmp_path):
    code = "barplot(rain$mm, main = paste('Rain', 'in November'))\nlibrary(ggplot2)\nggplot(rain[1:2, ], aes(station, mm)) +\n  geom_col() +\n  labs(title = 'By station')"
    answer = await a.run(session, code)
    first, second = answer.data["images"]
    assert (first["title"], second["title"]) == ("Rain in November", "By station")
    for image in (first, second):
        assert image["redrawable"] == "kernel", image
        pdf = await a.ok("render_image", image=image["resource_uri"], format="pdf", width=5, height=3, path=str(tmp_path / (image["image_id"][-4:] + ".pdf")))
        assert pathlib.Path(pdf["path"]).read_bytes().startswith(b"%PDF") and pdf["mime_type"] == "application/pdf"
        png = await a.ok("render_image", image=image["resource_uri"], width=4, height=2, dpi=150)
        assert (png["width"], png["height"]) == (600, 300)
        assert "<svg" in pathlib.Path((await a.ok("render_image", image=image["resource_uri"], format="svg"))["path"]).read_text()[:200]
    dark = await a.call("render_image", image=first["resource_uri"], theme="dark")
    assert "colours" in dark.error["message"]


async def test_errors_say_the_line(a, session):
    answer = await a.run(session, "x <- 1\ny <- wet('a',\n  limit = nowhere)\nz <- 3")
    assert answer.data["status"] == "error" and "nowhere" in answer.data["error"]["message"]
    assert "line 3 of the code: limit = nowhere)" in answer.data["hint"], answer.data
    parsed = await a.run(session, "x <- 1\ny <- (2 +\n) 3")
    assert "<text>:3:1: unexpected ')'" in parsed.data["error"]["message"]


async def test_packages_from_a_repository(a, tmp_path):
    """Installs from a repository in files, and has no network for another."""
    session = await a.session(name="ir")
    package = tmp_path / "easelgauge"
    (package / "R").mkdir(parents=True)
    (package / "DESCRIPTION").write_text("Package: easelgauge\nVersion: 1.0\nTitle: Rain\nDescription: Says how much.\nLicense: GPL-3\nAuthor: A\nMaintainer: A <a@b.example>\n")
    (package / "NAMESPACE").write_text("export(gauge)\n")
    (package / "R" / "gauge.R").write_text("gauge <- function() 83.5\n")
    source, library = tmp_path / "repo" / "src" / "contrib", tmp_path / "library"
    source.mkdir(parents=True)
    library.mkdir()
    subprocess.run(["R", "CMD", "build", str(package)], cwd=source, check=True, capture_output=True)
    subprocess.run(["Rscript", "-e", f"tools::write_PACKAGES('{source}', type = 'source')"], check=True, capture_output=True)
    missing = await a.run(session, f".libPaths('{library}')\nlibrary(easelgauge)")
    assert 'install.packages("easelgauge") installs it' in missing.data["hint"], missing.data
    lost = await a.run(session, "options(repos = c(CRAN = 'http://127.0.0.1:9/cran'))\ninstall.packages('easelgauge')")
    assert "could not reach its repository" in lost.data["hint"], lost.data
    done = await a.run(session, f"options(repos = c(CRAN = 'file://{tmp_path}/repo'))\ninstall.packages('easelgauge', quiet = TRUE)\nlibrary(easelgauge)\ngauge()")
    assert done.data["status"] == "ok" and "83.5" in "\n".join(done.texts), done.data


async def test_interrupt_leaves_the_variables(a, session):
    begun = await a.call("execute_code", session_id=session, code="n <- 0\nwhile (TRUE) { n <- n + 1; Sys.sleep(0.01) }", wait=1)
    assert begun.data["status"] == "running"
    await a.ok("session_interrupt", session_id=session)
    ended = await a.to_end(begun.data)
    assert ended["status"] == "interrupted"
    got = {v["name"]: v for v in (await a.ok("get_variables", session_id=session, filter="n"))["variables"]}
    assert got["n"]["value"] > 0 and "rain" in got

