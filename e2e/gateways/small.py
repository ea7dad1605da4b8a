"""A small Jupyter kernel, of which two hundred fit on one machine. It runs Python code, and
plot() displays a picture. It has no IPython, matplotlib, variables or subshells."""

import base64
import datetime
import hashlib
import hmac
import io
import json
import os
import random
import signal
import struct
import sys
import threading
import time
import traceback
import uuid
import zlib

import zmq

with open(sys.argv[1]) as f:
    connection = json.load(f)
KEY, SESSION = connection["key"].encode(), uuid.uuid4().hex
context = zmq.Context()


def bind(kind: int, port: str) -> zmq.Socket:
    socket = context.socket(kind)
    socket.linger = 1000
    socket.bind(f"tcp://{connection['ip']}:{connection[port]}")
    return socket


shell, control = bind(zmq.ROUTER, "shell_port"), bind(zmq.ROUTER, "control_port")
bind(zmq.ROUTER, "stdin_port")  # nobody is asked for input
iopub, heart = bind(zmq.PUB, "iopub_port"), bind(zmq.ROUTER, "hb_port")


def send(socket: zmq.Socket, kind: str, content: dict, parent: dict, to: list | None = None):
    header = {"msg_id": uuid.uuid4().hex, "msg_type": kind, "username": "", "session": SESSION, "version": "5.3",
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat()}  # fmt: skip
    parts = [json.dumps(part).encode() for part in (header, parent, {}, content)]
    sign = hmac.new(KEY, b"".join(parts), hashlib.sha256).hexdigest().encode()
    socket.send_multipart([*(to or [kind.encode()]), b"<IDS|MSG>", sign, *parts])


class Out(io.TextIOBase):
    def write(self, text: str) -> int:
        send(iopub, "stream", {"name": "stdout", "text": text}, parent)
        return len(text)


def plot(width: int = 320, height: int = 240):
    """Displays a picture of random lines."""
    rows = b"".join(b"\0" + bytes([random.randrange(256)]) * width for _ in range(height))
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")
    data = {"image/png": base64.b64encode(png).decode(), "text/plain": "a plot"}
    send(iopub, "display_data", {"data": data, "metadata": {}, "transient": {}}, parent)


names, count, parent = {"plot": plot, "__name__": "__main__"}, 0, {}


def execute(content: dict) -> dict:
    global count
    if not content.get("silent"):
        count += 1
    send(iopub, "execute_input", {"code": content["code"], "execution_count": count}, parent)
    try:
        try:
            value = eval(content["code"], names)
        except SyntaxError:
            value = exec(content["code"], names)
        if value is not None:
            send(iopub, "execute_result", {"data": {"text/plain": repr(value)}, "metadata": {}, "execution_count": count}, parent)
    except BaseException as e:  # KeyboardInterrupt, too
        failure = {"ename": type(e).__name__, "evalue": str(e), "traceback": traceback.format_exc().splitlines()}
        send(iopub, "error", failure, parent)
        return {"status": "error", "execution_count": count, **failure}
    return {"status": "ok", "execution_count": count, "payload": [], "user_expressions": {}}


def answer(socket: zmq.Socket):
    global parent
    parts = socket.recv_multipart()
    at = parts.index(b"<IDS|MSG>")
    if hmac.new(KEY, b"".join(parts[at + 2 : at + 6]), hashlib.sha256).hexdigest().encode() != parts[at + 1]:
        return
    parent, content = json.loads(parts[at + 2]), json.loads(parts[at + 5])
    kind = parent["msg_type"]
    send(iopub, "status", {"execution_state": "busy"}, parent)
    match kind:
        case "kernel_info_request":
            language = {"name": "small", "version": "1", "mimetype": "text/plain", "file_extension": ".txt"}
            reply = {"status": "ok", "protocol_version": "5.3", "implementation": "small", "implementation_version": "1",
                     "language_info": language, "banner": "", "help_links": []}  # fmt: skip
        case "execute_request":
            reply = execute(content)
        case _:
            reply = {"status": "ok", "restart": content.get("restart", False)}
    send(socket, kind.replace("_request", "_reply"), reply, parent, parts[:at])
    send(iopub, "status", {"execution_state": "idle"}, parent)
    if kind == "shutdown_request":
        time.sleep(0.1)  # until the replies are sent
        os._exit(0)


def beat():
    while True:
        heart.send_multipart(heart.recv_multipart())


sys.stdout = Out()
threading.Thread(target=beat, daemon=True).start()
send(iopub, "status", {"execution_state": "starting"}, {})
poller = zmq.Poller()
for socket in (shell, control):
    poller.register(socket, zmq.POLLIN)
while True:
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an idle kernel is not interrupted
        ready = dict(poller.poll())
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for socket in ready:
            answer(socket)
    except KeyboardInterrupt:
        pass
