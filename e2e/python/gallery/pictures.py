# %% an image with an inset
import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(3)
image = np.cumsum(np.cumsum(rng.normal(size=(64, 64)), axis=0), axis=1)
fig, ax = plt.subplots()
ax.imshow(image, cmap="cividis", interpolation="nearest")
inset = ax.inset_axes([0.6, 0.6, 0.37, 0.37])
inset.hist(image.ravel(), bins=20)
plt.show()

# %% Pillow's own picture
from PIL import Image

Image.fromarray(np.uint8(np.arange(64 * 64).reshape(64, 64) % 251))

# %% raw bytes as PNG
import io

from IPython.display import Image as Shown
from IPython.display import display

buffer = io.BytesIO()
Image.new("RGB", (20, 10), "orchid").save(buffer, "PNG")
display(Shown(buffer.getvalue()))
