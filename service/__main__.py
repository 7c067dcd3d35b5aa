"""python -m service: the same as the threadline command."""

from .cli import main

main()
