# %% a frame, its head and description
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
df = pd.DataFrame({"key": list("abcab") * 4, "value": rng.normal(size=20).round(3), "when": pd.date_range("2026-01-01", periods=20)})
df.head()

# %%
df.describe()

# %% group, pivot, print
print(df.groupby("key")["value"].agg(["mean", "count"]))
df.pivot_table(index="key", columns=df["when"].dt.day_name(), values="value", aggfunc="sum").round(2)

# %%
df.info()

# %% pandas draws
import matplotlib.pyplot as plt

df.plot(x="when", y="value", title="values")
plt.show()

# %% a key that is not there
df["colour"]
