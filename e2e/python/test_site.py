"""The web site, from the file system in a browser: the search finds English and Japanese, and no page is wider than a phone."""

import pathlib
import subprocess

import pytest
from lab import FLAGS, PATIENCE, SHELL
from playwright.async_api import async_playwright, expect

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    subprocess.run(["go", "run", "./packaging/site", out], cwd=ROOT, check=True)
    return out


@pytest.fixture
async def browser():
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=SHELL, args=FLAGS, timeout=PATIENCE)
        yield started
        await started.close()


async def opened(browser, site, name, said, **options):
    """Opens a page of the site; said gets errors and what it loads from elsewhere."""
    page = await (await browser.new_context(**options)).new_page()
    page.on("console", lambda message: said.append(f"{name}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"{name}: {error}"))
    page.on("request", lambda request: request.url.startswith("file:") or said.append(f"{name}: {request.url}"))
    await page.goto((site / name).as_uri())
    return page


@pytest.mark.parametrize(
    ("start", "query", "heading", "leads"),
    [
        ("index.html", "interrupt", "session_interrupt", "tools.html#session_interrupt"),
        ("index.html", "interupt", "session_interrupt", "tools.html#session_interrupt"),  # misspelt
        ("adr/index.html", "storage limit", "How long plots are kept", "files.html#how-long-plots-are-kept"),
        ("index.ja.html", "割り込み", "実行を確認する、止める", "guide.ja.html#実行を確認する止める"),
        ("guide.ja.html", "プロジェクト フォルダー", "自分のプロジェクトで使う", "guide.ja.html#自分のプロジェクトで使う"),
    ],
)
async def test_the_search_finds(browser, site, start, query, heading, leads):
    said = []
    page = await opened(browser, site, start, said)
    await page.keyboard.press("/")
    await page.keyboard.type(query)
    options = page.get_by_role("option")
    await expect(options.first).to_be_visible()
    found = await options.locator("b").all_text_contents()
    assert heading in found[:5], found
    for key in ["ArrowDown"] * found.index(heading) + ["ArrowDown", "ArrowUp"] * (len(found) > 1) + ["Enter"]:
        await page.keyboard.press(key)
    name, anchor = leads.split("#")
    await page.wait_for_url(lambda url: name in url and "#" in url)
    assert await page.evaluate("decodeURIComponent(location.hash)") == "#" + anchor
    assert await page.evaluate("document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect().top") < 200
    assert said == []


async def test_what_is_found_fits_on_a_phone(browser, site):
    page = await opened(browser, site, "index.ja.html", [], viewport={"width": 390, "height": 800})
    await page.get_by_role("combobox").fill("プロット")
    await expect(page.get_by_role("option").first).to_be_visible()
    box = await page.locator("#found").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390, box


# The contrast of each text in code with what is behind it.
CONTRAST = """() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3)
    .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
  return [...document.querySelectorAll('pre.chroma span')].filter(s => s.textContent.trim() && !s.children.length).map(s => {
    const [a, b] = [light(getComputedStyle(s).color), light(getComputedStyle(s.closest('pre')).backgroundColor)].sort((x, y) => y - x)
    return [s.textContent, (a + 0.05) / (b + 0.05)] })
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_code_can_be_read(browser, site, scheme):
    page = await opened(browser, site, "connect.html", [], color_scheme=scheme)
    texts = await page.evaluate(CONTRAST)
    assert len(texts) > 100
    assert [t for t in texts if t[1] < 4.5] == []


async def test_nothing_is_found(browser, site):
    said = []
    page = await opened(browser, site, "index.html", said)
    await page.get_by_role("combobox").fill("<img src=x> qwertz")
    await expect(page.locator("#found")).to_have_text("Nothing found")
    assert said == []


async def test_all_pages_in_each_width_and_theme(browser, site):
    said = []
    names = sorted(str(p.relative_to(site)) for p in site.rglob("*.html"))
    assert len(names) > 60
    for width, scheme in [(390, "dark"), (1280, "light")]:
        grounds = set()
        for name in names if width == 390 else names[:5]:
            page = await opened(browser, site, name, said, viewport={"width": width, "height": 800}, color_scheme=scheme)
            wide = await page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} wide in a window of {width}"
            assert await page.evaluate("[...document.images].every(i => i.naturalWidth || i.loading == 'lazy')"), name
            grounds.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
            await page.context.close()
        assert grounds == {{"dark": "rgb(20, 22, 31)", "light": "rgb(255, 255, 255)"}[scheme]}
    assert said == []
