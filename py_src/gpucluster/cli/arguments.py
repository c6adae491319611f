"""An argument parser that answers every mistake with one sentence.

``argparse`` prints its usage and exits the process. Here a mistake is an ``InvalidRequest``, and help is text, for
notebooks and shells.
"""

import argparse
import difflib
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from ..protocol.errors import InvalidRequest
from ..protocol.plain_text import printable

_ONE_DASH = re.compile(r"-[A-Za-z][\w-]*")
_NEEDS_VALUE = re.compile(r"^argument (?P<option>\S+): expected (one|at least one) argument$")
_NO_VALUE = re.compile(r"^argument (?P<option>[^:]+): ignored explicit argument '(?P<value>.*)'$")
_MISSING = re.compile(r"^the following arguments are required: (?P<names>.+)$")


Completions: TypeAlias = "str | Sequence[str] | Callable[[], Sequence[str]]"
"""Words, a function that returns them, or the name of a source of words."""


class HelpWanted(Exception):
    """Help was requested instead of an action."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class SentenceParser(argparse.ArgumentParser):
    """Parser of one verb."""

    def __init__(self, prog: str, description: str, *, short_usage: bool = False) -> None:
        super().__init__(
            prog=prog,
            usage=f"{prog} [OPTIONS]".replace("%", "%%") if short_usage else None,
            description=description,
            add_help=False,
            allow_abbrev=False,
            argument_default=argparse.SUPPRESS,
            formatter_class=_Formatter,
        )
        if sys.version_info >= (3, 14):
            self.color = False  # A notebook would show the codes.
        self.sources: dict[str, Completions] = {}  # Completions by argument (``dest``).
        self.groups: dict[str, Any] = {}
        self._words: Sequence[str] = ()
        self.after_dashes: argparse.Action | None = None  # Takes all words after ``--``, if any.

    def group(self, title: str) -> Any:
        """Return the section of the help with that title, creating it if necessary."""
        if title not in self.groups:
            self.groups[title] = self.add_argument_group(title)
        return self.groups[title]

    def argument(self, *names: str, complete: Completions = (), group: str | None = None, **options: Any) -> None:
        action = (self.group(group) if group else self).add_argument(*names, **options)
        self.sources[action.dest] = complete

    def argument_after_dashes(self, name: str, *, metavar: str, help: str) -> None:
        """Declare a required argument that takes all words after ``--`` unchanged."""
        self.after_dashes = self.add_argument(name, nargs="*", metavar=metavar, help=help)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        words, command = self._split(words)
        # Names in the API and in some messages have underscores.
        words = [_dashes(word) for word in words]
        # argparse fills placeholders into a given usage, so escape the magic's own '%'.
        self.usage = self.usage or self.usage_line().replace("%", "%%")
        if "--help" in words or "-h" in words:
            raise HelpWanted(self.format_help())
        # argparse would first report other consequences of a mistyped option.
        before = ""
        for word in takewhile(lambda word: word != "--", words):
            if self._is_mistyped(word):
                raise InvalidRequest(self._unknown(word, before))
            before = word
        self._words = words
        found, rest = self.parse_known_intermixed_args(words)
        for word in rest:
            raise InvalidRequest(self._unknown(word))
        if self.after_dashes is not None:
            self._check_command(getattr(found, self.after_dashes.dest, []), command)
            setattr(found, self.after_dashes.dest, command)
        return found

    def _split(self, words: Sequence[str]) -> tuple[Sequence[str], list[str]]:
        """Return the words of the verb, and those of the command after ``--``."""
        if self.after_dashes is None or "--" not in words:
            return words, []
        place = list(words).index("--")
        return words[:place], list(words[place + 1 :])

    def _check_command(self, before: Sequence[str], after: Sequence[str]) -> None:
        name = self.after_dashes.metavar if self.after_dashes is not None else ""
        if before:
            raise InvalidRequest(
                f"Unexpected '{shown(before[0])}'. Write -- before the command: {self.prog} -- {name}."
            )
        if not after:
            raise InvalidRequest(f"{name} is missing. Write it after --: {self.prog} -- {name}.")

    def error(self, message: str) -> NoReturn:
        """Raise one sentence (argparse would print its usage and exit)."""
        raise InvalidRequest(self._sentence(message))

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # Some versions of Python lose the value of '--option=--', as it marks the end of options.
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)

    def options(self) -> dict[str, argparse.Action]:
        return dict(self._option_string_actions)

    def positionals(self) -> list[argparse.Action]:
        return [action for action in self._actions if not action.option_strings]

    def sections(self) -> dict[str, list[argparse.Action]]:
        """Return the arguments by the title of their section, first those without one, under ''."""
        found: dict[str, list[argparse.Action]] = {"": []}
        titled = {action: title for title, group in self.groups.items() for action in group._group_actions}
        for action in self._actions:
            found.setdefault(titled.get(action, ""), []).append(action)
        return {title: actions for title, actions in found.items() if actions}

    def usage_line(self) -> str:
        """Return the usage in one line, without the word 'usage'."""
        return " ".join(self.format_usage().removeprefix("usage:").split())

    def _is_mistyped(self, word: str) -> bool:
        """Return whether a word looks like an option but is not one."""
        flag = word.split("=")[0]
        if " " in word or flag in self.options():
            return False
        if word.startswith("--"):
            return True
        # One dash may begin a number, and '-n4' is '-n 4'; '-name' is not '-n ame'.
        takes_value = word[:2] in self.options() and (word[2:].isdecimal() or word[2:].lower() == "none")
        return _ONE_DASH.fullmatch(flag) is not None and not takes_value

    def _unknown(self, word: str, before: str = "") -> str:
        flag = word.split("=")[0]
        if word.startswith("-"):
            if before in self.options() and self.options()[before].nargs != 0:
                return (
                    f"Unknown option '{shown(flag)}'. If it is the value of {before}, write {before}={shown(word)}. "
                    f"See '{self._help_line()}'."
                )
            near = did_you_mean(f"--{flag.lstrip('-')}", [*self.options()])
            return f"Unknown option '{shown(flag)}'.{near} See '{self._help_line()}'."
        return f"Unexpected '{shown(word)}'. See '{self._help_line()}'."

    def _sentence(self, message: str) -> str:
        if found := _NEEDS_VALUE.match(message):
            flags = found["option"].split("/")
            value = next((after for word, after in pairwise(self._words) if word in flags), "")
            # A value that begins with a dash is taken for an option.
            quoted = (
                f" If the value is '{shown(value)}', write {flags[-1]}={shlex.quote(shown(value))}." if value else ""
            )
            return f"{flags[-1]} needs a value.{quoted} See '{self._help_line()}'."
        if found := _NO_VALUE.match(message):
            flags = [flag for flag in found["option"].split("/") if flag.startswith("--")]
            return f"{flags[0]} takes no value, not '{shown(found['value'])}'. Write {' or '.join(flags)}."
        if found := _MISSING.match(message):
            return f"{found['names']} is missing. Usage: {self.usage_line()}."
        return message[:1].upper() + message[1:].rstrip(".") + "."

    def _help_line(self) -> str:
        face, _, verb = self.prog.partition(" ")
        return f"{face} help {verb}"


class _Formatter(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        # A fixed width, for the same text in a notebook, a pipe and a terminal.
        super().__init__(prog, max_help_position=30, width=100)


def did_you_mean(word: str, known: Iterable[str] | Mapping[str, str]) -> str:
    """Return `` Did you mean 'x'?`` for a similar known word, or for its value in a mapping, else ``""``."""
    near = difflib.get_close_matches(word.lower(), sorted(known), n=3, cutoff=0.6)
    # Compare options without their dashes.
    bare = word.lower().lstrip("-")
    near = [one for one in near if _is_like(one.lstrip("-"), bare)]
    if not near:
        return ""
    # Swapped letters are more likely: 'lsit' is 'list', not 'site'.
    near.sort(key=lambda one: sorted(one) != sorted(word.lower()))
    return f" Did you mean '{known[near[0]] if isinstance(known, Mapping) else near[0]}'?"


def _is_like(known: str, word: str) -> bool:
    if sorted(known) == sorted(word) or (word and known.startswith(word)):
        return True
    return difflib.SequenceMatcher(None, known, word).ratio() >= 0.7


def shown(word: str) -> str:
    """Return a typed word for a message, short and without control characters."""
    return printable(word, 40)


def shown_path(path: str | Path) -> str:
    """Return a path for a message, without control characters; of a long one, the end."""
    text = printable(str(path))
    return text if len(text) <= 120 else "…" + text[-119:]


def whole_number(text: str, name: str, minimum: int, maximum: int) -> int:
    """Read a whole number other than a spec's field. Raises `InvalidRequest`: not a number, or out of bounds."""
    if not re.fullmatch(r"[+-]?[0-9]{1,30}", text):
        raise InvalidRequest(f"{name}: must be a whole number, not '{shown(text)}'.")
    if not minimum <= int(text) <= maximum:
        raise InvalidRequest(f"{name}: must be between {minimum} and {maximum}, not {int(text)}.")
    return int(text)


def _dashes(word: str) -> str:
    if not word.startswith("--"):
        return word
    flag, sign, value = word.partition("=")
    return flag.replace("_", "-") + sign + value
