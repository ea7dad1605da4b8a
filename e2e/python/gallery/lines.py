# %% several lines, a legend, annotations and mathematical text
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 2 * np.pi, 400)
fig, ax = plt.subplots()
for n in (1, 2, 3):
    ax.plot(x, np.sin(n * x) / n, label=rf"$\frac{{\sin {n}x}}{{{n}}}$")
ax.annotate("a maximum", xy=(np.pi / 2, 1), xytext=(3, 0.9), arrowprops={"arrowstyle": "->"})
ax.legend()
plt.show()

# %% a figure as the last expression: drawn, and named
fig, ax = plt.subplots()
ax.step(range(8), [1, 4, 2, 8, 5, 7, 1, 4], where="mid")
ax
