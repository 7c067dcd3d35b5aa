"""What a prior and a likelihood must be able to do. One implementation per state class, registered in its own file.

Every function takes the state first; `items` are the documents, `i` one of them, `slot` a thread's internal number.
States are changed in place. None of these allocates, grows arrays or raises.
"""

from .jit import contract


@contract
def room(state, items, i):  # type: ignore[no-untyped-def]
    """Whether document i can be attached to any slot without growing an array."""


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
def log_ceiling(prior, items, i):  # type: ignore[no-untyped-def]
    """An upper bound on the log of the summed weights of all slots for document i; inf when none is known."""


@contract
def log_score(likelihood, items, i, scratch, slots):  # type: ignore[no-untyped-def]
    """Score document i against the slots it touches.

    Writes slots and log likelihoods into scratch and returns how many there are, and the log likelihood of a new
    thread, which no untouched slot exceeds. A likelihood that does not know better touches all.
    """


@contract
def log_score_untouched(likelihood, items, i, slot):  # type: ignore[no-untyped-def]
    """Log likelihood of document i in a slot that `log_score` left untouched, relative to a new thread."""
