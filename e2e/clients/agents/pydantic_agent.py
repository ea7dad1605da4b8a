"""An agent by pydantic-ai, with its own MCP toolset."""

import setting
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

easel = MCPToolset(setting.MCP, headers=setting.HEADERS, include_instructions=True)
model = OpenAIChatModel("scripted", provider=OpenAIProvider(openai_client=AsyncOpenAI(base_url=setting.MODEL + "/v1", api_key="none")))


async def agent():
    async with Agent(model, toolsets=[easel]) as drawing:
        await drawing.run(setting.PROMPT)


async def convert():
    async with easel:
        setting.accepted(await easel.list_tools(), lambda tool: model._map_tool_definition(definition(tool)))


def definition(tool):
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.input_schema)


setting.main(agent, convert)
