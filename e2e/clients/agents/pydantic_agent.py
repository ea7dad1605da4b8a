"""An agent with pydantic-ai and its own MCP toolset."""

import setting
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from pydantic_ai.providers.openai import OpenAIProvider

easel = MCPToolset(setting.MCP, headers=setting.HEADERS, include_instructions=True)


async def agent():
    provider = OpenAIProvider(openai_client=AsyncOpenAI(base_url=setting.MODEL + "/v1", api_key="none"))
    async with Agent(OpenAIChatModel("scripted", provider=provider), toolsets=[easel]) as drawing:
        await setting.cancellable(drawing.run(setting.PROMPT))


async def convert():
    def both(tool):
        for transformer in OpenAIJsonSchemaTransformer, GoogleJsonSchemaTransformer:
            assert transformer(tool.input_schema).walk()["type"] == "object"

    async with easel:
        setting.accepted(await easel.list_tools(), both)


setting.main(agent, convert)
