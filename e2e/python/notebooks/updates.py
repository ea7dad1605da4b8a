# %%
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import HTML, Markdown, display, update_display

h = display("first value 11", display_id="one")
print("between")
h.update("second value 22")
# %% from another cell
update_display("third value 33", display_id="one")
print("updated elsewhere")
# %% two displays with one id
display("again 44", display_id="one")
display("other 55", display_id="other")
h.update("both 66")
# %% of a kind that it was not
t = display(Markdown("*waiting*"), display_id=True)
t.update(pd.DataFrame({"n": [777]}))
# %% pictures
fig, ax = plt.subplots(figsize=(1, 1))
plt.close(fig)
p = display(fig, display_id="figure")
ax.plot([1, 2])
p.update(fig)
# %%
ax.plot([2, 1])
update_display(fig, display_id="figure")
# %% an id that nobody has
update_display("to nobody 88", display_id="unknown")
print("nothing shown")
# %% a value with an id
display(HTML("<b>text 99</b>"), display_id="html")
h
# %% many
bar = display("0 %", display_id=True)
for i in range(1, 101):
    bar.update(f"{i} %")
