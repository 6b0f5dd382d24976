"""What sandboxed code may ask of the host: the run's data, pictures, and files to keep."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from agents.content import plain
from agents.errors import ToolError
from agents.tools.builtin.code.charts import ChartError, asked, draw
from agents.tools.builtin.files.csv_text import NoRowsError, csv_text
from agents.tools.builtin.files.names import name_fault
from agents.tools.builtin.tables.database import ask
from agents.tools.builtin.tables.stored import spelled
from agents.tools.function import ToolContext

MOST_ROWS = 200_000
MOST_FILES = 20
LARGEST_FILE = 10_000_000


class HostFunctions:
    """The functions for one run of code; what it keeps is collected in `files`."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.files: dict[str, bytes] = {}

    def named(self) -> Mapping[str, Callable[..., Any]]:
        """By the names that code calls them."""
        functions = (self.table, self.query, self.observed, self.chart, self.save)
        return {function.__name__: _told_plainly(function) for function in functions}

    def table(self, name: str, sheet: str | None = None) -> list[dict[str, Any]]:
        """All rows of an input."""
        self._context.input(name)  # says which inputs there are
        called = spelled(name) if sheet is None else f"{spelled(name)}.{spelled(sheet)}"
        return self.query(f"SELECT * FROM {called}")  # noqa: S608  # the name is quoted, and SQL can only read

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Rows of SQL over the inputs."""
        answer = ask(self._context, str(sql), MOST_ROWS)
        if not answer.complete:
            raise ValueError(f"there are more than {MOST_ROWS:,} rows: group or filter them with query()")
        return answer.rows

    def observed(self, ref: str) -> Any:
        """The data of an observation."""
        return self._context.observed(str(ref))

    def chart(  # noqa: PLR0917  # models name them or not
        self,
        kind: str,
        rows: object,
        x: object = "",
        y: object = (),
        title: str = "",
        x_title: str = "",
        y_title: str = "",
        name: str = "",
    ) -> str:
        """Draw a chart and keep it as a file; returns the file's name."""
        titles = {"title": title, "x_title": x_title, "y_title": y_title}
        picture = draw(asked(kind, rows, x, y, titles))
        number = sum(one.endswith(".svg") for one in self.files) + 1
        wanted = str(name) or f"chart-{number}.svg"
        return self._kept(wanted if wanted.casefold().endswith(".svg") else f"{wanted}.svg", picture)

    def save(self, name: str, content: object) -> str:
        """Keep a text, or rows as CSV; returns the file's name."""
        if isinstance(content, bytes):
            return self._kept(str(name), content)
        return self._kept(str(name), (content if isinstance(content, str) else csv_text(content)).encode())

    def _kept(self, name: str, content: bytes) -> str:
        fault = name_fault(name)
        if fault:
            raise ValueError(f"`{name[:80]}` cannot be a file's name: {fault}")
        if len(content) > LARGEST_FILE:
            raise ValueError(f"`{name}` has {len(content):,} bytes; {LARGEST_FILE:,} can be kept")
        if name not in self.files and len(self.files) >= MOST_FILES:
            raise ValueError(f"{MOST_FILES} files at most can be kept")
        self.files[name] = content
        return name


def _told_plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with errors as the sandboxed code can catch and read them."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except ToolError as error:
            raise ValueError(". ".join(filter(None, (error.what, error.mend)))) from None
        except (ChartError, NoRowsError) as error:
            raise ValueError(str(error)) from None
        except TypeError as error:
            raise TypeError(str(error).replace(f"{HostFunctions.__name__}.", "")) from None
        except UnicodeEncodeError as error:
            raise ValueError(f"half a character in a text: {plain(str(error))}") from None

    return call
