"""Plots with an artefact that a careful reader notices, and the same plots without it.

The first thirteen are data sets of bluffbench2 (MIT licence), which are not part of this repository: EASEL_ARTEFACTS names
the folder with their CSV files. The others are made from a seed. Each is drawn as an analyst would: with matplotlib, with
seaborn and a colour for each group, and in a third way.
"""

import dataclasses
import os
import pathlib

FOLDER = pathlib.Path(os.environ["EASEL_ARTEFACTS"]) if os.environ.get("EASEL_ARTEFACTS") else None

SETUP = """
import numpy as np, pandas as pd, matplotlib.pyplot as plt, seaborn as sns
def some(d, share):
    return rng.choice(d.index, int(share * len(d)), replace=False)
def rounded(size, centre, spread, digits=1):
    return np.round(rng.normal(centre, spread, size), digits)
"""


@dataclasses.dataclass
class Artefact:
    name: str
    what: str
    data: str  # makes d, with the artefact if wrong is true
    draw: tuple[str, ...]
    checks: str  # of which one finds it
    file: bool = False

    def code(self, draw: str, wrong: bool, seed: int) -> str:
        """Returns the code of a cell."""
        read = f"d = pd.read_csv({str(FOLDER / self.name)!r} + '.csv')\n" if self.file else ""
        if self.name == "revenue":
            read += "d = d.sort_values(['region', 'month'], ignore_index=True)\n"
        return f"rng = np.random.default_rng({seed}); wrong = {wrong}\n{read}{self.data}\n{draw}\nplt.show()\n"


def scatter(x: str, y: str, hue: str = "", third: str = "") -> tuple[str, ...]:
    """Returns three ways to draw points."""
    return (
        f"fig, ax = plt.subplots(); ax.scatter(d['{x}'], d['{y}'], s=14, alpha=.7); ax.set(xlabel='{x}', ylabel='{y}')",
        f"plt.figure(); sns.scatterplot(data=d, x='{x}', y='{y}'" + (f", hue='{hue}')" if hue else ")"),
        third or f"plt.figure(); sns.regplot(data=d, x='{x}', y='{y}', scatter_kws=dict(s=8))",
    )


def lines(x: str, y: str, group: str) -> tuple[str, ...]:
    """Returns three ways to draw a line for each group."""
    return (
        f"fig, ax = plt.subplots(figsize=(9, 4))\nfor g, e in d.groupby('{group}'): ax.plot(e['{x}'], e['{y}'], label=g)\nax.legend()",
        f"plt.figure(); sns.lineplot(data=d, x='{x}', y='{y}', hue='{group}')",
        f"d.pivot(index='{x}', columns='{group}', values='{y}').plot(marker='o', ms=3)",
    )


def histogram(x: str) -> tuple[str, ...]:
    """Returns three ways to draw a histogram."""
    return (
        f"fig, ax = plt.subplots(); ax.hist(d['{x}'], bins=40); ax.set_xlabel('{x}')",
        f"plt.figure(); sns.histplot(data=d, x='{x}')",
        f"plt.figure(); sns.histplot(data=d, x='{x}', bins=60, kde=True)",
    )


def of_file(name: str, what: str, repair: str, draw: tuple[str, ...], checks: str) -> Artefact:
    return Artefact(name, what, f"if not wrong:\n    {repair}", draw, checks, file=True)


