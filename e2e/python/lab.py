"""A user of JupyterLab: its real page in a real, headless browser."""

import contextlib
import re
import urllib.parse

from playwright.async_api import Page, async_playwright, expect

CHROMIUM = "/usr/bin/chromium"
# Chromium without the parts that draw windows, which Playwright also prefers for tests. It takes
# a fifth less processor time for JupyterLab's page.
SHELL = "/usr/bin/chromium-headless-shell"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    # Each window's address bar has a process of its own, which takes most of the time of an
    # empty page. The rest repeats what Playwright disables, since only the last list counts.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,"
    "ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,"
    "AimEnabled,PreconnectToSearch",
]  # fmt: skip
PATIENCE = 150_000  # ms; JupyterLab loads slowly while many tests run
expect.set_options(timeout=PATIENCE)
NUMBERED = re.compile(r"\[\d+\]:")


@contextlib.asynccontextmanager
async def open_browser():
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=SHELL, args=FLAGS, timeout=PATIENCE)
        try:
            yield browser
        finally:
            await browser.close()


class Notebook:
    """An open notebook in JupyterLab."""

    def __init__(self, page: Page):
        self.page = page

    @classmethod
    async def open(cls, browser, jupyter, path: str) -> "Notebook":
        """Opens the page with the address that Jupyter prints for the user. All pages of a
        browser share a cache, which takes a third of the time off a page."""
        context = browser.contexts[0] if browser.contexts else await browser.new_context(viewport={"width": 1200, "height": 900})
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        query = urllib.parse.urlencode({"token": jupyter.token, "reset": ""})
        await page.goto(f"{jupyter.url}/lab/tree/{urllib.parse.quote(path)}?{query}")
        notebook = cls(page)
        await notebook.idle()
        return notebook

    async def idle(self):
        """Waits for the kernel. If code is run before the kernel is connected, the page shows a dialog."""
        await self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()

    def last(self):
        return self.page.locator(".jp-NotebookPanel .jp-CodeCell").last

    async def type(self, code: str):
        """Types one line into the last cell and runs it."""
        cell = self.last()
        await cell.locator(".cm-content").click()
        await self.page.keyboard.type(code)
        await expect(cell.locator(".cm-content")).to_have_text(code)
        await self.page.keyboard.press("Shift+Enter")

    async def run(self, code: str):
        """Runs one line, waits for its end and returns the cell."""
        n = await self.page.locator(".jp-NotebookPanel .jp-CodeCell").count()
        await self.type(code)
        cell = self.page.locator(".jp-NotebookPanel .jp-CodeCell").nth(n - 1)
        await expect(cell.locator(".jp-InputPrompt")).to_have_text(NUMBERED)
        return cell

    async def menu(self, item: str):
        """Chooses an item of the Kernel menu."""
        await self.page.locator(".lm-MenuBar-itemLabel", has_text="Kernel").click()
        await self.page.locator(".lm-Menu-itemLabel", has_text=item).first.click()

    async def rename(self, name: str):
        """Renames the notebook with the File menu."""
        await self.page.locator(".lm-MenuBar-itemLabel", has_text="File").click()
        await self.page.locator(".lm-Menu-itemLabel", has_text="Rename Notebook").click()
        await self.page.locator(".jp-Dialog input").fill(name)
        await self.page.locator(".jp-Dialog .jp-mod-accept").click()

    async def close(self):
        await self.page.close()
