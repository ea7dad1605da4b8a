import matplotlib.pyplot as plt
import numpy as np

t = np.linspace(0, 12, 1200)
decay = np.exp(-t / 5)

fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
for k, colour in enumerate(plt.cm.plasma(np.linspace(0.1, 0.8, 6))):
    ax.plot(t, decay * np.cos(2 * np.pi * (t - k / 12) * 0.6), color=colour, lw=1.8)
ax.fill_between(t, -decay, decay, color="#5b3fd0", alpha=0.08, lw=0)
ax.set(title="A damped oscillation", xlabel="time (s)", ylabel="displacement", xlim=(0, 12))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