FROM_FILES = [
    of_file(
        "assay", "three tight clumps",
        "x, y = (d[c].to_numpy() / np.ptp(d[c]) for c in ('concentration_ug', 'absorbance')); near = (np.hypot(x[:, None] - x, y[:, None] - y) < .02).sum(1); d = d[near < 9]",
        scatter("concentration_ug", "absorbance", "technician"), "clumps",
    ),
    of_file(
        "claims", "six exact incomes, each about eleven times",
        "many = d.groupby('claimant_income_k')['claimant_income_k'].transform('size') > 3; d.loc[many, 'claimant_income_k'] = rng.choice(d.loc[~many, 'claimant_income_k'], many.sum()) + rounded(many.sum(), 0, 4, 2)",
        scatter("claimant_income_k", "claim_amount_k", "claim_type"), "strings repeats",
    ),
    of_file(
        "clinic", "a quarter of the pressures are multiples of ten",
        "d['systolic'] += np.where(d['systolic'] % 10 == 0, rng.integers(-5, 6, len(d)), 0)",
        scatter("age", "systolic", "clinic_site"), "round",
    ),
    of_file(
        "energy", "a sixth of the points lie exactly on a line",
        "d['heating_kwh'] += rounded(len(d), 0, 2, 2)",
        scatter("outdoor_temp_c", "heating_kwh", "dwelling"), "on_line",
    ),
    of_file(
        "expenses", "a pile just under 75 and a hole just above",
        "d['amount_usd'] = np.round(np.exp(rng.normal(np.log(d['amount_usd']).mean(), np.log(d['amount_usd']).std(), len(d))), 2)",
        histogram("amount_usd"), "threshold spike",
    ),
    of_file(
        "feedback", "34 answers are equal in both",
        "d['instructor_rating'] += np.where(d['instructor_rating'] == d['content_rating'], rounded(len(d), 0, 12), 0)",
        scatter("content_rating", "instructor_rating", "modality"), "equal on_line",
    ),
    of_file(
        "field", "all points on a coarse grid",
        "d['soil_moisture'] += np.round(rng.uniform(-2, 2, len(d)), 1); d['yield_t_ha'] += np.round(rng.uniform(-.2, .2, len(d)), 2)",
        scatter("soil_moisture", "yield_t_ha", "region"), "lattice",
    ),
    of_file(
        "greenhouse", "sixteen readings are exactly 54.2",
        "d['humidity_pct'] += np.where(d['humidity_pct'] == 54.2, rounded(len(d), 0, 4), 0)",
        scatter("temperature_c", "humidity_pct", "fan_on"), "repeats",
    ),
    of_file(
        "outlets", "two outlets have the same 56 values",
        "d['daily_sales_usd'] += np.where(d['outlet'] == 'Lakeview', rounded(len(d), 0, 500, 2), 0)",
        (
            "fig, ax = plt.subplots(figsize=(10, 5)); ax.boxplot([e['daily_sales_usd'] for _, e in d.groupby('outlet')], tick_labels=sorted(set(d['outlet'])))",
            "plt.figure(figsize=(10, 5)); sns.boxplot(data=d, x='outlet', y='daily_sales_usd')",
            "plt.figure(figsize=(10, 5)); sns.stripplot(data=d, x='daily_sales_usd', y='outlet', hue='outlet', legend=False)",
        ), "same copies",
    ),
    of_file(
        "potency", "two parallel bands", "d = d[d['method'] == 'A']",
        scatter("input_mg", "potency_pct", "instrument"), "bands",
    ),
    of_file(
        "revenue", "one region changes only every third month",
        "d['revenue_k'] += np.where(d['region'] == 'Mountain', rounded(len(d), 0, 9), 0)",
        lines("month", "revenue_k", "region"), "held",
    ),
    of_file(
        "river", "eighteen readings far smoother than the rest",
        "d.loc[d.index[60:150], 'turbidity_ntu'] += rounded(90, 0, 2, 2)",
        scatter("hour", "turbidity_ntu", "", "fig, ax = plt.subplots(figsize=(10, 4)); ax.plot(d['hour'], d['turbidity_ntu'], '.-', lw=.6)"), "smooth tight",
    ),
    of_file(
        "weather", "in half of the rows, morning and afternoon are swapped",
        "m, a = d[['morning_c', 'afternoon_c']].min(axis=1), d[['morning_c', 'afternoon_c']].max(axis=1); d['morning_c'], d['afternoon_c'] = m, a",
        scatter("morning_c", "afternoon_c", "month"), "bands",
    ),
]

