"""The APIs with which clients talk to models. Each class reads a request into a conversation,
and writes a turn of the model in the format of its API."""

import base64
import json

from conversation import Call, Request, decoded

Turn = Call | str


def event(data: dict, name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


class Anthropic:
    """Anthropic's Messages API."""

    @staticmethod
    def read(body: dict) -> Request:
        r = Request(tools={t["name"]: t for t in body.get("tools", [])})
        system = body.get("system", "")
        r.instructions = system if isinstance(system, str) else "\n".join(b.get("text", "") for b in system)
        for message in body["messages"]:
            content = message["content"]
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                Anthropic.take(r, message["role"], block)
        return r

    @staticmethod
    def take(r: Request, role: str, block: dict, id: str | None = None):
        match block["type"]:
            case "tool_use":
                r.called(block["id"], block["name"], block["input"])
            case "tool_result":
                content = block.get("content") or ""
                for inner in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                    Anthropic.take(r, role, inner, block["tool_use_id"])
            case "image" if block["source"]["type"] == "base64":
                r.answered(id, "", base64.b64decode(block["source"]["data"]))
            case "text" if role == "system":
                r.instructions += "\n" + block["text"]
            case "text" if role == "user":
                r.answered(id, block["text"])

    @staticmethod
    def write(turn: Turn, body: dict, count: int) -> dict | list[str]:
        if isinstance(turn, str):
            block, stop = {"type": "text", "text": turn}, "end_turn"
        else:
            block, stop = {"type": "tool_use", "id": turn.id, "name": turn.tool, "input": turn.arguments}, "tool_use"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": f"msg_{count}", "type": "message", "role": "assistant", "model": body["model"],
                   "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}  # fmt: skip
        if not body.get("stream"):
            return message
        if isinstance(turn, str):
            empty, delta = block | {"text": ""}, {"type": "text_delta", "text": turn}
        else:
            empty, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(turn.arguments)}
        events = [
            {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]
        return [event(e, e["type"]) for e in events]


class Responses:
    """OpenAI's Responses API."""

    @staticmethod
    def read(body: dict) -> Request:
        r = Request(instructions=body.get("instructions") or "")
        for tool in body.get("tools", []):
            # Codex puts a server's tools into a namespace, with a description of the server.
            r.instructions += "\n" + tool["description"] if tool["type"] == "namespace" else ""
            for t in tool["tools"] if tool["type"] == "namespace" else [tool]:
                if "name" in t:
                    r.tools[tool["name"] + "\0" + t["name"] if t is not tool else t["name"]] = t
        items = body["input"]
        for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
            Responses.take(r, item)
        return r

    @staticmethod
    def take(r: Request, item: dict):
        match item.get("type", "message"):
            case "function_call":
                r.called(item["call_id"], item["name"], item["arguments"])
            case "function_call_output":
                Responses.content(r, item["output"], item["call_id"])
            case "message" if item["role"] == "user":
                Responses.content(r, item["content"], None)
            case "message" if item["role"] in ("system", "developer"):
                before = Request()
                Responses.content(before, item["content"], None)
                r.instructions += "\n" + before.prompt.text

    @staticmethod
    def content(r: Request, content, id: str | None):
        for part in [{"type": "input_text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "input_image":
                r.answered(id, "", decoded(part["image_url"]))
            else:
                r.answered(id, part.get("text", ""))

    @staticmethod
    def write(turn: Turn, body: dict, count: int) -> dict | list[str]:
        if isinstance(turn, str):
            text = {"type": "output_text", "text": turn, "annotations": []}
            item = {"type": "message", "id": f"msg_{count}", "role": "assistant", "status": "completed", "content": [text]}
        else:
            namespace, _, name = turn.tool.rpartition("\0")
            item = {"type": "function_call", "id": f"fc_{count}", "call_id": turn.id, "name": name, "status": "completed",
                    "arguments": json.dumps(turn.arguments)} | ({"namespace": namespace} if namespace else {})  # fmt: skip
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
        response = {"id": f"resp_{count}", "object": "response", "created_at": 0, "model": body["model"], "status": "completed", "output": [item],
                    "usage": usage, "parallel_tool_calls": False, "tool_choice": "auto", "tools": []}  # fmt: skip
        if not body.get("stream"):
            return response
        events = [
            {"type": "response.created", "response": response | {"status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        return [event(e | {"sequence_number": n}, e["type"]) for n, e in enumerate(events)]


class Chat:
    """OpenAI's Chat Completions API."""

    @staticmethod
    def read(body: dict) -> Request:
        r = Request(tools={t["function"]["name"]: t["function"] for t in body.get("tools", [])})
        for message in body["messages"]:
            for call in message.get("tool_calls") or ():
                r.called(call["id"], call["function"]["name"], call["function"]["arguments"])
            content = message.get("content") or ""
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                Chat.take(r, message, part)
        return r

    @staticmethod
    def take(r: Request, message: dict, part: dict):
        id = message.get("tool_call_id")
        if part["type"] == "image_url":
            r.answered(id, "", decoded(part["image_url"]["url"]))
        elif message["role"] in ("system", "developer"):
            r.instructions += part["text"]
        elif message["role"] in ("user", "tool"):
            r.answered(id, part.get("text", ""))

    @staticmethod
    def write(turn: Turn, body: dict, count: int) -> dict | list[str]:
        if isinstance(turn, str):
            message, finish = {"role": "assistant", "content": turn}, "stop"
        else:
            function = {"name": turn.tool, "arguments": json.dumps(turn.arguments)}
            call = {"index": 0, "id": turn.id, "type": "function", "function": function}
            message, finish = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        head = {"id": f"chat_{count}", "created": 0, "model": body["model"]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return head | {"object": "chat.completion", "choices": [choice], "usage": usage}
        head["object"] = "chat.completion.chunk"
        chunks = [
            head | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
            head | {"choices": [], "usage": usage},
        ]
        return [event(c) for c in chunks] + ["data: [DONE]\n\n"]


class Gemini:
    """Google's generateContent API."""

    @staticmethod
    def read(body: dict) -> Request:
        r = Request()
        for tool in body.get("tools", []):
            r.tools |= {f["name"]: f for f in tool.get("functionDeclarations", [])}
        r.instructions = "\n".join(p.get("text", "") for p in (body.get("systemInstruction") or {}).get("parts", []))
        for content in body["contents"]:
            for part in content["parts"]:
                Gemini.take(r, content.get("role", "user"), part)
        return r

    @staticmethod
    def take(r: Request, role: str, part: dict):
        if call := part.get("functionCall"):
            r.called(call.get("id") or call["name"], call["name"], call.get("args") or {})
        elif response := part.get("functionResponse"):
            id = response.get("id") or response["name"]
            r.answered(id, json.dumps(response["response"], ensure_ascii=False))
            for inner in response.get("parts") or ():
                Gemini.picture(r, inner, id)
        elif role != "model":
            r.answered(None, part.get("text", ""))
            Gemini.picture(r, part, None)

    @staticmethod
    def picture(r: Request, part: dict, id: str | None):
        data = part.get("inlineData") or {}
        if data.get("mimeType", "").startswith("image/"):
            r.answered(id, "", base64.b64decode(data["data"]))

    @staticmethod
    def write(turn: Turn, body: dict, count: int) -> dict | list[str]:
        if isinstance(turn, str):
            part = {"text": turn}
        else:
            part = {"functionCall": {"id": turn.id, "name": turn.tool, "args": turn.arguments}}
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        response = {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
        return [event(response)] if body.get("stream") else response
