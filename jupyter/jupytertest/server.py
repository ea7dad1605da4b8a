"""A real Jupyter server for tests, without what takes as long to start as the server itself and
that few tests ask for: a grammar of international addresses, which jsonschema makes whenever it
is imported, Panel's part of the server (Panel is there for its charts), the search for language
servers, which runs npm, and JupyterLab, which runs yarn. Its kernels have no debugger, whose import
is a fifth of their start. With --lab it has JupyterLab, and with --collaboration also documents
that several people edit together.

    python server.py [--lab | --collaboration] ARGUMENTS OF jupyter_server
"""

import os
import pathlib
import sys
import types

# Python imports this module when a kernel starts. It may install Easel's modules; see WithModules.
kernel = pathlib.Path(os.environ["IPYTHONDIR"]) / "kernel"
kernel.mkdir(parents=True, exist_ok=True)
install = os.environ.get("EASEL_TEST_INSTALL", "")
(kernel / "sitecustomize.py").write_text(f"import sys\n\nsys.modules['debugpy'] = None\n{install}\n")
os.environ["PYTHONPATH"] = os.pathsep.join([str(kernel), *filter(None, [os.environ.get("EASEL_TEST_MODULES")])])

grammar = types.ModuleType("rfc3987_syntax")
grammar.is_valid_syntax = lambda *_: True
sys.modules[grammar.__name__] = grammar

from jupyter_server.serverapp import main  # noqa: E402

arguments = sys.argv[1:]
unused = ["panel.io.jupyter_server_extension", "jupyter_lsp"]
if arguments[:1] in (["--lab"], ["--collaboration"]):
    arguments.append("--LabApp.expose_app_in_browser=True")  # so that tests can ask the page what it shows
if arguments[:1] == ["--collaboration"]:
    del arguments[0]
elif arguments[:1] == ["--lab"]:
    arguments[0] = "--YDocExtension.disable_rtc=True"
else:
    unused += ["jupyterlab", "notebook_shim", "jupyter_collaboration", "jupyter_server_ydoc", "jupyter_server_fileid", "jupyterlab_commands_toolkit"]
main([*arguments, f"--ServerApp.jpserver_extensions={dict.fromkeys(unused, False)}"])
