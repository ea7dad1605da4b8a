"""The conversation that a model receives, independent of the client's dialect."""

import base64
import dataclasses
import json
import re

# Base64 of a PNG or JPEG, or of any data that is as long as a picture.
BASE64 = re.compile(r"iVBORw0KGgo|/9j/4|[A-Za-z0-9+/]{2000}")


@dataclasses.dataclass
class Call:
    """A tool call that the model made."""

    id: str
    tool: str
    arguments: dict


@dataclasses.dataclass
class Content:
    """A part of a conversation: text, and pictures that the model can see."""

    text: str = ""
    pictures: list[bytes] = dataclasses.field(default_factory=list)

    def add(self, text: str = "", *pictures: bytes):
        self.text = "\n".join(t for t in (self.text, text) if t)
        self.pictures += pictures

    @property
    def base64(self) -> bool:
        """Reports whether a picture arrived as text, which costs tokens and which the model cannot see."""
        return bool(BASE64.search(self.text))


@dataclasses.dataclass
class Exchange:
    """A tool call and its result, as the model receives it. Some clients send the pictures
    of a result in a separate message after it."""

    call: Call
    result: Content = dataclasses.field(default_factory=Content)


@dataclasses.dataclass
class Request:
    """A request to the model: the instructions, the tools by name, and the conversation so
    far."""

    instructions: str = ""
    tools: dict[str, dict] = dataclasses.field(default_factory=dict)
    prompt: Content = dataclasses.field(default_factory=Content)
    exchanges: list[Exchange] = dataclasses.field(default_factory=list)

    def called(self, id: str, tool: str, arguments) -> None:
        if isinstance(arguments, str):
            arguments = json.loads(arguments or "{}")
        self.exchanges.append(Exchange(Call(id, tool, arguments)))

    def answered(self, id: str | None, text: str = "", *pictures: bytes) -> None:
        """Adds to the result of a call. Without an id, adds to the result of the last call or, if
        there is none, to the prompt. Gemini's clients may use a tool's name as the id."""
        for e in reversed(self.exchanges):
            if id in (None, e.call.id, e.call.tool):
                return e.result.add(text, *pictures)
        self.prompt.add(text, *pictures)


def decoded(data_url: str) -> bytes:
    """Returns the bytes of a data: URL, and b"" for any other, which a model could not fetch."""
    head, _, data = data_url.partition(",")
    return base64.b64decode(data) if head.startswith("data:image/") else b""
