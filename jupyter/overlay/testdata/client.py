"""Runs cells in a kernel as a Jupyter server does. Reads JSON with argv, env, cwd and cells, and
prints what each cell printed, its pictures, its metadata and its error."""

import json
import os
import re
import sys
import tempfile

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

order = json.load(sys.stdin)
kernels = tempfile.mkdtemp()
os.mkdir(os.path.join(kernels, "it"))
with open(os.path.join(kernels, "it", "kernel.json"), "w") as f:
    json.dump({"argv": order["argv"], "env": order["env"], "display_name": "it", "language": "python"}, f)

# The connection file is not where Easel looks for kernels: an Easel of another test would list it.
manager = KernelManager(
    kernel_name="it", kernel_spec_manager=KernelSpecManager(kernel_dirs=[kernels]), connection_file=os.path.join(kernels, "it.json")
)
# As Easel's own server has it.
easel = {"VIRTUAL_ENV": sys.prefix, "PYTHONNOUSERSITE": "1", "IPYTHONDIR": kernels, "JUPYTER_DATA_DIR": kernels}
manager.start_kernel(cwd=order["cwd"], stdout=sys.stderr, env={**os.environ, **easel})
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=120)
results = []
for code in order["cells"]:
    result = {"text": "", "pictures": 0, "titles": [], "error": ""}

    def hear(message, result=result):
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            result["text"] += content["text"]
            if "interrupt me" in content["text"]:
                manager.interrupt_kernel()
        elif kind == "error":
            result["error"] = content["ename"] + ": " + re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(content["traceback"]))
        elif kind == "display_data" and "image/png" in content["data"]:
            result["pictures"] += 1
            result["titles"].append(content["metadata"].get("image/png", {}).get("easel", {}).get("title"))

    client.execute_interactive(code, output_hook=hear, timeout=120)
    results.append(result)
client.stop_channels()
manager.shutdown_kernel(now=True)
json.dump(results, sys.stdout)