# A scatter plot of two related values with two groups.
CLOUD = """
n = 240; d = pd.DataFrame({'weight': rounded(n, 70, 9), 'shift': rng.choice(['day', 'night'], n)})
d['strength'] = np.round(d['weight'] * .9 + rng.normal(0, 7, n), 2)
"""
# Three noisy series of 120 days.
SERIES = """
n = 120; d = pd.concat([pd.DataFrame({'day': np.arange(n), 'site': s, 'flow': np.round(50 + 10 * k + np.cumsum(rng.normal(0, 1, n)) + rng.normal(0, 3, n), 2)}) for k, s in enumerate(['Ash', 'Elm', 'Oak'])], ignore_index=True)
"""
POINTS, LINES = scatter("weight", "strength", "shift"), lines("day", "flow", "site")

FROM_SEEDS = [
    Artefact("default", "a twentieth of the values are a default far away", CLOUD + "if wrong: d.loc[some(d, .05), 'weight'] = 999", POINTS, "repeats wall"),
    Artefact("stuck", "a twelfth of the values are one ordinary value", CLOUD + "if wrong: d.loc[some(d, .08), 'strength'] = 61.37", POINTS, "repeats"),
    Artefact("detection", "values below a limit are the limit", CLOUD + "if wrong: d['strength'] = d['strength'].clip(lower=55)", POINTS, "wall"),
    Artefact("saturation", "values above a limit are the limit", CLOUD + "if wrong: d['strength'] = d['strength'].clip(upper=75.5)", POINTS, "wall"),
    Artefact("hole", "nothing in a rectangle within the cloud", CLOUD.replace("240", "500") + "if wrong: d = d[~(d['weight'].between(65, 74) & d['strength'].between(57, 69))]", POINTS, "empty"),
    Artefact("selection", "the cloud is cut off along a diagonal", CLOUD.replace("240", "400") + "if wrong: d = d[d['weight'] + d['strength'] < 140]", POINTS, "edge"),
    Artefact(
        "sign", "half of the slopes have the wrong sign",
        "n = 260; d = pd.DataFrame({'dose': np.round(rng.uniform(-5, 5, n), 2), 'batch': rng.choice(list('AB'), n)}); d['effect'] = np.round(3 * d['dose'] + rng.normal(0, 2, n), 2)\nif wrong: d.loc[some(d, .45), 'effect'] *= -1",
        scatter("dose", "effect", "batch"), "bands",
    ),
    Artefact(
        "unit", "a third of the lengths are in another unit",
        "n = 240; d = pd.DataFrame({'age': np.round(rng.uniform(3, 16, n), 1), 'school': rng.choice(list('AB'), n)}); d['height'] = np.round(80 + 6 * d['age'] + rng.normal(0, 5, n), 1)\nif wrong: k = some(d, .33); d.loc[k, 'height'] = np.round(d.loc[k, 'height'] / 2.54, 1)",
        scatter("age", "height", "school"), "bands",
    ),
    Artefact("carried", "ten days of a series are carried forward", SERIES + "if wrong: d.loc[170:180, 'flow'] = d.loc[170, 'flow']", LINES, "flat wall"),
    Artefact("pasted", "twelve days of a series are those of another month", SERIES + "if wrong: d.loc[310:321, 'flow'] = d.loc[250:261, 'flow'].to_numpy()", LINES, "block"),
    Artefact("twice", "a fifth of the rows occur twice", CLOUD + "if wrong: k = some(d, .2); d = pd.concat([d, d.loc[k]], ignore_index=True)", POINTS, "copies"),
    Artefact("twin", "two series are the same", SERIES + "if wrong: d.loc[240:, 'flow'] = d.loc[:119, 'flow'].to_numpy()", LINES, "same"),
    Artefact(
        "pass", "few just miss a mark, and many just reach it",
        "n = 500; s = rng.normal(62, 14, n)\nif wrong: s = np.where((s < 60) & (s > 54) & (rng.random(n) < .8), rng.uniform(60, 63, n), s)\nd = pd.DataFrame({'score': np.round(s, 1)})",
        histogram("score"), "threshold spike",
    ),
]
