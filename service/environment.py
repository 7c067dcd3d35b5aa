"""Settings read from the environment; what is unknown or wrong is refused with a sentence that says what to do."""

import difflib
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .settings import PREFIX, Settings, span, unit, variable

FILE_SUFFIX = "_FILE"
FROM_FILES = ("database_url",)  # settings that may be given as the path of a file that holds them
OF_COMMANDS = ("URL", "KEY", "IMAP_PASSWORD")  # read by commands that speak to a service, which settings are not for


class SettingsError(Exception):
    """A setting that is unknown or wrong; the message says what to do."""


def load(**overrides: Any) -> Settings:
    """Settings from the environment, then the overrides that are not None; raises SettingsError with a sentence."""
    _refuse_unknown()
    given = _read_files() | {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None


def origin(name: str) -> str:
    """Where the value of a setting comes from."""
    if os.environ.get(variable(name)):
        return "environment"
    return "file" if name in FROM_FILES and os.environ.get(variable(name) + FILE_SUFFIX) else "default"


def _refuse_unknown() -> None:
    names = {name.upper() for name in Settings.model_fields} | {name.upper() + FILE_SUFFIX for name in FROM_FILES}
    for given in sorted(os.environ):
        name = given.upper().removeprefix(PREFIX)
        if given.upper().startswith(PREFIX) and name not in names and name not in OF_COMMANDS:
            near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else "`threadline config` lists them all."
            raise SettingsError(f"{given} is not a setting; {hint} Unset or rename it.")


def _read_files() -> dict[str, str]:
    found = {}
    for name in FROM_FILES:
        twin = variable(name) + FILE_SUFFIX
        if not os.environ.get(twin):
            continue
        if os.environ.get(variable(name)):
            raise SettingsError(f"{variable(name)} and {twin} are both set; keep one of them.")
        try:
            found[name] = Path(os.environ[twin]).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"{twin} names a file that cannot be read ({type(error).__name__}); check its path."
            ) from None
    return found


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0])
    reason = first["msg"].removeprefix("Value error, ").lower()
    allowed = f" ({unit(name)}: {span(name)})" if name in Settings.model_fields and span(name) else ""
    verb = "" if reason.startswith("must") else "is wrong: "
    return f"{variable(name)} {verb}{reason}{allowed}; set it right or unset it."
