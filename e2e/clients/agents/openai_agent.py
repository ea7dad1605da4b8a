"""An agent with the OpenAI Agents SDK, which converts tools to strict schemas."""

import os

import setting
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp, MCPUtil
from openai import AsyncOpenAI

set_tracing_disabled(True)


def easel():
    return MCPServerStreamableHttp({"url": setting.MCP, "headers": setting.HEADERS, "timeout": 120}, client_session_timeout_seconds=120)


async def agent():
    kind = OpenAIChatCompletionsModel if os.environ["FAKE_DIALECT"] == "chat" else OpenAIResponsesModel
    model = kind("scripted", AsyncOpenAI(base_url=setting.MODEL + "/v1", api_key="none"))
    async with easel() as server:
        drawing = Agent("plots", model=model, mcp_servers=[server], mcp_config={"convert_schemas_to_strict": True})
        await setting.cancellable(Runner.run(drawing, setting.PROMPT, max_turns=20))


async def convert():
    async with easel() as server:

        def strict(tool):
            made = MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=True)
            # The SDK does not convert a tool without parameters, because strict mode would have to close its schema.
            assert made.strict_json_schema or not made.params_json_schema["properties"], "no strict schema"

        setting.accepted(await server.list_tools(), strict)


setting.main(agent, convert)
