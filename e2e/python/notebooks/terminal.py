# %%
import sys
import time

print("this sentence\rthat\nwill make you pause")
# %%
sys.stdout.write("rows read: 120/120"); sys.stdout.flush(); sys.stdout.write("\rdone"); print()
# %%
for i in range(4):
    sys.stdout.write(f"\r{i}/3 of the work")
    sys.stdout.flush()
# %%
print("one\r\ntwo\rTWO\n")
print("wrong\b\b\b\b\bright", "ab\bc")
# %%
print("\x1b[31mred\x1b[0m \x1b[1;4mbold\x1b[22m \x1b[38;5;208morange\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\")
# %%
print("first line\nsecond line")
print("\x1b[2A\x1b[Kreplaced\x1b[2B")
# %%
print("100 %\x1b[2K\r100 of 100")
print("progress 99 %", end="\x1b[1G\x1b[0K")
print("cleared")
# %%
from tqdm import tqdm

for i in tqdm(range(30), desc="fit", mininterval=0, file=sys.stdout, bar_format="{desc}: {n}/{total} {bar:10}"):
    pass
print("fitted")
# %%
for i in tqdm(range(2), desc="outer", bar_format="{desc}: {n}/{total}", mininterval=0):
    for j in tqdm(range(3), desc="inner", leave=False, bar_format="{desc}: {n}/{total}", mininterval=0):
        pass
# %%
from tqdm.notebook import tqdm as bars

for i in bars(range(3), desc="widget"):
    pass
print("after the bar")
# %%
print("tabs\tand \x07bells\x0b, form\x0cfeeds and \x00zeros")
print("日本語\r全角")
# %%
print("no newline", end="")
print("", end="")
"value"
# %%
print("out 1"); print("err 1", file=sys.stderr); print("out 2"); print("err 2", file=sys.stderr)
# %%
print("x" * 50_000)
print("the end of it")
