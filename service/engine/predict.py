"""Answers to questions: how likely each thread is for documents that are not stored."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from service.text import Fields, count_words

from .live import LiveStream
from .models import core_time


def predict(live: LiveStream, documents: Sequence[dict[str, Any]], top: int) -> list[dict[str, Any]]:
    """The best threads of each document with their probabilities; with new and other threads they sum to 1."""
    contents = [_content(live, document) for document in documents]
    items = [
        (str(i), core_time(live.settings, int(document["time"])), content)
        for i, (document, content) in enumerate(zip(documents, contents, strict=True))
    ]
    answers = []
    for prediction, content in zip(live.stream.predict(items), contents, strict=True):
        best = sorted(prediction.threads.items(), key=lambda pair: (-pair[1], pair[0]))
        answers.append(
            {
                "threads": [{"thread": thread, "probability": chance} for thread, chance in best[:top]],
                "new": prediction.new,
                "other": sum(chance for _, chance in best[top:]),
                "log_p": prediction.log_p,
                "tokens": sum(content.values()) if isinstance(content, dict) else 0,
            }
        )
    return answers


def _content(live: LiveStream, document: dict[str, Any]) -> Any:
    if live.settings.kind == "words":
        fields = Fields(*(document.get(name) for name in Fields._fields))
        return count_words(fields, live.settings.text)
    return np.array(document.get("vector"), float)
