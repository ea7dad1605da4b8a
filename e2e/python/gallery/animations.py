# %% a figure that is kept back, then displayed
import matplotlib.pyplot as plt
from IPython.display import clear_output, display

fig, ax = plt.subplots()
(line,) = ax.plot([0, 1])
plt.close(fig)
display(fig)

# %% output that is cleared
for i in range(3):
    clear_output(wait=True)
    print("round", i)

# %% a bar that writes over itself
for i in range(5):
    print(f"\r{i * 25} %", end="")
print()
