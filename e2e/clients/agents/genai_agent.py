"""An agent with google-genai, which itself calls the tools of an MCP session."""

import contextlib

import httpx2
import setting
from google import genai
from google.genai import _mcp_utils, types
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


class Session(ClientSession):
    """A session that can be deep-copied, because the library copies its configuration."""

    def __deepcopy__(self, _):
        return self


@contextlib.asynccontextmanager
async def easel():
    async with httpx2.AsyncClient(headers=setting.HEADERS, timeout=120) as http:
        async with streamable_http_client(setting.MCP, http_client=http) as (read, write, *_):
            async with Session(read, write) as session:
                await session.initialize()
                yield session


async def agent():
    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=setting.MODEL))
    async with easel() as session:
        config = types.GenerateContentConfig(tools=[session])
        await setting.cancellable(client.aio.models.generate_content(model="gemini-2.5-pro", contents=setting.PROMPT, config=config))


async def convert():
    async with easel() as session:
        setting.accepted((await session.list_tools()).tools, _mcp_utils.mcp_to_gemini_tool)


setting.main(agent, convert)
