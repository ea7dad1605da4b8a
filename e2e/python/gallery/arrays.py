# %% broadcasting, linear algebra, printing
import numpy as np

a = np.arange(12).reshape(3, 4)
print(a, a.dtype, a.T.shape)
a + np.array([10, 20, 30])[:, None]

# %%
np.set_printoptions(precision=4, suppress=True)
m = np.array([[4.0, 1], [2, 3]])
w, v = np.linalg.eig(m)
print(w)
np.allclose(m @ v, v * w)

# %% a warning goes to stderr
import warnings

warnings.simplefilter("always")
np.log(np.array([1.0, 0.0]))

# %% shapes that do not fit
a @ a
