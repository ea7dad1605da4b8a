"""Tests easel_room.py, which joins shared documents, against a server that does what a real one
does only sometimes."""

import importlib.util
import json
import pathlib
import queue

import pytest
from jupyter_ydoc import YNotebook
from pycrdt import Decoder, Doc, Encoder, Map, create_update_message, handle_sync_message
from writers import notebook

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "ui/core/notebooks/python/easel_room.py"


@pytest.fixture(scope="module")
def easel_room():
    spec = importlib.util.spec_from_file_location("easel_room", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Server:
    """The server's end of a connection to a room. Someone else's keystrokes prevent its first
    saves, which it answers like others."""

    def __init__(self, room, prevented: int):
        self.room, self.prevented, self.saves, self.stored = room, prevented, 0, []
        self.doc, self.out = Doc(), queue.Queue()
        self.book = YNotebook(self.doc)
        self.book.set(notebook(["x = 1", "y = 2", "z = 3"]))

    def settimeout(self, seconds):
        pass

    def recv(self):
        return self.out.get()

    def send_binary(self, message: bytes):
        if message[0] == self.room.SYNC:
            answer = handle_sync_message(message[1:], self.doc)
            if answer is not None:
                self.out.put(answer)
        elif message[0] == self.room.RAW:
            self.save(message)

    def save(self, message: bytes):
        decoder = Decoder(message[1:])
        assert decoder.read_var_string() == "save"
        self.saves += 1
        if self.saves > self.prevented:
            self.stored.append([c["source"] for c in self.book.get()["cells"]])
            before = self.doc.get_state()
            self.doc.get("state", type=Map)["hash"] = "the same for each save"
            self.out.put(create_update_message(self.doc.get_update(before)))
        answer = Encoder()
        answer.write_var_uint(self.room.RAW)
        answer.write_var_string(json.dumps({"type": "save", "responseTo": decoder.read_var_uint(), "status": "success"}))
        self.out.put(answer.to_bytes())


@pytest.fixture
def enter(easel_room, monkeypatch):
    """Returns a function that makes Easel enter the room of a server."""
    monkeypatch.setattr(easel_room, "enter_lobby", lambda *_: None)

    def enter(server: Server):
        monkeypatch.setattr(easel_room.websocket, "create_connection", lambda *_, **__: server)
        room = easel_room.Room("ws://server/room/x", "token", "Easel", on_demand=True)
        room.synchronize()
        return room

    return enter


@pytest.mark.parametrize("prevented", [0, 3])
def test_an_edit_is_saved_although_others_prevent_the_first_saves(easel_room, enter, prevented):
    server = Server(easel_room, prevented)
    room = enter(server)
    for n in (1, 2):
        before, source = f"x = {n}", f"x = {n + 1}"
        room.apply({"op": "set", "cell": "cell-0", "before": before, "source": source})
        assert server.stored[-1] == [source, "y = 2", "z = 3"]
    assert server.saves == prevented + 2
