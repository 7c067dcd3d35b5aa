"""What a prior and a likelihood must be able to do. One implementation per state class, registered in its own file.

Every function takes the state first; `items` are the documents, `i` one of them, `slot` a thread's internal number.
States are changed in place. None of these allocates, grows arrays or raises.
"""

import math
from functools import partial

from .items import NONE
from .jit import contract


@contract
def room(state, items, i):  # type: ignore[no-untyped-def]
    """Whether document i can be attached to any slot without growing an array."""


@contract
def room_to_move(state, items, sides, members, found):  # type: ignore[no-untyped-def]
    """Whether some of the first `found` members can go from one slot to another without growing an array."""


@contract
def log_follow(prior, items, sides, s, i):  # type: ignore[no-untyped-def]
    """Log prior weight of side s for document i given the earlier documents there, of a birth if there are none; notes
    in `sides.values` what the prior wants to know of i if it follows."""


@contract
def open_sides(likelihood, items, sides, members, found, labels):  # type: ignore[no-untyped-def]
    """Empty all sides but for settled documents; the first `found` members will come."""


@contract
def log_join(likelihood, items, sides, s, i):  # type: ignore[no-untyped-def]
    """Log likelihood of document i on side s given the documents that joined it."""


@contract
def join(likelihood, items, sides, s, i):  # type: ignore[no-untyped-def]
    """Put document i on side s."""


@contract
def attach(state, items, i, slot):  # type: ignore[no-untyped-def]
    """Put document i into the slot, which may be empty."""


@contract
def detach(state, items, i, slot):  # type: ignore[no-untyped-def]
    """Take document i out of the slot it is in."""


@contract
def removable(prior, items, i, slot):  # type: ignore[no-untyped-def]
    """Whether the labelling without document i still has positive probability; if not, i must stay."""


@contract
def log_new(prior, items, i):  # type: ignore[no-untyped-def]
    """Log prior weight of a new thread for document i."""


@contract
def log_predictive(prior, items, i, slot):  # type: ignore[no-untyped-def]
    """Log prior weight of the slot for document i given only what is earlier."""


@contract
def log_conditional(prior, items, i, slot):  # type: ignore[no-untyped-def]
    """Log prior weight of the slot for document i in the full Gibbs conditional: also its effect on later documents."""


@contract
def log_conditional_within(prior, items, i, slot):  # type: ignore[no-untyped-def]
    """`log_conditional` of the slot that document i is in, as if it were not; other documents are in the slot too."""


def _local(prior):  # type: ignore[no-untyped-def]
    return True


@partial(contract, default=_local)
def local(prior):  # type: ignore[no-untyped-def]
    """Whether a document changes only its own thread's weights; if not, it is taken out before others are scored."""


@contract
def log_floor_within(prior, items, i, slot):  # type: ignore[no-untyped-def]
    """A lower bound on `log_conditional_within`; -inf when none is known."""


@contract
def log_ceiling(prior, items, i):  # type: ignore[no-untyped-def]
    """An upper bound on the log of the summed weights of all slots for document i; inf when none is known."""


@contract
def log_limit(prior, size):  # type: ignore[no-untyped-def]
    """An upper bound on the log weight of a slot of so many documents for any document; inf when none is known."""


@contract
def log_score(likelihood, items, i, scratch, slots):  # type: ignore[no-untyped-def]
    """Score document i against the slots it touches.

    Writes slots, their places and log likelihoods into scratch and returns how many there are, and the log likelihood
    of a new thread, which no untouched slot exceeds. A likelihood that does not know better touches all.
    """


@contract
def log_score_untouched(likelihood, items, i, slot):  # type: ignore[no-untyped-def]
    """Log likelihood of document i in a slot that `log_score` left untouched, relative to a new thread."""


@contract
def log_score_in(likelihood, items, i, slot):  # type: ignore[no-untyped-def]
    """Log likelihood of document i in the slot alone."""


@contract
def log_score_within(likelihood, items, i, slot):  # type: ignore[no-untyped-def]
    """`log_score_in` of the slot that document i is in, as if it were not."""


def _log_score_and_own(likelihood, items, i, own, scratch, slots):  # type: ignore[no-untyped-def]
    touched, fresh = log_score(likelihood, items, i, scratch, slots)
    within = log_score_within(likelihood, items, i, own) if own != NONE else -math.inf
    return touched, fresh, within


@partial(contract, default=_log_score_and_own)
def log_score_and_own(likelihood, items, i, own, scratch, slots):  # type: ignore[no-untyped-def]
    """`log_score`, and `log_score_within` of its own slot, which document i shares with others, or of NONE: -inf."""


@contract
def gather(likelihood, items, members, found, pool):  # type: ignore[no-untyped-def]
    """Put the first `found` members, and nothing else, into the pool."""


@contract
def log_score_pool(likelihood, pool, scratch, slots):  # type: ignore[no-untyped-def]
    """`log_score` of the documents of the pool in one slot: their joint likelihood, not a product of single ones."""


@contract
def explain(likelihood, items, i, slot, gains):  # type: ignore[no-untyped-def]
    """Write what each of document i's words adds to its log likelihood in the slot, against a new thread, into gains;
    returns what its length adds."""


@contract
def purge(likelihood, forgotten):  # type: ignore[no-untyped-def]
    """Clear the slots marked as forgotten."""


@contract
def settle(prior, items, i, slot):  # type: ignore[no-untyped-def]
    """Make the label of document i, the oldest that was not settled, final: it stays only as weight."""


@contract
def unsettle(prior, items, i, slot, left):  # type: ignore[no-untyped-def]
    """Take what settled document i, given again, counts for out of the slot, which has so many settled ones left."""


@contract
def keep(prior, items, i, slot, count, value):  # type: ignore[no-untyped-def]
    """Put back what is left of settled documents: count and value at document i's time."""


@contract
def renumber(prior, numbers, first):  # type: ignore[no-untyped-def]
    """Documents from `first` on have new numbers, in the same order."""


@contract
def forget(prior, slot, size):  # type: ignore[no-untyped-def]
    """Clear a slot of settled documents."""


@contract
def log_weight_at(prior, items, slot, time):  # type: ignore[no-untyped-def]
    """Log of the slot's weight at a time not before its last document."""


@contract
def fading_time(prior, items, slot, log_weight):  # type: ignore[no-untyped-def]
    """When the slot's weight falls to e^log_weight if nothing more joins it."""


@contract
def log_weight_then(prior, items, slot, time):  # type: ignore[no-untyped-def]
    """Log of what the slot's settled documents weighed at a time before the window."""
