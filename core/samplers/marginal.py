"""The likelihood of groups of documents, whatever prior they come from."""

from typing import Any

import numpy as np
from scipy.special import gammaln

from ..items import Items
from ..priors.crp import CRP
from .labelling import Labelling, Labels


def log_marginals(likelihood: Any, items: Items, vocabulary: int, groups: Labels) -> float:
    """Σ over groups 0, 1, … of the log marginal likelihood of their documents.

    It is the joint under a CRP without the CRP's part, which for alpha = 1 is Π Γ(size).
    """
    joint = Labelling(CRP(1.0), likelihood, items, vocabulary).log_joint(groups)
    return joint - float(gammaln(np.bincount(groups)).sum())
