# %%
import matplotlib.pyplot as plt
import numpy as np

fig, axes = plt.subplots(1, 2, figsize=(3, 1.5))
axes[0].hist(np.arange(20) % 7)
axes[1].imshow(np.eye(4))
# %%
fig
# %%
plt.plot([1, 2, 3])
plt.title("the value of the last line")
# %%
print("before")
plt.figure(figsize=(1, 1)); plt.plot([1, 2]); plt.show()
print("between")
plt.figure(figsize=(1, 1)); plt.plot([2, 1]); plt.show()
print("after")
# %%
%config InlineBackend.figure_formats = ['svg']
plt.figure(figsize=(1, 1)); plt.plot([1, 2]); plt.show()
# %%
%config InlineBackend.figure_formats = ['png', 'svg']
plt.figure(figsize=(1, 1)); plt.plot([1, 4]); plt.show()
# %%
%config InlineBackend.figure_formats = ['png']
# %%
plt.figure(figsize=(1, 1)); plt.plot([5, 4]); plt.show()
raise RuntimeError("after the picture")
# %%
from PIL import Image

Image.new("RGB", (30, 20), (200, 30, 30))
# %%
from IPython.display import SVG, Audio, display

display(SVG('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>'))
display(Audio(np.zeros(100), rate=8000))
print("silence")
