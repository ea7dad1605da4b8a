# %% a mosaic with shared axes
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(19680801)
fig, axes = plt.subplot_mosaic([["a", "b"], ["c", "c"]], layout="constrained", figsize=(7, 5))
axes["a"].hist(rng.normal(size=1000), bins=30, color="tab:green")
axes["b"].boxplot([rng.normal(m, 1, 50) for m in range(4)])
axes["c"].bar(list("abcdef"), rng.integers(1, 20, 6), yerr=rng.random(6))
fig.suptitle("Three kinds")
plt.show()

# %% two figures from one cell
for n in (1, 2):
    plt.figure(figsize=(2 + n, 2))
    plt.plot(rng.random(20).cumsum())
    print("figure", n)
plt.show()
