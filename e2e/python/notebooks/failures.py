# %%
err = ValueError("could not convert 'n/a' to float")
err.add_note("while reading row 1733 of stations.csv")
err.add_note("second note\nin two lines")
raise err
# %%
class BadTable(Exception):
    pass


try:
    raise BadTable("column 'price' has 3 bad values\n  row 4: '12,50'\n(more at the project's help page)")
except BadTable as e:
    raise RuntimeError("loading failed") from e
# %%
try:
    {}["key 515"]
except KeyError:
    [][616]
# %%
try:
    1 / 0
except ZeroDivisionError:
    raise LookupError("without its context") from None
# %%
raise ExceptionGroup("three tasks failed", [ValueError("task 1: bad"), ExceptionGroup("inner", [TypeError("task 2: worse"), OSError(28, "task 3: full")])])
# %%
def f(n):
    return f(n - 1) if n else undefined_name


f(3)
# %%
print("text before")
x = 1 +
# %%
import sys

print("out")
print("err", file=sys.stderr)
raise SystemExit("leaving")
# %%
class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no text")


raise Odd
# %%
raise ValueError("\x1b[31mred\x1b[0m and <b>tags</b>\ttab\nlast line " + "x" * 50)
# %%
import asyncio


async def fails():
    raise TimeoutError("awaited in vain")


await asyncio.gather(fails())
# %%
assert 1 == 2, {"a": [1, 2]}
# %%
input("a question: ")
# %%
import json

json.loads("[1,")
# %%
raise type("Quiet", (Exception,), {})()
# %%
%unknown_magic 1
