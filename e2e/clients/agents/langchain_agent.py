"""An agent with LangChain and the tools of langchain-mcp-adapters."""

import setting
from langchain.agents import create_agent
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

client = MultiServerMCPClient({"easel": {"transport": "http", "url": setting.MCP, "headers": setting.HEADERS}})


async def agent():
    model = ChatOpenAI(model="scripted", base_url=setting.MODEL + "/v1", api_key="none", use_responses_api=True)
    drawing = create_agent(model, await client.get_tools())
    await setting.cancellable(drawing.ainvoke({"messages": [{"role": "user", "content": setting.PROMPT}]}))


async def convert():
    setting.accepted(await client.get_tools(), lambda tool: convert_to_openai_tool(tool))


setting.main(agent, convert)
