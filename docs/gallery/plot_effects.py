"""
Effects: curves, bars and maps
==============================

Partial dependence of one, two and three features, on the exact steps of the model; the rows behind it;
and what to do where features are correlated.
"""

# %%
# The model predicts the price of a used car. Newer cars have been driven less, so age and mileage are
# strongly correlated: there are no new cars with many miles.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xgboost

import fastpd

rng = np.random.default_rng(2)
n = 20_000
age = rng.gamma(3, 2.5, n)
cars = pd.DataFrame(
    {
        "age": age,
        "miles": 9_000 * age * rng.lognormal(0, 0.3, n),
        "power": rng.normal(110, 30, n).clip(40, 300),
        "fuel": pd.Categorical(rng.choice(["diesel", "electric", "hybrid", "petrol"], n)),
        "gearbox": pd.Categorical(rng.choice(["automatic", "manual"], n)),
    }
)
cars.loc[rng.random(n) < 0.05, "power"] = np.nan
price = 25 * np.exp(-age / 8) - cars["miles"] / 20_000 + cars["power"].fillna(100) / 10
price += np.where((cars["fuel"] == "electric") & (age < 4), 6, 0)
price += rng.normal(0, 1, n)

model = xgboost.XGBRegressor(n_estimators=200, max_depth=5, enable_categorical=True)
model.fit(cars, price)
ex = fastpd.Explainer(model, cars)

# %%
# One feature
# -----------
#
# The curve has true steps. Below it stand the cars of the background, and where there are few of them
# it fades. Cars whose power is missing are shown apart.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
ex.effect("age").plot(ax=left)
ax = ex.effect("power").plot(ax=right)

# %%
# How sure is it? Over a background of only 200 cars, a band of 95 % for what an infinite one would give.

few = fastpd.Explainer(model, cars.head(200))
errors = few.standard_errors()
ax = few.effect("age").plot(errors=errors.factor(0.95) * errors.effect("age"))

# %%
# Categories are bars, with their own labels.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
ex.effect("fuel").plot(ax=left)
ax = ex.effect("fuel").plot(component=True, ax=right)

# %%
# Correlated features: accumulated local effects
# ----------------------------------------------
#
# Partial dependence asks what a one-year-old car with 100 000 miles would cost. Accumulated local effects
# ask only about cars that exist, near each value. Where the two lines differ, the model was asked about
# cars that nobody has seen.

ax = ex.effect("miles").plot(ale=ex.ale("miles", cars))

# %%
# Every car its own curve
# -----------------------
#
# Individual conditional expectations, whose mean is the partial dependence; and centred, so that
# differences in shape stand out.

curves = ex.ice("age", cars.head(200))
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
curves.plot(ax=left)
ax = curves.centred().plot(ax=right)

# %%
# Two features
# ------------
#
# The interaction of age and miles, on the exact grid. Grey: no such cars.

ax = ex.effect("age", "miles").plot(component=True)

# %%
# A number and a category: one line a label.

ax = ex.effect("age", "fuel").plot(component=True)

# %%
# Two categories: tiles with numbers.

ax = ex.effect("fuel", "gearbox").plot(component=True)

# %%
# Three features
# --------------

axes = ex.effect("age", "fuel", "gearbox").plot(component=True)
