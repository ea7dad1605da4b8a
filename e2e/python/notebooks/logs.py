# %% logging, warnings and prints
import logging
import sys
import warnings

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s:%(name)s: %(message)s", force=True)
log = logging.getLogger("station")
for n in range(3):
    print("row", n)
    log.info("read %d", n)
    if n == 1:
        warnings.warn("row 1 has no unit 11", stacklevel=1)
print("read all")
# %%
try:
    int("12,5")
except ValueError:
    log.exception("bad number 21")
"went on 22"
# %%
warnings.warn("old function 31", DeprecationWarning, stacklevel=1)
warnings.warn("never seen 32", PendingDeprecationWarning, stacklevel=1)
warnings.warn("user 33")
# %%
import numpy as np

np.array([1.0, 0.0]) / np.array([0.0, 0.0])
# %%
import pandas as pd

frame = pd.DataFrame({"a": [1, 2]})
print(frame)
print(frame.describe(), file=sys.stderr)
frame.info()
# %%
logging.getLogger().handlers[0].setFormatter(logging.Formatter("\x1b[33m%(levelname)s\x1b[0m %(message)s"))
log.warning("in colours 41")
log.debug("not seen 42")
# %% a new handler for stdout
both = logging.StreamHandler(sys.stdout)
log.addHandler(both)
log.error("on both 51")
log.removeHandler(both)
# %% output of other processes
import os
import subprocess

subprocess.run([sys.executable, "-c", "import sys; print('child out 61', flush=True); print('child err 62', file=sys.stderr)"], check=False)
# %%
os.system("echo from the shell 63")
# %%
print("no buffer 71", flush=True); sys.stderr.write("err 72\n"); sys.stderr.flush()
sys.stdout.writelines(["line 73\n", "line 74\n"])
# %% reset
logging.basicConfig(force=True, stream=sys.stderr)
