"""An agent with LlamaIndex and the tools of llama-index-tools-mcp."""

import setting
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

spec = McpToolSpec(BasicMCPClient(setting.MCP, headers=setting.HEADERS, timeout=120))


async def agent():
    model = OpenAILike(model="scripted", api_base=setting.MODEL + "/v1", api_key="none", is_chat_model=True, is_function_calling_model=True)
    drawing = FunctionAgent(tools=await spec.to_tool_list_async(), llm=model)
    await setting.cancellable(drawing.run(setting.PROMPT))


async def convert():
    setting.accepted(await spec.fetch_tools(), lambda tool: spec.create_model_from_json_schema(tool.input_schema, tool.name).model_json_schema())


setting.main(agent, convert)
