# %% display of anything, in order
import pandas as pd
from IPython.display import HTML, JSON, Code, Image, Javascript, Latex, Markdown, Math, Pretty, display

sales = pd.DataFrame({"region": ["North", "South"], "units": [317, 418]})
display(sales.head())
print("end")
# %%
display("checkpoint reached", 90125)
display(sales.units)
sales
# %%
display(Markdown("# Results\n\n- **first** of `two`\n- the *second*"))
Markdown("| a | b |\n|---|---|\n| 1 | 2 |")
# %%
display(Latex(r"$\frac{a}{b}$"), Math(r"\sum_{i=1}^n i^2"))
# %%
display(JSON({"deep": [1, None, {"x": "é"}]}))
JSON([1, 2])
# %%
display(HTML("<p>Total: <b>4711</b> units</p><ul><li>one</li><li>two</li></ul>"))
HTML("<table><tr><th>who</th></tr><tr><td>Ann &amp; Bob</td></tr></table>")
# %%
sales.style.format({"units": "{:.1f} pcs"}).set_caption("Units sold").highlight_max()
# %%
display(Pretty("pretty text"), Code("x = 1", language="python"), Javascript("1"))
# %% raw bundles
display({"text/plain": "plain of a bundle", "application/x.own+json": {"a": 1}}, raw=True)
display({"text/markdown": "*only* Markdown"}, raw=True)
display({"application/json": {"only": "json"}}, raw=True)
# %%
class Both:
    def _repr_html_(self):
        return "<div>shown as <i>HTML 1234</i></div>"

    def _repr_latex_(self):
        return "$both$"

    def __repr__(self):
        return "Both as text"


display(Both())
Both()
# %%
class OnlyHTML:
    def _repr_html_(self):
        return "<div><span>Only</span> <span>in HTML 5678</span></div>"


OnlyHTML()
# %%
sales.groupby("region").sum(), None, {"a": 1}, "text"
# %% the same again
for i in range(3):
    display(i)
display()
None
# %%
len("a value and text"); print("text first")
"a value\nof two lines"
# %%
display(Image(data=b"not a picture", format="png"))
