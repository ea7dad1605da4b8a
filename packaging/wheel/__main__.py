"""Runs Easel's MCP server, so that the package's own name is a command: uvx NAME."""

import os
import subprocess
import sys
import sysconfig


def program() -> str:
    """Returns the path of the program easel, which the package puts beside Python's commands."""
    name = "easel" + (".exe" if os.name == "nt" else "")
    user = sysconfig.get_preferred_scheme("user")
    directories = [os.path.dirname(os.path.abspath(sys.argv[0])), sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user)]
    for directory in directories:
        path = os.path.join(directory, name)
        if os.path.exists(path):
            return path
    sys.exit(f"{name} is in none of {', '.join(directories)}. Install the package again.")


def main() -> None:
    """Becomes `easel mcp`. Windows cannot replace a process, so this one waits there."""
    command = [program(), "mcp", *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
