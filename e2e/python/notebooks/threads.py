# %%
import asyncio
import subprocess
import sys
import threading

from IPython.display import display

threads = [threading.Thread(target=lambda i=i: print(f"from thread {i}")) for i in range(3)]
for t in threads:
    t.start()
    t.join()
print("joined")
# %%
def shows():
    display({"text/plain": "shown by a thread"}, raw=True)
    print("told by a thread", file=sys.stderr)


t = threading.Thread(target=shows)
t.start()
t.join()
# %%
def fails():
    raise ValueError("in a thread")


t = threading.Thread(target=fails, name="failing")
t.start()
t.join()
# %%
async def later(n):
    await asyncio.sleep(0)
    print("task", n)
    return n


await asyncio.gather(*(later(n) for n in range(3)))
# %%
print(subprocess.run([sys.executable, "-c", "print('from a child')"], capture_output=True, text=True).stdout, end="")
# %%
import warnings

warnings.warn("something is deprecated", stacklevel=1)
# %%
import logging

logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s", force=True)
logging.getLogger("job").warning("logged")
# %%
import atexit, gc, signal

print(gc.isenabled() or True, len(atexit.__name__), signal.SIGINT.name)
