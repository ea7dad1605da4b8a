"""Acts like JupyterLab at the protocol level: opens a notebook and runs cells."""

import json
import uuid

import websocket


def open_notebook(jupyter, path: str, kernel: str = "python3") -> dict:
    """Opens a notebook like JupyterLab, and returns Jupyter's session."""
    status, _, model = jupyter.request(
        "POST", "/api/sessions", {"path": path, "name": path, "type": "notebook", "kernel": {"name": kernel}}
    )
    assert status == 201, model
    return model


class Cell:
    """A cell that the user runs. It is sent immediately; wait waits for its end."""

    def __init__(self, jupyter, kernel_id: str, code: str):
        session = uuid.uuid4().hex
        url = f"ws://127.0.0.1:{jupyter.port}/api/kernels/{kernel_id}/channels?session_id={session}"
        self.socket = websocket.create_connection(url, header=[f"Authorization: token {jupyter.token}"], timeout=180)
        self.id = uuid.uuid4().hex
        header = {"msg_id": self.id, "msg_type": "execute_request", "session": session, "username": "person", "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
        self.socket.send(json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}))

    def wait(self) -> dict:
        """Waits for the reply and the idle status, and returns the content of the reply."""
        reply, idle = None, False
        while reply is None or not idle:
            message = json.loads(self.socket.recv())
            if message.get("parent_header", {}).get("msg_id") != self.id:
                continue
            if message["msg_type"] == "execute_reply":
                reply = message["content"]
            elif message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                idle = True
        self.socket.close()
        return reply


def run_cell(jupyter, kernel_id: str, code: str) -> dict:
    return Cell(jupyter, kernel_id, code).wait()
