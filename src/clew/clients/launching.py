"""How a client is started in a terminal. One value a client, in its `launch.py`."""

from clew.core.tuples import NamedTuple


class Launcher(NamedTuple):
    """`program` starts the client with a person at it; with `prompted` and then a text, that is its first prompt."""

    client: str
    program: str
    prompted: tuple[str, ...] = ()

    def arguments(self, prompt: str) -> tuple[str, ...]:
        """What follows the program's name; `prompt` is the first prompt, "" none."""
        return (*self.prompted, prompt) if prompt else ()
