# %% what a widget clears is the widget's
import ipywidgets
import matplotlib.pyplot as plt
from IPython.display import clear_output, display

print("loaded 120 rows")
plt.figure(figsize=(2, 1))
plt.plot([1, 3, 2])
plt.title("kept")
plt.show()
box = ipywidgets.Output()
display(box)
with box:
    print("step 1")
with box:
    clear_output(wait=True)
    print("step 2")
print("finished")
# %% at once, and twice
with box:
    clear_output()
    print("in the box")
print("after the box")
clear_output(wait=True)
print("after everything was cleared")
# %% a picture in a widget, and one beside it
with box:
    plt.figure(figsize=(1, 1))
    plt.plot([3, 1])
    plt.show()
plt.figure(figsize=(1, 2))
plt.plot([1, 2, 4])
plt.show()
# %% interact
def draw(a):
    print("drawing", a)
    plt.figure(figsize=(2, 1))
    plt.plot([0, a, 1])
    plt.show()


print("summary n=3")
ipywidgets.interact(draw, a=(0, 5))
print("below")
# %% an exception in a widget
with box:
    raise ValueError("only in the box")
# %% capture
@box.capture(clear_output=True)
def told():
    print("captured")
    return 7


told()
# %% an empty box, cleared many times
for i in range(5):
    box.clear_output(wait=i % 2 == 0)
print("still here")
# %% widgets inside of widgets
outer, inner = ipywidgets.Output(), ipywidgets.Output()
display(ipywidgets.VBox([outer, ipywidgets.IntSlider(3), ipywidgets.HTML("<b>bold</b>")]))
with outer:
    display(inner)
    print("outer")
    with inner:
        print("inner")
        clear_output()
    print("outer again")
print("outside")
