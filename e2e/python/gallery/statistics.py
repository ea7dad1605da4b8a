# %% seaborn on data of our own
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

rng = np.random.default_rng(7)
n = 120
data = pd.DataFrame({"x": rng.normal(size=n), "kind": rng.choice(["one", "two", "three"], n)})
data["y"] = data["x"] * 0.7 + rng.normal(scale=0.4, size=n)
sns.set_theme(style="ticks")
sns.lmplot(data, x="x", y="y", hue="kind", seed=1)
plt.show()

# %%
sns.heatmap(data[["x", "y"]].corr(), annot=True)
plt.show()

# %%
sns.pairplot(data, hue="kind")
plt.show()
