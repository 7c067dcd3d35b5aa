"""Settings that a user changed, taken over by a model that is under way."""

from dataclasses import replace
from typing import Any

import structlog

import core
from core.knobs import refresh

from .models import Model, StreamSettings, fixed_knobs, new_prior, window_of

SPEEDS = ("kernel", "decay", "eta")  # where a prior keeps how fast it forgets
log = structlog.get_logger(__name__)


def take_over(stream: Model, settings: StreamSettings) -> None:
    """Let the model have the settings' window and knobs; nothing happens if it has them already."""
    stream.fixed = frozenset(fixed_knobs(settings))
    if isinstance(stream, core.Windowed):
        _take_over_whole(stream, settings)
        return
    prior = _prior(stream.prior, settings)
    if prior != stream.prior:
        stream.prior = prior
        stream.labelling.prior = prior.moved(stream.labelling.prior, stream.labelling.items, int(stream.cursor[0]))
    if settings.kind == "words" and settings.strength not in (None, stream.likelihood.strength):
        stream.likelihood = replace(stream.likelihood, strength=settings.strength)
        refresh(stream)
    _change_window(stream, window_of(settings))


def _take_over_whole(stream: core.Windowed, settings: StreamSettings) -> None:
    """A bounded window holds no state but labels. What has settled stays so."""
    stream.prior = _prior(stream.prior, settings)
    if settings.kind == "words" and settings.strength is not None and not settings.evolving:
        stream.likelihood = replace(stream.likelihood, strength=settings.strength)
    stream.window, stream.limit = window_of(settings), settings.window_documents


def _prior(prior: Any, settings: StreamSettings) -> Any:
    """The prior with the knobs that the settings fix."""
    wanted = new_prior(settings)
    fixed = {**dict.fromkeys(("alpha", "gamma"), settings.alpha), **dict.fromkeys(SPEEDS, settings.half_life)}
    given = {name for name, value in fixed.items() if value is not None and hasattr(prior, name)}
    return replace(prior, **{name: getattr(wanted, name) for name in given})


def _change_window(stream: core.Stream, window: float) -> None:
    """A shorter window settles what leaves it; a longer one cannot take settled documents back, so it must wait until
    none is."""
    if window < stream.window or not stream.life_table().settled.any():
        stream.window = window
    elif window > stream.window:
        log.warning("window not lengthened", reason="documents are settled already")
