# %% a loop that redraws an Output widget inside of another one
import matplotlib.pyplot as plt
from IPython.display import Markdown, clear_output, display
from ipywidgets import HTML, Accordion, HBox, IntProgress, Label, Output, Tab, VBox

plot, log = Output(), Output()
page = VBox([Label("training"), HBox([plot, log]), IntProgress(value=3)])
display(page)
for epoch in range(3):
    with log:
        print("epoch", epoch)
    with plot:
        clear_output(wait=True)
        plt.figure(figsize=(1, 1))
        plt.plot([epoch, 2])
        plt.show()
        print("loss of epoch", epoch)
print("trained 31")
# %% the same widgets from another cell
with log:
    print("another cell wrote 32")
    display(Markdown("**bold 33**"))
print("of the cell 34")
# %% displayed again
display(log)
"value 35"
# %% three levels, cleared at each of them
outer, middle, inner = Output(), Output(), Output()
display(Tab(children=[outer]))
with outer:
    print("outer 41")
    display(middle)
    with middle:
        print("gone 42")
        display(inner)
        with inner:
            print("gone 43")
            clear_output(wait=True)
            print("inner 44")
        print("middle 45")
    print("outer 46")
with inner:
    print("later 47")
# %% displays with an id inside of a widget
with outer:
    clear_output()
    h = display("old 51", display_id="inside")
    h.update("new 52")
display("beside 53")
# %%
h.update("newest 54")
print("updated 55")
# %% errors inside, and text on both streams
import sys

with outer:
    clear_output(wait=True)
    print("to stderr 61", file=sys.stderr)
    print("to stdout 62")
with outer:
    [][63]
print("goes on 64")
# %% a widget in a list of widgets, none of which is shown here
hidden = Output()
box = Accordion(children=[hidden])
with hidden:
    print("nobody sees 71")
print("seen 72")
# %% and now it is
box
# %% a callback of a widget
slider = HTML("<i>slide</i>")


def changed(change):
    print("changed to", change.new)


slider.observe(changed, "value")
slider.value = "<b>81</b>"
# %% a function that captures itself
out = Output()


@out.capture(clear_output=True, wait=True)
def step(n):
    print("step", n)
    display({"text/plain": f"shown {n}"}, raw=True)


display(out)
for n in (91, 92):
    step(n)
