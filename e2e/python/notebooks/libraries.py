# %% objects that show themselves as sympy's do
from IPython.display import HTML, Markdown, display


class Expression:
    def __init__(self, text, latex):
        self.text, self.latex = text, latex

    def __repr__(self):
        return self.text

    def _repr_latex_(self):
        return f"$\\displaystyle {self.latex}$"


class OnlyLatex(Expression):
    __repr__ = object.__repr__


Expression("x**2/11", r"\frac{x^{2}}{11}")
# %%
display(OnlyLatex("", r"\int_0^{12} x\,dx"), Expression("sqrt(13)", r"\sqrt{13}"))
[Expression("y_14", "y_{14}"), Expression("z", "z")]
# %% a Styler
import pandas as pd

frame = pd.DataFrame({"city": ["Kiel", "Ulm & Co"], "share": [0.211, 0.789]})
frame.style.format({"share": "{:.1%}"}).bar(subset="share").hide(axis="index")
# %%
wide = pd.DataFrame([[i * j for j in range(30)] for i in range(70)], columns=[f"c{j}" for j in range(30)])
display(wide)
wide.style.background_gradient() if False else wide.T.head(2)
# %%
frame.set_index("city").share, frame.dtypes, frame.columns
# %%
pd.Series([1, None, 3], index=pd.date_range("2026-01-01", periods=3), name="mm")
# %%
frame.groupby("city").agg({"share": ["min", "max"]})
# %%
import statsmodels.api as sm

sm.OLS([1, 2, 3.5], sm.add_constant([1, 2, 3])).fit().params
# %%
import networkx as nx

nx.path_graph(3), nx.path_graph(3).edges
# %%
import polars as pl

pl.DataFrame({"station": ["A", "B"], "mm": [21.5, None]})
# %%
import numpy as np

np.set_printoptions(precision=3)
np.linspace(0, 1, 5).reshape(1, 5), np.float32(2.5), np.array(["a", "é"])
# %%
class Table:
    def _repr_html_(self):
        return "<table><thead><tr><th>who</th><th>n</th></tr></thead><tbody><tr><td>Ann</td><td>31</td></tr><tr><td>Bob</td><td>32</td></tr></tbody></table>"


Table()
# %%
class Everything(Table):
    def _repr_markdown_(self):
        return "*Markdown 41*"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "a bundle 42", "text/html": "<b>HTML</b>"}, {"text/html": {"isolated": True}}


display(Everything())
# %%
class Broken:
    def __repr__(self):
        raise RuntimeError("cannot be shown 51")


Broken()
# %%
class PartlyBroken:
    def _repr_html_(self):
        raise KeyError("no HTML 61")

    def __repr__(self):
        return "as text 62"


PartlyBroken()
# %%
display(HTML("<h2>Title 71</h2><pre>a  b\nc  d</pre><a href='https://example.org/72'>link 73</a>"), Markdown("![picture](data:image/png;base64,iVBORw0KGgo=) and text 74"))
# %%
"x" * 30, list(range(1200))[-1], {"k": {"deep": [1, {"deeper": "81"}]}}
# %%
print(*("línea", "行", "\u200bzero", "🎉 81"), sep="\n")
"""several
lines 82"""
