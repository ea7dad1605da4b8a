"""A chat program that renders pages of MCP servers (MCP Apps): the official library's host side, in a real browser.
The page is in a sandboxed frame of another origin, with the policy that the specification gives for pages without
origins of their own. That policy also forbids inserting HTML, which the specification does not."""

import json
import os
import subprocess

from assistant import Answer
from lab import PATIENCE

NODE = os.environ.get("EASEL_TEST_NODE", "")
MIME = "text/html;profile=mcp-app"
EXTENSION = "io.modelcontextprotocol/ui"
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; object-src 'none'; connect-src 'none'; require-trusted-types-for 'script'"
)

# The library and what it needs, as one script. The Inspector brings both.
BUNDLE = """
import { rolldown } from "rolldown";
const name = "\\0host", text = 'export { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";';
const bundle = await rolldown({ input: name, platform: "browser", plugins: [
  { resolveId: (id) => (id === name ? id : undefined), load: (id) => (id === name ? text : undefined) } ] });
const { output } = await bundle.generate({ format: "iife", name: "apps" });
process.stdout.write(output[0].code);
"""

HOST = """<!doctype html><body style="margin:0"><script src="/apps.js"></script><script>
let bridge, frame;
async function show({ width, result, args, context, capabilities }) {
  frame?.remove();
  window.seen = { heights: [], errors: [], initialized: 0 };
  frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = `border:0; display:block; width:${width}px; height:40px`;
  document.body.append(frame);
  bridge = new apps.AppBridge(null, { name: "chat", version: "1" }, capabilities, { hostContext: context });
  bridge.onerror = (e) => seen.errors.push(String(e));
  bridge.oncalltool = (params) => callTool(params);
  bridge.onsizechange = ({ height }) => { frame.style.height = height + "px"; seen.heights.push(height); };
  bridge.oninitialized = () => {
    seen.initialized++;
    if (args) bridge.sendToolInput({ arguments: args });
    if (result) bridge.sendToolResult(result);
  };
  await bridge.connect(new apps.PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = "http://view.test/";
}
</script>"""


def bundle() -> str:
    return subprocess.run([f"{NODE}/bin/node", "--input-type=module", "--eval", BUNDLE], cwd=NODE, check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300).stdout  # fmt: skip


class Chat:
    """One page of the chat program. It shows a tool's result and forwards what the page calls to the assistant's connection."""

    def __init__(self, page, view: str, assistant):
        self.page, self.view, self.assistant = page, view, assistant
        self.calls, self.strange = [], []

    @classmethod
    async def open(cls, page, script: str, view: str, assistant, policy: str = POLICY) -> "Chat":
        self = cls(page, view, assistant)
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda e: self.strange.append(str(e)))
        page.on("console", lambda m: self.strange.append(m.text) if m.type in ("error", "warning") else None)
        page.on("dialog", lambda d: self.strange.append("a dialog"))
        bodies = {
            "http://host.test/": ("text/html", HOST, {}),
            "http://host.test/apps.js": ("text/javascript", script, {}),
            "http://view.test/": ("text/html", view, {"Content-Security-Policy": policy}),
        }

        async def serve(route):
            if route.request.url not in bodies:
                self.strange.append("asks for " + route.request.url)
                return await route.abort()
            kind, body, headers = bodies[route.request.url]
            await route.fulfill(status=200, content_type=kind + "; charset=utf-8", body=body, headers=headers)

        async def call_tool(params):
            self.calls.append((params["name"], params["arguments"]))
            answer = await self.assistant.call(params["name"], **params["arguments"])
            return plain(answer)

        await page.route("**/*", serve)
        await page.expose_function("callTool", call_tool)
        await page.goto("http://host.test/")
        return self

    async def show(self, answer=None, args=None, width=800, capabilities=None, **context):
        """Shows a result, or what a server sent as one, in a new frame, and returns the frame's locator."""
        capabilities = {"serverTools": {}} if capabilities is None else capabilities
        result = plain(answer) if isinstance(answer, Answer) else answer
        await self.page.evaluate("show", {"width": width, "result": result, "args": args, "context": context, "capabilities": capabilities})
        return self.page.frame_locator("iframe")

    async def seen(self) -> dict:
        return await self.page.evaluate("seen")


def plain(answer) -> dict:
    """Returns a tool's result as it is sent."""
    return json.loads(answer.result.model_dump_json(by_alias=True, exclude_none=True))
