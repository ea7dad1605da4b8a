# %% contours, a colour bar, a quiver
import matplotlib.pyplot as plt
import numpy as np

x, y = np.meshgrid(np.linspace(-3, 3, 80), np.linspace(-2, 2, 60))
z = np.exp(-(x**2) - y**2) - np.exp(-((x - 1) ** 2) - (y - 1) ** 2)
fig, ax = plt.subplots()
filled = ax.contourf(x, y, z, levels=12, cmap="RdBu")
ax.contour(x, y, z, levels=[0], colors="k")
dy, dx = np.gradient(z)
ax.quiver(x[::6, ::6], y[::6, ::6], dx[::6, ::6], dy[::6, ::6])
fig.colorbar(filled, label="height")
plt.show()

# %% three dimensions
fig = plt.figure()
ax = fig.add_subplot(projection="3d")
ax.plot_surface(x, y, z, cmap="viridis", linewidth=0)
ax.view_init(30, -60)
plt.show()

# %% polar
ax = plt.figure().add_subplot(projection="polar")
theta = np.linspace(0, 6 * np.pi, 500)
ax.plot(theta, theta)
plt.show()
