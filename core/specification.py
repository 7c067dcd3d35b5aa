"""Models as plain data, for snapshots: class name and parameters, there and back."""

import math
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from .errors import ArgumentError
from .kernels import Exponential, Logistic, Periodic, Step, Window
from .likelihoods.dirichlet_multinomial import DirichletMultinomial
from .likelihoods.gaussian import Gaussian
from .likelihoods.gaussian_chain import GaussianChain
from .likelihoods.logistic_normal_chain import LogisticNormalChain
from .priors.addcrp import ADDCRP
from .priors.crp import CRP
from .priors.ddcrp import DDCRP
from .priors.dpchain import DPChain
from .priors.hdp_evo import HDPEvo
from .priors.rcrp import RCRP
from .priors.tdpm import TDPM

CLASSES: dict[str, Any] = {
    c.__name__: c
    for c in (
        CRP,
        TDPM,
        RCRP,
        ADDCRP,
        DPChain,
        HDPEvo,
        DDCRP,
        DirichletMultinomial,
        Gaussian,
        GaussianChain,
        LogisticNormalChain,
        Exponential,
        Step,
        Window,
        Logistic,
        Periodic,
    )
}


def describe_model(model: Any) -> dict[str, Any]:
    """{"class": name, parameter: value, …}, ready for JSON."""
    fields = asdict(model) if is_dataclass(model) and not isinstance(model, type) else model._asdict()
    plain: dict[str, Any] = {"class": type(model).__name__}
    for name in fields:
        value = getattr(model, name)
        plain[name] = describe_model(value) if hasattr(value, "_asdict") else _plain(np.asarray(value).tolist())
    return plain


def _plain(value: Any) -> Any:
    """Infinity is not JSON."""
    return "inf" if value == math.inf else value


def _built(value: Any) -> Any:
    if isinstance(value, dict):
        return build_model(value)
    return math.inf if value == "inf" else value


def build_model(plain: dict[str, Any]) -> Any:
    """The model that `describe_model` was given."""
    if plain["class"] not in CLASSES:
        raise ArgumentError("model", f"is of class {plain['class']!r:.40}", f"use one of {', '.join(CLASSES)}")
    fields = {name: _built(value) for name, value in plain.items() if name != "class"}
    return CLASSES[plain["class"]](**fields)
