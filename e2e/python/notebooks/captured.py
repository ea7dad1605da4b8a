# %%
%%capture --no-stderr kept
import sys

print("hidden 11")
print("not hidden 12", file=sys.stderr)
13
# %%
kept.stdout
# %%
%%capture everything
import matplotlib.pyplot as plt
from IPython.display import display

display("captured display 21")
plt.figure(figsize=(1, 1)); plt.plot([2, 1]); plt.show()
print("captured print 22")
# %%
everything.show()
print(len(everything.outputs), "outputs 23")
# %%
from IPython.utils.capture import capture_output

with capture_output() as c:
    print("within 31")
    display("within 32")
print("outside 33")
c
# %%
%%capture --no-display
display("shown although captured 41")
print("hidden 42")
# %%
import contextlib
import io

with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.redirect_stderr(sys.stdout):
    print("redirected 51")
    print("error redirected 52", file=sys.stderr)
text.getvalue()
# %%
%%capture lost
print("before the error 61")
raise ValueError("in a captured cell 62")
# %%
%%time
print("timed 71")
72
# %%
%%script bash --out printed
echo into a variable
# %%
printed
