"""Synthetic data from the recipes of the papers' experiments."""

from core.generators.common import Decay, Partition, exponential
from core.generators.ddcrp import (
    ClassDocuments,
    LinkedPartition,
    addcrp_partition,
    crp_partition,
    ddcrp_documents,
    ddcrp_partition,
)
from core.generators.dpchain import DpchainPoints, dpchain_points
from core.generators.rcrp import RcrpPoints, RcrpWords, rcrp_gaussian, rcrp_partition, rcrp_words
from core.generators.tdpm import TdpmWords, tdpm

__all__ = [
    "ClassDocuments",
    "Decay",
    "DpchainPoints",
    "LinkedPartition",
    "Partition",
    "RcrpPoints",
    "RcrpWords",
    "TdpmWords",
    "addcrp_partition",
    "crp_partition",
    "ddcrp_documents",
    "ddcrp_partition",
    "dpchain_points",
    "exponential",
    "rcrp_gaussian",
    "rcrp_partition",
    "rcrp_words",
    "tdpm",
]
