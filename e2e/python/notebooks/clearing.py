# %%
import sys

import matplotlib.pyplot as plt
from IPython.display import clear_output, display, update_display

print("gone")
clear_output()
print("stays")
# %%
print("gone")
clear_output(wait=True)
print("stays")
print("too")
# %%
print("kept, as nothing follows")
clear_output(wait=True)
# %%
for i in range(5):
    clear_output(wait=True)
    plt.figure(figsize=(1, 1))
    plt.plot([i, 1])
    plt.show()
    print("frame", i)
# %%
for i in range(3):
    print("old", i, file=sys.stderr)
    clear_output()
# %%
print("before the error")
clear_output(wait=True)
raise KeyError("after a clear")
# %%
print("a"); clear_output(wait=True); clear_output(); display("b"); clear_output(wait=True); display("c")
