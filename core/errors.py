"""The one family of errors that core raises for bad arguments."""


class ArgumentError(ValueError):
    """An argument cannot be used; the message names it, says what is wrong and what to do."""

    def __init__(self, argument: str, problem: str, advice: str) -> None:
        self.argument = argument
        super().__init__(f"{argument} {problem}; {advice}")
