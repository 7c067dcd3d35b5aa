"""The distance dependent Chinese restaurant process (Wybo et al. 2012, eq. 6-8; Blei, Frazier 2011), in time order.

Document i links to an earlier one j with weight k(t_i − t_j) or to itself with alpha; threads are what hangs together.
Links go back in time, so every thread is a tree whose root is its first document. Summed over all links that give the
same threads, any other document weighs Σ k(t_i − t_j) over the earlier members j of its thread, and the sum of all
weights is the same for all labels: the labels are distributed as in tDPM. What differs is the way through them:
samplers/links.py moves a document with all that hangs on it.
"""

from dataclasses import dataclass

from .tdpm import TDPM


@dataclass(frozen=True)
class DDCRP(TDPM):
    """alpha: weight of a link to oneself, > 0. kernel: weight of a link to a document, by how much older that is."""
