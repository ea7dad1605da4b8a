# Describes the interpreter that runs it, as JSON in a line that begins with a mark: other lines
# are what the environment itself prints at its start and its end. It must run on any Python, and
# from -c.
import sys
if sys.version_info < (3, 8):
    sys.stdout.write('\neasel-probe {"version": [%d, %d, %d]}\n' % sys.version_info[:3])
    sys.exit()
import glob, importlib.util, json, os, re, sysconfig

sys.path.pop(0)  # the working directory
installed = {}  # reading the names of directories is much faster than importlib.metadata
for place in sys.path:
    for found in sorted(glob.glob(os.path.join(glob.escape(place), "*.dist-info")) + glob.glob(os.path.join(glob.escape(place), "*.egg-info"))):
        name, _, version = os.path.splitext(os.path.basename(found))[0].partition("-")
        if version:
            installed.setdefault(re.sub("[-_.]+", "-", name).lower(), re.sub("-py3.*", "", version))
for name in "pip", "ipykernel":
    if importlib.util.find_spec(name) is None:
        installed.pop(name, None)
libc = ""
try:
    libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
except (AttributeError, ValueError, OSError):
    pass
sys.stdout.write("\neasel-probe " + json.dumps({
    "version": list(sys.version_info[:3]), "prefix": sys.prefix, "venv": sys.prefix != sys.base_prefix,
    "scripts": sysconfig.get_path("scripts"), "installed": installed, "pip": importlib.util.find_spec("pip") is not None,
    "platform": [sys.implementation.name, sysconfig.get_config_var("EXT_SUFFIX"), sysconfig.get_platform(), libc],
}) + "\n")
