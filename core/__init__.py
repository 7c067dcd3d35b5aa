"""Threadline's inference: priors over partitions given times, likelihoods of threads, and samplers for both.

import core
labels = core.sample(core.TDPM(0.2, core.Exponential(0.5)), core.DirichletMultinomial(3.0), counts, times,
                     draws=100, burn_in=100, seed=1)
"""

from .errors import ArgumentError
from .kernels import Exponential, Logistic, Periodic, Step, Window
from .likelihoods.dirichlet_multinomial import DirichletMultinomial
from .likelihoods.gaussian import Gaussian
from .likelihoods.gaussian_chain import GaussianChain
from .likelihoods.logistic_normal_chain import LogisticNormalChain
from .predictive import predictive
from .priors.addcrp import ADDCRP
from .priors.crp import CRP
from .priors.ddcrp import DDCRP
from .priors.rcrp import RCRP
from .priors.tdpm import TDPM
from .samplers import links as links  # registers the sampler of DDCRP
from .samplers.chains import Path, draw_paths, smooth
from .samplers.gibbs import held_out, log_joint, sample
from .samplers.learn import Learned, learn
from .stream import Stream
from .windowed import Windowed

__all__ = [
    "ADDCRP",
    "CRP",
    "DDCRP",
    "RCRP",
    "TDPM",
    "ArgumentError",
    "DirichletMultinomial",
    "Exponential",
    "Gaussian",
    "GaussianChain",
    "Learned",
    "Logistic",
    "LogisticNormalChain",
    "Path",
    "Periodic",
    "Step",
    "Stream",
    "Window",
    "Windowed",
    "draw_paths",
    "held_out",
    "learn",
    "log_joint",
    "predictive",
    "sample",
    "smooth",
]
