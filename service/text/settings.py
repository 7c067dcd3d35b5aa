"""How a stream reads its texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Format = Literal["auto", "mail", "news", "plain"]
AUTO = "auto"


@dataclass(frozen=True)
class TextSettings:
    """Weights: how often an occurrence in the field counts against once in the text; 0 leaves the field out."""

    format: Format = "auto"
    language: str = AUTO
    title_weight: int = 5
    author_weight: int = 0
    reply_weight: int = 0

    @classmethod
    def read(cls, given: Mapping[str, Any] | None) -> "TextSettings":
        """From a stream's settings: what is absent has its default."""
        named = given or {}
        return cls(**{name: named[name] for name in cls.__dataclass_fields__ if named.get(name) is not None})
