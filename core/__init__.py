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
from .priors.dpchain import DPChain
from .priors.hdp_evo import HDPEvo
from .priors.rcrp import RCRP
from .priors.tdpm import TDPM
from .samplers import learn_ages as _registers_ages  # noqa: F401  ADDCRP
from .samplers import learn_epochs as _registers_epochs  # noqa: F401  DPChain and HDPEvo
from .samplers import links as links  # registers the sampler of DDCRP
from .samplers.chains import Path, draw_paths, smooth
from .samplers.gibbs import held_out, log_joint, sample
from .samplers.learn import Learned, learn
from .samplers.topics import Topics, lda
from .stream import Stream
from .windowed import Windowed

__all__ = [
    "ADDCRP",
    "CRP",
    "DDCRP",
    "RCRP",
    "TDPM",
    "ArgumentError",
    "DPChain",
    "DirichletMultinomial",
    "Exponential",
    "Gaussian",
    "GaussianChain",
    "HDPEvo",
    "Learned",
    "Logistic",
    "LogisticNormalChain",
    "Path",
    "Periodic",
    "Step",
    "Stream",
    "Topics",
    "Window",
    "Windowed",
    "draw_paths",
    "held_out",
    "lda",
    "learn",
    "log_joint",
    "predictive",
    "sample",
    "smooth",
]
