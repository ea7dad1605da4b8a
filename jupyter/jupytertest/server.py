"""A real Jupyter server for tests, without two things that take longer to start than the server
itself and that no test asks for: a grammar of international addresses, which jsonschema makes
whenever it is imported, and Panel's part of the server (Panel is there for its charts).

    python server.py ARGUMENTS OF jupyter_server
"""

import sys
import types

grammar = types.ModuleType("rfc3987_syntax")
grammar.is_valid_syntax = lambda *_: True
sys.modules[grammar.__name__] = grammar

from jupyter_server.serverapp import main  # noqa: E402

main([*sys.argv[1:], "--ServerApp.jpserver_extensions={'panel.io.jupyter_server_extension': False}"])
