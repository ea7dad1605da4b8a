# %% both streams, flushed in turns
import sys

for i in range(3):
    print("out", i, flush=True)
    print("err", i, file=sys.stderr, flush=True)

# %% text beyond ASCII, and none at all
print("日本語 ✓ – ½", end="")
None

# %% much of it, less than is cut
print("\n".join(f"{i:05d} " + "·" * 40 for i in range(150)))

# %% the shell's and magics' output
%precision 3
3.14159265

# %%
!echo from the shell
