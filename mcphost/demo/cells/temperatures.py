import pandas as pd

months = [f"{m}月" for m in range(1, 13)]
temperatures = pd.DataFrame(
    {
        "札幌": [-3.2, -2.7, 1.1, 7.3, 13.0, 17.0, 21.1, 22.3, 18.6, 12.1, 5.2, -0.9],
        "東京": [5.4, 6.1, 9.4, 14.3, 18.8, 21.9, 25.7, 26.9, 23.3, 18.0, 12.5, 7.7],
        "那覇": [17.3, 17.5, 19.1, 21.5, 24.2, 27.2, 29.1, 29.0, 27.9, 25.5, 22.5, 19.0],
    },
    index=months,
)

fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
temperatures.plot(ax=ax, marker="o", ms=5, lw=2, color=["#3b82c4", "#2f9e6e", "#e07a2f"])
ax.axhline(0, color="0.7", lw=0.8)
ax.set(title="月ごとの平均気温", ylabel="気温(℃)")
ax.legend(title="都市", frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
