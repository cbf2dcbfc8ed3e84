"""
Ten minutes with Adult
======================

Train a model on census data, and find out what it does: for everybody, for one feature, for two
together, and for one person.
"""

# %%
# The data are 48 842 people of the US census of 1994, and whether they earn more than 50 000 dollars
# a year. They ship with the package.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xgboost

import fastpd

adult = fastpd.datasets.adult()
people = pd.DataFrame(adult.X, columns=list(adult.columns))
for name, labels in adult.categories.items():
    codes = people[name].fillna(-1).astype(int)
    people[name] = pd.Categorical.from_codes(codes, labels)

model = xgboost.XGBClassifier(
    n_estimators=100, max_depth=5, learning_rate=0.1, enable_categorical=True
)
model.fit(people, adult.y)

# %%
# An explainer takes the model and a background: the people whose mean prediction is the yardstick.
# It uses all of them.

ex = fastpd.Explainer(model, people)
ex

# %%
# Answers are on the scale on which trees add up, here log-odds. The mean prediction is

ex.expected_value

# %%
# What matters?
# -------------
#
# Components are parts of the prediction that belong to one feature alone (a main effect) or to
# several together (an interaction). Their importance is their mean absolute size.

importance = ex.importance(max_order=2)
importance

# %%
# One feature
# -----------
#
# The partial dependence of age: the mean prediction if everybody had that age. It is known exactly
# everywhere, so it is drawn as the step function that it is.

ax = ex.effect("age").plot()

# %%
# Categories keep their labels.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ex.effect("relationship").plot(ax=ax)

# %%
# Two features together
# ---------------------
#
# What do age and relationship do beyond their main effects? This is the interaction that the paper
# shows: age counts differently for husbands than for people who never married.

ax = ex.effect("age", "relationship").plot(component=True)

# %%
# One person
# ----------
#
# SHAP values divide the difference to the mean among the features ...

phi = ex.shap(people)
person = 10
order = np.argsort(-np.abs(phi.values[person]))[:5]
{phi.feature_names[k]: round(float(phi.values[person, k]), 3) for k in order}

# %%
# ... and components tell main effects and interactions apart, which SHAP values merge. Bars start at
# the mean and end at the person's prediction.

parts = ex.components(people, max_order=2)
from fastpd import plots

ax = plots.plot_waterfall(parts, person)

# %%
# Is it sure?
# -----------
#
# A main effect and a pair are exact averages over this background. Another sample of people would give
# others; by how much, the standard errors tell.

errors = ex.standard_errors()
ax = ex.effect("hours-per-week").plot(
    errors=errors.factor(0.95) * errors.effect("hours-per-week")
)

# %%
# And how much of the model is missed by looking at pairs only?

print(f"prediction moves by {np.abs(ex.predict(people) - ex.expected_value).mean():.2f} on average,")
print(f"components beyond pairs by {parts.discrepancy:.2f}")

# %%
# A report to send on
# -------------------
#
# All of this and more, in one file that needs no network::
#
#     ex.report(people, adult.y).save("report.html")
#
# or without any code::
#
#     fastpd report model.json people.csv --target income -o report.html
