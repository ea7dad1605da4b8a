"""What a model is sent, whichever dialect the client speaks."""

import base64
import dataclasses
import json
import re

# Base64 of a PNG or JPEG, or of anything as long as a picture.
BASE64 = re.compile(r"iVBORw0KGgo|/9j/4|[A-Za-z0-9+/]{2000}")


@dataclasses.dataclass
class Call:
    """A tool call that the model made."""

    id: str
    tool: str
    arguments: dict


@dataclasses.dataclass
class Content:
    """A piece of a conversation: text, and pictures that a model can see."""

    text: str = ""
    pictures: list[bytes] = dataclasses.field(default_factory=list)

    def add(self, text: str = "", *pictures: bytes):
        self.text = "\n".join(t for t in (self.text, text) if t)
        self.pictures += pictures

    @property
    def base64(self) -> bool:
        """Whether a picture came as text, which a model pays for and cannot see."""
        return bool(BASE64.search(self.text))


@dataclasses.dataclass
class Exchange:
    """A tool call, and all that the model is sent because of it. Some clients send
    the pictures of a result in a message behind it."""

    call: Call
    result: Content = dataclasses.field(default_factory=Content)


@dataclasses.dataclass
class Request:
    """One request to the model: its instructions, its tools by name, and what was
    said so far."""

    instructions: str = ""
    tools: dict[str, dict] = dataclasses.field(default_factory=dict)
    prompt: Content = dataclasses.field(default_factory=Content)
    exchanges: list[Exchange] = dataclasses.field(default_factory=list)

    def called(self, id: str, tool: str, arguments) -> None:
        if isinstance(arguments, str):
            arguments = json.loads(arguments or "{}")
        self.exchanges.append(Exchange(Call(id, tool, arguments)))

    def answered(self, id: str | None, text: str = "", *pictures: bytes) -> None:
        """Adds to the result of a call; with no id, to that of the last one, or to the
        prompt. Gemini's clients may give a tool's name for an id."""
        for e in reversed(self.exchanges):
            if id in (None, e.call.id, e.call.tool):
                return e.result.add(text, *pictures)
        self.prompt.add(text, *pictures)


def decoded(data_url: str) -> bytes:
    """The bytes of a data: URL; of any other, none: a model behind it could not fetch it."""
    head, _, data = data_url.partition(",")
    return base64.b64decode(data) if head.startswith("data:image/") else b""
