"""threadline doctor: check every promise that the database can show."""

import json
import sys
from typing import Annotated

import typer

from service import environment


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False) -> None:
    """Check ids, assignments, sizes, events, sequences and leases; exit code 1 when something is wrong."""
    from service.store.doctor import examine

    from .opening import opened
    from .output import printable, say

    with opened(environment.load()) as database:
        findings = examine(database)
    if as_json:
        say(json.dumps({"healthy": not findings, "findings": [finding._asdict() for finding in findings]}))
    else:
        for finding in findings:
            say(printable(f"{finding.stream or '-'}  {finding.code}: {finding.detail}"))
        say("No findings." if not findings else f"{len(findings)} findings; see docs/operations.md, troubleshooting.")
    sys.exit(1 if findings else 0)
