y, x = np.mgrid[-2:2:200j, -3:3:300j]


def vortex(cx, cy, spin):
    r2 = (x - cx) ** 2 + (y - cy) ** 2 + 0.15
    return -spin * (y - cy) / r2, spin * (x - cx) / r2


u, v = np.add(vortex(-1, 0.2, 1), vortex(1, -0.2, -1))
speed = np.hypot(u, v)

fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
ax.imshow(np.log(speed), extent=(-3, 3, -2, 2), origin="lower", cmap="magma", aspect="auto")
ax.streamplot(x[0], y[:, 0], u, v, color="white", linewidth=0.4 + 0.9 * speed / speed.max(), density=1.6, arrowsize=0.7)
ax.set(title="Two vortices", xlabel="x", ylabel="y")
plt.show()
