"""Writes charts of Altair, and the values that pandas computes for them: name, specification, and by series the columns."""

import json
import sys
import warnings

import altair as alt
import numpy as np
import pandas as pd

warnings.simplefilter("ignore")
rng = np.random.default_rng(38)
N = 240
df = pd.DataFrame({
    "v": np.round(rng.normal(20, 6, N), 3), "w": np.round(rng.gamma(2, 3, N), 3), "g": rng.choice(["ash", "oak", "elm"], N),
    "h": rng.choice(["N", "S"], N), "t": pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 365, N), "D"), "k": rng.integers(0, 9, N),
})
df.loc[[3, 77], "v"] = np.nan
base = alt.Chart(df)
charts, want = {}, {}


def add(name, chart, axes):
    charts[name], want[name] = chart.to_dict(), axes


def series(kind, label="", **columns):
    return {"kind": kind, "label": label, "columns": {k: [float(x) for x in v] for k, v in columns.items()}}


mean = df.groupby("g")["v"].mean()
add("mean", base.mark_bar().encode(x="g", y="mean(v)"), [[series("bars", x=range(3), y=mean, base=[0] * 3)]])
both = df.groupby(["h", "g"]).size().unstack()
below = both.iloc[:, ::-1].cumsum(axis=1).iloc[:, ::-1]  # Vega stacks the last one first
add("stack", base.mark_bar().encode(x="h", y="count()", color="g"), [[
    series("bars", g, x=range(2), y=below[g], base=below[g] - both[g]) for g in both.columns]])
edges = np.arange(0, 45, 5)
counts = pd.cut(df["v"].dropna(), edges, right=False).value_counts(sort=False)
counts = counts[counts > 0]
add("bins", base.mark_bar().encode(x=alt.X("v", bin=alt.Bin(step=5)), y="count()"), [[
    series("histogram", x=[i.left for i in counts.index], width=[5] * len(counts), y=counts)]])
few = pd.DataFrame({"n": [7, 3, 1, 3, 9.5, 7.5]})
add("bins in order", alt.Chart(few).mark_bar().encode(x=alt.X("n", bin=alt.Bin(step=1)), y="count()"), [[
    series("histogram", x=range(1, 10), width=[1] * 9, y=[1, 0, 2, 0, 0, 0, 2, 0, 1], base=[0] * 9)]])
add("facets", base.mark_point().encode(x="w", y="v").facet("g"), [
    [series("points", x=part["w"], y=part["v"])] for _, part in df.dropna().groupby("g")])
rows = df.groupby(["h", "g"])["w"].median()
add("rows", base.mark_bar().encode(x="median(w)", y="g").facet(row="h"), [
    [series("barsh", x=rows[h], y=range(3))] for h in ("N", "S")])
month = df.groupby(df["t"].dt.to_period("M").dt.to_timestamp())["w"].sum()
seconds = month.index.astype("datetime64[s]").astype("int64")
add("months", base.mark_line().encode(x="yearmonth(t)", y="sum(w)"), [[series("line", x=seconds, y=month)]])
lines = df.groupby(["g", "k"])["w"].mean()
add("lines", base.mark_line().encode(x="k:Q", y="mean(w)", color="g"), [[
    series("line", g, x=lines[g].index, y=lines[g]) for g in ("ash", "elm", "oak")]])
layered = base.mark_circle().encode(x="w", y="v") + base.mark_rule(color="red").encode(y="mean(v)")
drawn = df.dropna()
add("layers", layered, [[series("points", x=drawn["w"], y=drawn["v"]), series("rules", y=[df["v"].mean()])]])
add("repeat", base.mark_point().encode(alt.X(alt.repeat("column"), type="quantitative"), y="v").repeat(column=["w", "k"]), [
    [series("points", x=drawn[c], y=drawn["v"])] for c in ("w", "k")])
pairs = df.groupby(["g", "h"])["w"].max()
add("beside", base.mark_bar().encode(x="g", xOffset="h", y="max(w)", color="h"), [[
    series("bars", h, y=pairs[:, h], base=[0] * 3) for h in ("N", "S")]])
cells = df.groupby(["k", "g"])["w"].mean()
add("heatmap", base.mark_rect().encode(x="k:O", y="g", color="mean(w)"), [[
    series("mesh", x=[k for k, _ in cells.index], y=[{"ash": 0, "elm": 1, "oak": 2}[g] for _, g in cells.index], value=cells)]])
share = df.groupby("g").size() / N
add("pie", base.mark_arc().encode(theta="count()", color="g"), [[series("pie", value=share)]])
q = df.groupby("g")["w"].quantile([0.25, 0.5, 0.75]).unstack()
fence = 1.5 * (q[0.75] - q[0.25])
inside = [df[(df["g"] == g) & (df["w"] >= q[0.25][g] - fence[g]) & (df["w"] <= q[0.75][g] + fence[g])]["w"] for g in q.index]
out = [(i, x) for i, g in enumerate(q.index) for x in df[df["g"] == g]["w"] if x not in set(inside[i])]
add("boxes", base.mark_boxplot().encode(x="g", y="w"), [[
    series("points", x=[i for i, _ in out], y=[x for _, x in out]),
    series("box", x=range(3), q1=q[0.25], median=q[0.5], q3=q[0.75], min=[w.min() for w in inside], max=[w.max() for w in inside])]])
twins = alt.layer(base.mark_line().encode(x="k:Q", y="mean(w)"), base.mark_line(color="red").encode(x="k:Q", y="count()")).resolve_scale(y="independent")
by = df.groupby("k")
add("twins", twins, [[series("line", x=range(9), y=by["w"].mean())], [series("line", x=range(9), y=by.size())]])
cut = base.mark_circle(clip=True).encode(x="w", y=alt.Y("v", scale=alt.Scale(domain=[15, 25])))
add("cut", cut, [[series("points", x=drawn["w"], y=drawn["v"])]])
add("begin above 0", base.mark_bar().encode(x="g", y=alt.Y("mean(v)", scale=alt.Scale(domain=[5, 30]))), [[
    series("bars", x=range(3), y=mean, base=[0] * 3)]])
parts = [df[df["h"] == h].groupby("g")["v"] for h in ("N", "S")]
bars = alt.layer(alt.Chart().mark_bar().encode(x="g", y="mean(v)"), alt.Chart().mark_errorbar().encode(x="g", y="v"), data=df)
add("errors in facets", bars.facet("h"), [
    [series("bars", x=range(3), y=p.mean(), base=[0] * 3),
     series("errorbars", x=range(3), low=p.mean() - p.sem(), high=p.mean() + p.sem())] for p in parts])
five = [df[df["h"] == h].groupby("g")["w"].quantile([0, 0.25, 0.5, 0.75, 1]).unstack() for h in ("N", "S")]
add("boxes in facets", base.mark_boxplot(extent="min-max").encode(x="g", y="w", color="g").facet("h"), [
    [series("box", g, q1=[q[0.25][g]], median=[q[0.5][g]], q3=[q[0.75][g]], min=[q[0][g]], max=[q[1][g]]) for g in q.index] for q in five])
json.dump([{"name": n, "spec": charts[n], "axes": want[n]} for n in charts], sys.stdout)
