"""Settings changed by a JSON merge patch (RFC 7396): what is named changes, null brings the default back."""

from dataclasses import replace
from typing import Any

from service.durations import parse_duration
from service.epochs import usual_epoch
from service.errors import FieldError, Invalid, invalid
from service.settings import Settings

from .operations import validated
from .schemas.streams import ONLY_WITH, StreamSettings


def stored_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """A stream's settings with the defaults that its row lacks."""
    return StreamSettings.model_validate(settings).model_dump(mode="json")


def merged(base: dict[str, Any], patch: dict[str, Any], limits: Settings) -> dict[str, Any]:
    """The settings after the patch; raises Invalid with pointers below #/settings."""
    changed = _merge(base if patch.get("model") in (None, base["model"]) else _without_usual_epoch(base), patch)
    try:
        return validated(StreamSettings, changed, limits).model_dump(mode="json")
    except Invalid as problem:
        raise invalid([_below_settings(fault) for fault in problem.errors]) from None


def suiting(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """The base without what another model, named in the patch, would not look at."""
    model = patch.get("model", base["model"])
    unsuited = {name for name, models in ONLY_WITH.items() if model not in models}
    unsuited |= {"drift"} if "evolving" in unsuited or not patch.get("evolving", base["evolving"]) else set()
    return {name: value for name, value in base.items() if name not in unsuited}


def _without_usual_epoch(base: dict[str, Any]) -> dict[str, Any]:
    """Another model may have another one."""
    usual = usual_epoch(base["model"], parse_duration(base["window"]))
    return {name: value for name, value in base.items() if name != "epoch" or parse_duration(value) != usual}


def _merge(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict) and isinstance(result.get(name), dict):
            result[name] = _merge(result[name], value)
        else:
            result[name] = value
    return result


def _below_settings(fault: FieldError) -> FieldError:
    return replace(fault, pointer="#/settings" + fault.pointer.removeprefix("#"))
