"""threadline evaluate: how well models fit a file or a stream."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import CommandError, say, table
from .sample import duration

if TYPE_CHECKING:
    from service.evaluate import Evaluated, Material

MEASURES = (
    "threads", "held_out_per_document", "held_out_per_token", "variation_of_information", "nmi", "ari",
    "b_cubed_precision", "b_cubed_recall", "b_cubed_f1", "thread_ratio", "id_churn",
)  # fmt: skip


def evaluate(
    file: Annotated[
        Path | None, typer.Argument(help="JSON lines of {id, time, text}, with a label where the truth is known.")
    ] = None,
    stream: Annotated[str | None, typer.Option(help="A stream of the service in place of a file.")] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="Model to evaluate; give it several times to compare. (default: tdpm)")
    ] = None,
    held_out: Annotated[float, typer.Option(min=0.01, max=0.5, help="Share of the newest documents to predict.")] = 0.2,
    window: Annotated[Any, typer.Option(parser=duration, metavar="DURATION", help="Window of the stream.")] = "60d",
    epoch: Annotated[
        Any,
        typer.Option(
            parser=duration,
            metavar="DURATION",
            help="Length of an epoch. (default: the stream's, or a day; dpchain: half the window)",
        ),
    ] = None,
    alpha: Annotated[float | None, typer.Option(min=1e-6, help="Weight of a new thread. (default: learned)")] = None,
    half_life: Annotated[
        Any, typer.Option(parser=duration, metavar="DURATION", help="Time in which a document's pull halves.")
    ] = None,
    strength: Annotated[
        float | None, typer.Option(min=1e-2, help="Strength of the words' base measure. (default: learned)")
    ] = None,
    sweeps: Annotated[int, typer.Option(min=3, max=100_000, help="Gibbs passes of each model.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Same documents, options and seed: same figures.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Evaluate models on a file of documents, or on a stream.

    Each model is fitted to the older documents and predicts the newest (log likelihood per document and per token, in
    nats; higher is better). Where documents have labels, the threads that the service would have made of them are
    measured against these.
    """
    if (file is None) == (stream is None):
        raise CommandError("name a file, or a stream with --stream")
    import core
    from service.documents import FileError
    from service.evaluate import evaluate_models, from_file, from_stream

    given = {"alpha": alpha, "strength": strength, "seed": seed, "half_life": half_life}
    given |= {"window": window, "epoch": epoch}
    try:
        material = from_file(file) if file is not None else _of_stream(from_stream, stream or "")
        found = evaluate_models(material, model or ["tdpm"], given, held_out=held_out, sweeps=sweeps)
    except (FileError, core.ArgumentError) as error:
        raise CommandError(str(error)) from error
    if as_json:
        sys.stdout.write(json.dumps([one.figures for one in found], indent=2) + "\n")
    else:
        _print(found, material)


def _of_stream(read: Any, name: str) -> "Material":
    from service import environment

    from .opening import opened

    with opened(environment.load()) as database:
        material: Material | None = read(database, name)
    if material is None:
        raise CommandError(f"there is no stream {name}")
    return material


def _print(found: list["Evaluated"], material: "Material") -> None:
    measured = [measure for measure in MEASURES if measure in found[0].figures]
    rows = [(m.replace("_", " "), *(f"{one.figures[m]:.4g}" for one in found)) for m in measured]
    say(table([("", *(one.figures["model"] for one in found)), *rows]))
    say(f"\n{len(material.moments)} documents, {found[0].figures['held_out_documents']} of them held out")
