"""Lets a client on the same machine speak with a kernel past the server.

The server passes each message of a kernel on, from ZeroMQ to a websocket, in one
thread for all kernels. A client that can read the kernel's connection file has no
need of that. What it cannot see for itself is what becomes of the kernel: that it
died, and was started again. So it opens the websocket as ever, by the subprotocol
SUBPROTOCOL, and gets over it only what the server itself has to say.

Only kernels of this environment are left to it so: they keep what is not read yet
(easel_iopub.py), as the server does for its websockets. Others drop it.
"""

import asyncio
import os
import sys

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

SUBPROTOCOL = "life.kernel.websocket.easel"


class LifeConnection(ZMQChannelsWebsocketConnection):
    """A kernel's websocket; by SUBPROTOCOL without the kernel's messages."""

    of_life = False

    async def prepare(self):
        offered = self.websocket_handler.request.headers.get("Sec-WebSocket-Protocol", "")
        self.of_life = SUBPROTOCOL in (name.strip() for name in offered.split(",")) and self.of_this_environment()
        if self.of_life:
            self.kernel_ws_protocol = SUBPROTOCOL
        await super().prepare()

    def of_this_environment(self):
        where = os.path.realpath(self.kernel_manager.kernel_spec.resource_dir or os.sep)
        return where.startswith(os.path.realpath(sys.prefix) + os.sep)

    def connect(self):
        if not self.of_life:
            return super().connect()
        # As the server's own does it, without sockets: who has none passes nothing on.
        kernels = self.multi_kernel_manager
        kernels.notify_connect(self.kernel_id)
        kernels.add_restart_callback(self.kernel_id, self.on_kernel_restarted)
        kernels.add_restart_callback(self.kernel_id, self.on_restart_failed, "dead")
        ZMQChannelsWebsocketConnection._open_sockets.add(self)
        return asyncio.sleep(0)
