"""What others have sent does nothing in a log: no line of it looks like one of ours, none commands a terminal."""

from __future__ import annotations

import logging

from .plain_text import escaped


class LogText(logging.Filter):
    """Writes out control characters in messages and tracebacks. A message is one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record; none is left out."""
        record.msg, record.args = escaped(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = escaped(logging.Formatter().formatException(record.exc_info), keep="\n\t")
        return True


_LOG_TEXT = LogText()


def plain_log(log: logging.Logger | logging.LoggerAdapter[logging.Logger]) -> logging.Logger:
    """Return a logger of gpucluster below the given one, whose messages do nothing."""
    parent = log.logger if isinstance(log, logging.LoggerAdapter) else log
    found = parent.getChild("gpucluster")
    found.addFilter(_LOG_TEXT)
    return found
