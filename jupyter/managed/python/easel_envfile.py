"""Reads the .env file of a project, as python-dotenv does.

It runs in the server, at each start of a kernel: so the values are nowhere but in the file and
in the kernel, and kernels of all languages have them. Only what most tools agree on is
read: export, comments, quotes, escapes in double quotes, and ${NAME}.
"""

import os
import re
import stat

MOST = 1 << 20  # bytes
KEPT_OUT = {"MPLBACKEND"}  # figures would no longer be drawn inline

LINE = re.compile(
    r"""^[^\S\n]*(?:export[^\S\n]+)?(?:'(?P<quoted>[^'\n]+)'|(?P<name>[^=\#\s'"]+))[^\S\n]*=[^\S\n]*"""
    r"""(?:'(?P<single>(?:\\'|[^'])*)'|"(?P<double>(?:\\.|[^"\\])*)"|(?P<plain>[^'"\n][^\n]*)?$)""",
    re.MULTILINE | re.DOTALL,
)
REFERENCE = re.compile(r"\$\{([^}:]*)(?::-([^}]*))?\}")
ESCAPE = re.compile(r"\\[\\'\"abfnrtv]")


def variables(text, known):
    """Returns the variables that a text sets. Values may refer to known ones, which it does not change."""
    found = {}

    def value_of(reference):
        name, default = reference.groups()
        return known.get(name, found.get(name, default or ""))

    for m in LINE.finditer(text.removeprefix("\ufeff").replace("\r\n", "\n")):
        if m["single"] is not None:
            value = re.sub(r"\\([\\'])", r"\1", m["single"])
        elif m["double"] is not None:
            value = ESCAPE.sub(lambda e: e[0].encode().decode("unicode-escape"), m["double"])
        else:
            value = re.sub(r"\s+#.*", "", m["plain"] or "").rstrip()
        found[m["quoted"] or m["name"]] = REFERENCE.sub(value_of, value)
    return {name: value for name, value in found.items() if name not in known and name not in KEPT_OUT and "\0" not in value}


def add(marker, env):
    """Adds the variables of the file whose path is in another file, if both exist, and returns their
    names. The error of a file that cannot be read does not contain what is in it."""
    try:
        with open(marker, encoding="utf-8") as f:
            path = f.read()
        if not stat.S_ISREG(os.stat(path).st_mode):
            return []
        with open(path, "rb") as f:
            text = f.read(MOST)
    except FileNotFoundError:
        return []
    found = variables(text.decode("utf-8", "replace"), env)
    env.update(found)
    return list(found)
