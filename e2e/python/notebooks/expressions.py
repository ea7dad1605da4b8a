# %%
from IPython import get_ipython

get_ipython().ast_node_interactivity = "all"
# %%
5000 + 777
"MIDDLE value".lower()
6000 + 888
# %%
import pandas as pd

pd.Series([1.5, 2.5], name="every")
x = [1, 2]
x
None
print("printed between")
{"last": "value"}
# %%
get_ipython().ast_node_interactivity = "last_expr_or_assign"
# %%
y = 4242
# %%
get_ipython().ast_node_interactivity = "none"
# %%
123454321
# %%
get_ipython().ast_node_interactivity = "last_expr"
