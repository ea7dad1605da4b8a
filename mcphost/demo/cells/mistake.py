fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.scatter(*rng.normal(size=(2, 500)), c=rng.random(500), s=18, cmap="cool", alpha=0.8)
ax.set(title="Drawn before the mistake")
plt.show()

1 / 0
