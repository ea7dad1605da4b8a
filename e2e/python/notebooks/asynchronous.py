# %%
import asyncio
import contextlib

from IPython.display import clear_output, display


@contextlib.asynccontextmanager
async def opened(name):
    print("open", name)
    yield name.upper()
    print("close", name)


async with opened("file 11") as f:
    print("inside", f)
# %%
async def numbers():
    for n in (21, 22):
        await asyncio.sleep(0)
        yield n


async for n in numbers():
    display(n)
print("counted")
# %%
[n async for n in numbers()]
# %%
async def fails():
    await asyncio.sleep(0)
    raise OSError("reading 31 failed")


results = await asyncio.gather(fails(), asyncio.sleep(0, "fine 32"), return_exceptions=True)
results
# %% ipykernel does not answer if the first error is a group
await fails()
# %%
async with asyncio.TaskGroup() as group:
    group.create_task(fails())
    group.create_task(asyncio.sleep(0))
# %%
try:
    async with asyncio.timeout(0):
        await asyncio.sleep(60)
except TimeoutError:
    print("too late 41")
# %% a task that the next cell waits for
began = asyncio.Event()


async def works():
    began.set()
    return 51


task = asyncio.ensure_future(works())
print("started 52")
# %%
print("awaited", await task)
await asyncio.sleep(0)
# %%
def loop():
    for n in range(3):
        clear_output(wait=True)
        display(f"turn {n}")


await asyncio.to_thread(print, "from a worker 61")
loop()
