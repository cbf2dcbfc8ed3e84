"""
Components: what matters, and together with what
================================================

Main effects and interactions of a model, over all rows and for one row.
"""

# %%
# A model of house prices, made up so that the truth is known: the price of a square metre depends on
# the district, and old houses lose value only where they were not renovated.

import numpy as np
import pandas as pd
import xgboost

import fastpd
from fastpd import plots

rng = np.random.default_rng(1)
n = 20_000
houses = pd.DataFrame(
    {
        "area": rng.gamma(6, 20, n),
        "age": rng.uniform(0, 100, n),
        "renovated": rng.integers(0, 2, n),
        "district": pd.Categorical(rng.choice(["centre", "harbour", "hills", "suburb"], n)),
        "rooms": rng.integers(1, 9, n),
    }
)
metre = houses["district"].map({"centre": 5.0, "harbour": 3.5, "hills": 4.0, "suburb": 2.5})
price = houses["area"] * metre.astype(float)
price -= 1.5 * houses["age"] * (houses["renovated"] == 0)
price += rng.normal(0, 20, n)

model = xgboost.XGBRegressor(n_estimators=300, max_depth=4, enable_categorical=True)
model.fit(houses, price)
ex = fastpd.Explainer(model, houses)

# %%
# What matters
# ------------
#
# Bars are coloured by how many features a component has. What is not drawn one by one is summed in the
# last bar.

importance = ex.importance(max_order=3)
ax = plots.plot_importance(importance, top=10)

# %%
# By order: how much of it needs one, two or three features.

ax = plots.plot_orders(importance)

# %%
# Who interacts with whom
# -----------------------

ax = plots.plot_network(importance)

# %%
# How much a simpler model would miss
# -----------------------------------
#
# The mean absolute difference between predictions and the sum of components up to an order.

parts = ex.components(houses, max_order=3)
ax = plots.plot_missed(parts)

# %%
# One house
# ---------
#
# From the mean prediction to that of the house. SHAP values would merge the interactions into the
# features; here they have bars of their own.

ax = plots.plot_waterfall(parts, 3)

# %%
# What SHAP values hide
# ---------------------
#
# SHAP values of age, over age: two clouds. The line is the main effect, which says what age does on
# average. What drives the clouds apart is the interaction with the renovation.

upper, lower = plots.plot_shap_parts(ex.shap_parts("age", houses))
