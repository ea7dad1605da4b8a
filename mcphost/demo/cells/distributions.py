import seaborn as sns

rng = np.random.default_rng(5149)
waits = pd.DataFrame(
    {
        "counter": np.repeat(["north", "east", "south", "west"], 400),
        "minutes": np.concatenate([rng.gamma(k, 1.4, 400) for k in (2, 3.2, 4.6, 6)]),
    }
)

with sns.axes_style("whitegrid"):
    fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
    sns.violinplot(waits, x="counter", y="minutes", hue="counter", palette="viridis", inner="quart", cut=0, ax=ax)
    ax.set(title="Waiting times at four counters", xlabel="", ylabel="minutes")
    sns.despine(left=True)
plt.show()
