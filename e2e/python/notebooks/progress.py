# %%
import sys

from tqdm import tqdm
from tqdm.auto import trange

with tqdm(total=3, desc="outer", file=sys.stdout, bar_format="{desc} {n}/{total}", mininterval=0) as outer:
    for _ in range(3):
        for _ in tqdm(range(4), desc="inner", file=sys.stdout, bar_format="{desc} {n}/{total}", position=1, leave=False, mininterval=0):
            pass
        outer.update()
print("both done 11")
# %%
for i in tqdm(range(2), desc="left 21", bar_format="{desc} {n}/{total}", mininterval=0):
    tqdm.write(f"message {i}")
# %%
bar = tqdm(total=2, bar_format="{desc} {n}", desc="manual", mininterval=0)
bar.set_description("renamed 31")
bar.update(2)
bar.close()
"value 32"
# %%
for i in range(200):
    print(f"\rstep {i} of 200", end="")
print("\nfinished 41")
# %%
for i in range(3):
    print(f"\x1b[1Fline {i}\x1b[K" if i else "line 0")
# %%
print("\x1b[38;2;10;20;30mtruecolour 51\x1b[0m", "\x1b[7mreversed 52\x1b[27m", "\x1b[4mlink 53\x1b[24m")
print("\x1b[1A\x1b[2Kreplaced 54")
print("50 %\x08\x08\x08\x08100 %")
# %%
from IPython.display import ProgressBar, display

display(ProgressBar(3))
print("a bar of IPython 61")
# %%
for i in trange(3, desc="auto 71", bar_format="{desc} {n}", mininterval=0):
    pass
# %%
sys.stdout.write("one ")
sys.stdout.flush()
sys.stdout.write("line 81\n")
display("between 82")
sys.stdout.write("\rover the display 83\n")
