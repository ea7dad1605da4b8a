"""A user of code-server, VS Code in a browser: its real page in a real, headless browser."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess

from playwright.sync_api import Page, expect
from servers import clean_environment, free_port, http, stop, wait_until

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
EXTENSION = ROOT / "packaging/vscode"
SETTINGS = {
    "security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never",
    "security.workspace.trust.emptyWindow": True, "security.workspace.trust.banner": "never",
    "workbench.startupEditor": "none", "files.autoSave": "off", "telemetry.telemetryLevel": "off",
    "workbench.secondarySideBar.defaultVisibility": "hidden", "chat.disableAIFeatures": True, "update.mode": "none",
}  # fmt: skip


class CodeServer:
    """code-server with Easel's extension and one that runs cells in kernels of a Jupyter server."""

    def __init__(self, base: pathlib.Path, jupyter, easel, trust: bool = True):
        self.base, self.url = base, ""
        data, extensions = base / "data", base / "extensions"
        (data / "User").mkdir(parents=True)
        settings = SETTINGS | {"security.workspace.trust.enabled": not trust}
        (data / "User/settings.json").write_text(json.dumps(settings))
        extensions.mkdir()
        install = pathlib.Path(os.environ["EASEL_TEST_CODE_SERVER"])
        self.command = [os.environ["EASEL_TEST_NODE_24"], str(install / "node_modules/code-server/out/node/entry.js"),
                        "--user-data-dir", str(data), "--extensions-dir", str(extensions), "--config", str(base / "none.yaml")]  # fmt: skip
        (base / "none.yaml").write_text("")
        self.env = clean_environment(base) | {
            "EASEL_DATA_DIR": str(easel.data), "TEST_JUPYTER_URL": jupyter.url, "TEST_JUPYTER_TOKEN": jupyter.token}  # fmt: skip
        subprocess.run([*self.command, "--install-extension", os.environ["EASEL_TEST_VSIX"]], env=self.env, check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(HERE / "kernel", extensions / "easel-test.kernel-1.0.0")
        listed = json.loads((extensions / "extensions.json").read_text())
        listed.append({
            "identifier": {"id": "easel-test.kernel"}, "version": "1.0.0", "relativeLocation": "easel-test.kernel-1.0.0",
            "location": {"$mid": 1, "path": str(extensions / "easel-test.kernel-1.0.0"), "scheme": "file"}, "metadata": {},
        })  # fmt: skip
        (extensions / "extensions.json").write_text(json.dumps(listed))
        self.log = open(base / "code-server.log", "wb")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [*self.command, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check",
             "--disable-getting-started-override"],
            env=self.env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)  # fmt: skip
        wait_until("code-server's start", self.ready)

    def ready(self) -> bool:
        try:
            return http("GET", self.url + "/healthz")[0] == 200
        except OSError:
            return False

    def close(self):
        stop(self.process)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # hosts of extensions wait minutes for a page to come back
        self.log.close()


class Editor:
    """A window of code-server."""

    def __init__(self, page: Page, server: CodeServer, folder: pathlib.Path):
        self.page = page
        page.goto(f"{server.url}/?folder={folder}")
        page.locator(".monaco-workbench .explorer-folders-view").wait_for()

    def open(self, name: str):
        """Opens a notebook of the folder."""
        self.command_line(name)
        self.page.locator(".notebookOverlay .cell-list-container .monaco-list-row").first.wait_for()

    def command_line(self, text: str):
        self.page.keyboard.press("Control+P")
        box = self.page.locator(".quick-input-widget input").first
        box.fill(text)
        self.page.locator(".quick-input-list .monaco-list-row").first.wait_for()
        self.page.keyboard.press("Enter")

    def command(self, name: str):
        self.command_line(">" + name)

    def cells(self):
        return self.page.locator(".notebookOverlay .cell-list-container .code-cell-row")

    def type(self, index: int, text: str):
        """Clicks into a cell, and types at its end."""
        cell = self.cells().nth(index)
        cell.locator(".monaco-editor").click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(text)

    def shows(self, index: int, text: str):
        expect(self.cells().nth(index).locator(".view-lines").first).to_contain_text(text)
