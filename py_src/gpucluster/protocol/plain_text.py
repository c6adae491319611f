"""Text of others in messages and logs: names of files and workers, user input, and output of programs.

It can neither imitate a line of a log nor control a terminal. Processes of a cluster log through ``start_log``, which
also leaves out secrets and repeated messages.
"""

import logging
import sys
import traceback
import unicodedata
from collections import Counter
from collections.abc import Sequence


def printable(text: str, longest: int | None = None) -> str:
    """Return the text without control characters, shortened to `longest` characters."""
    shown = text if longest is None else text[: longest + 1]
    shown = "".join(letter if letter.isprintable() else "?" for letter in shown)
    return shown if longest is None or len(shown) <= longest else f"{shown[: longest - 1]}…"


_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # Control terminals or the layout: controls, text direction, line ends.


def escaped(text: str, *, keep: str = "") -> str:
    r"""Return the text with control characters escaped, such as ``\x1b``, but for those to `keep`; idempotent."""
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _OBEYED and letter not in keep
        else letter
        for letter in text
    )


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: ``1 task``, ``5,000 tasks``. `many`: the plural, if not the singular with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def times(sentence: str, number: int) -> str:
    """Return a sentence with a count: ``It does not respond (30 times).``"""
    return sentence if number == 1 else f"{sentence.removesuffix('.')} ({number:,} times)."


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


class LogText(logging.Filter):
    """Escapes control characters in messages and tracebacks. A message is one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; keep all records."""
        record.msg, record.args = escaped(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = escaped(logging.Formatter().formatException(record.exc_info), keep="\n\t")
        return True


_LOG_TEXT = LogText()


def plain_log(log: logging.Logger | logging.LoggerAdapter[logging.Logger]) -> logging.Logger:
    """Return a logger of gpucluster below the given one, with harmless messages."""
    parent = log.logger if isinstance(log, logging.LoggerAdapter) else log
    found = parent.getChild("gpucluster")
    found.addFilter(_LOG_TEXT)
    return found


class RateLimit(logging.Filter):
    """Limits the rate of repeated messages, which another user may be causing."""

    AT_MOST = 50
    PER_SECONDS = 10.0

    def __init__(self) -> None:
        super().__init__()
        self._since = 0.0
        self._counts: Counter[tuple[str, int, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        # Other users can cause any number of refused connections.
        if record.levelno < logging.WARNING and record.name != "gpucluster.comm":
            return True
        if record.created - self._since > self.PER_SECONDS:
            self._since = record.created
            self._counts.clear()
        place = (record.pathname, record.lineno, record.levelname)
        self._counts[place] += 1
        if self._counts[place] == self.AT_MOST:
            record.msg, record.args = f"{_message_of(record)} (repeated; not logged for a while)", ()
        return self._counts[place] <= self.AT_MOST


class _Redaction(logging.Formatter):
    """Keeps secrets and terminal control characters out of the log, even in tracebacks."""

    def __init__(self, inner: logging.Formatter | None = None) -> None:
        super().__init__()
        self._inner = inner or logging.Formatter("%(asctime)s %(levelname)-7s %(name)s  %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        # Otherwise logging itself would print a message that does not fit its arguments unchanged.
        message = _message_of(record)
        # One line, so that it cannot imitate another one.
        record.msg, record.args = escaped(message) if record.name.startswith("gpucluster") else message, ()
        if record.levelno < logging.WARNING and not record.name.startswith("gpucluster"):
            _shorten_cause(record)
        line = escaped(self._inner.format(record), keep="\n\t")
        for secret in _secrets:
            line = line.replace(secret, "…")
        return line


def _shorten_cause(record: logging.LogRecord) -> None:
    """Replace the traceback by the name and text of the error: Dask informs of each connection that ends with one."""
    if record.exc_info and (error := record.exc_info[1]) is not None:
        record.msg = f"{record.msg} ({escaped(''.join(traceback.format_exception_only(error)).strip())})"
    record.exc_info = record.exc_text = None


def _message_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # It does not fit its arguments, or one of them has no text.
        return str(record.msg)


_secrets: list[str] = []


def redact(secret: str) -> None:
    """Leave a secret out of this process's log from now on."""
    _secrets.append(secret)


def start_log() -> None:
    """Log to standard error, warnings too, with secrets left out, control characters escaped, and a rate limit."""
    handler = logging.StreamHandler(sys.stderr)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    _protect(handler)
    logging.captureWarnings(True)
    # The scheduler's HTTP access log does not help the owner of a cluster.
    logging.getLogger("tornado.access").setLevel(logging.ERROR)
    route_all_loggers()


def route_all_loggers() -> None:
    """Let all loggers of this process write to the log of ``start_log``; call it again after imports.

    distributed configures its own handlers of several loggers. Those that print are removed. Those that write to a file
    or keep lines for ``get_logs`` stay, with the same filters.
    """
    for logger in list(logging.root.manager.loggerDict.values()):
        if not isinstance(logger, logging.Logger):
            continue
        logger.propagate = True
        for handler in list(logger.handlers):
            if isinstance(handler, logging.StreamHandler) and not isinstance(handler, logging.FileHandler):
                logger.removeHandler(handler)
            elif not isinstance(handler, logging.NullHandler):
                _protect(handler)


def _protect(handler: logging.Handler) -> None:
    if not isinstance(handler.formatter, _Redaction):
        handler.setFormatter(_Redaction(handler.formatter))
        handler.addFilter(RateLimit())
