"""Run one verb for the command line and print the answer."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from argparse import Namespace
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from ..client.control import Control
from ..client.display.card import TerminalProgress
from ..protocol.errors import ClusterNotFound, InvalidRequest, InvalidState
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel
from ..protocol.plain_text import counted, escaped
from ..site.reading import new_troubles
from . import actions, tables
from .answers import ANSWERS
from .arguments import did_you_mean, shown
from .changes import CHANGES, Change
from .commands import SHELL, Answer, Subcommand
from .verbs import find_verb, is_group, overview, parser_for

# Completion scripts call the program itself, so that they never go out of date.
_BASH = r"""# Completion of gpucluster for bash. Use it now:      source <(gpucluster completion bash)
# for good:  gpucluster completion bash > ~/.local/share/bash-completion/completions/gpucluster
_gpucluster() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _gpucluster gpucluster
"""

_ZSH = r"""#compdef gpucluster
# Completion of gpucluster for zsh. Use it now:       source <(gpucluster completion zsh)
# for good:  gpucluster completion zsh > a folder of your fpath, as _gpucluster
_gpucluster() {
    local -a answers
    answers=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    answers=(${answers:#})
    if (( ${#answers} )); then
        compadd -- "${answers[@]}"
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _gpucluster ]]; then
    _gpucluster "$@"
else
    compdef _gpucluster gpucluster
fi
"""

_FISH = r"""# Completion of gpucluster for fish. Use it now:      gpucluster completion fish | source
# for good:  gpucluster completion fish > ~/.config/fish/completions/gpucluster.fish
function __gpucluster_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c gpucluster -f -a '(__gpucluster_complete)'
complete -c gpucluster -r -l local-directory -F
complete -c gpucluster -r -l rmm-log-directory -F
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def completion_script(shell: str) -> str:
    """Return the script for a shell. Raises `InvalidRequest`: unsupported shell."""
    if shell not in _SCRIPTS:
        raise InvalidRequest(
            f"No completion for '{shown(shell)}'.{did_you_mean(shell, _SCRIPTS)} Supported: bash, zsh, fish."
        )
    return _SCRIPTS[shell]


# What only some verbs need is imported by those verbs, to keep all others fast.
_FOLLOW_SECONDS = 0.2
LAST_PORT = 65535


def run(verb: str, words: Sequence[str]) -> int:
    """Carry out a verb; the answer goes to standard output."""
    found = parser_for(verb, SHELL).read(words)
    if verb in ANSWERS:
        return _answer(found, *ANSWERS[verb](_control(), found))
    added = find_verb(verb) if verb not in _RUNNERS else None
    return _added(added, found) if added is not None else _RUNNERS[verb](found)


def _control() -> Control:
    return Control(by=f"command line, process {os.getpid()}")


def _note_printer(found: Namespace) -> actions.Tell | None:
    """Return a function that prints notes; with ``--json``, ``None``: the cluster's JSON has its notes."""
    if getattr(found, "json", False):
        return None
    for trouble in new_troubles():
        print(trouble, file=sys.stderr, flush=True)
    return lambda note: print(f"Note: {note}", file=sys.stderr, flush=True)


def _create(found: Namespace) -> int:
    if (preview := actions.previewed(_control(), found)) is not None:
        for note in [] if getattr(found, "json", False) else preview.notes:
            print(f"Note: {note}", file=sys.stderr, flush=True)
        return _answer(found, preview, (preview.text or "").rstrip())
    with TerminalProgress() as progress:
        model = actions.create(_control(), found, progress, _note_printer(found))
    # The notes were printed before the start.
    return _answer(found, model, tables.cluster_card(model.saying({MessageCode.NOTE: None})))


def _connect(found: Namespace) -> int:
    model = actions.named(_control(), found)
    if model.state.ended:
        raise InvalidState(f"The cluster '{model.name}' is {model.state.value}. Create another one.")
    code = actions.snippet(model)
    return _answer(found, model, code.rstrip("\n"), code=code)


def _change(change: Change) -> Callable[[Namespace], int]:
    def run_it(found: Namespace) -> int:
        with TerminalProgress() as progress:
            if change.meanwhile:
                progress.say(change.meanwhile)
            model = change.make(_control(), found, progress, _note_printer(found))
        return _answer(found, model, change.said(model))

    return run_it


def _logs(found: Namespace) -> int:
    control = _control()
    if not getattr(found, "follow", False):
        answer = actions.logs(control, found)
        return _answer(found, answer, "\n".join(answer.lines))
    if getattr(found, "json", False):
        raise InvalidRequest("--json and --follow cannot be combined.")
    model = actions.named(control, found)
    path = control.asynchronous.registry.folder(model.id).log
    # Opened first: lines written meanwhile are printed twice rather than lost.
    decode = getincrementaldecoder("utf-8")(errors="replace").decode
    with path.open("rb") as file, suppress(ClusterNotFound):
        file.seek(0, os.SEEK_END)
        for line in actions.logs(control, found).lines:
            print(line, flush=True)
        while True:
            ended = control.get(model.id).state.ended
            if file.tell() > os.fstat(file.fileno()).st_size:  # It was shortened meanwhile.
                file.seek(0, os.SEEK_END)
            while piece := file.read(65536):
                print(escaped(decode(piece), keep="\n\t"), end="", flush=True)
            if ended:
                break
            time.sleep(_FOLLOW_SECONDS)
    return 0


def _gauges(found: Namespace) -> int:
    from ..gauges.text import narrowed
    from . import gauges
    from .gauges import Screen

    control = _control()
    screen = Screen()
    if screen.live and not getattr(found, "json", False):
        return gauges.watch(control, found, screen)
    ranking = gauges.Ranking.asked_for(found)
    model, sample = gauges.now(control, found)
    text = "\n".join(gauges.cluster_page(model, sample, screen.height, ranking))
    if ranking is None:
        return _answer(found, sample, text)
    places = ranking.places(sample)
    return _answer(found, narrowed(sample, places), text, n_others=len(sample.workers) - len(places))


def _replay(found: Namespace) -> int:
    from ..recordings.places import find_recording
    from ..recordings.reading import read_recording
    from . import gauges, recordings
    from .gauges import Screen

    session, speed = read_recording(find_recording(found.file)), recordings.speed_of(found)
    if getattr(found, "json", False):
        print(session.encoded().decode())
    else:
        gauges.play(session, speed, Screen())
    return 0


def _record(found: Namespace) -> int:
    from . import recordings

    with TerminalProgress() as progress:
        written = recordings.record(_control(), found, progress.say)
    return _answer(found, written, recordings.written_line(written))


def _dashboard(found: Namespace) -> int:
    control = _control()
    model = actions.named(control, found)
    link = actions.dashboard_link(control, model, actions.dashboard_page(found))
    _hint(
        "Opens on this machine only. Keep it private: anyone on this machine who has it can see the dashboard. "
        f"In JupyterLab, open {model.dashboard_path} under the address of Jupyter instead."
    )
    return _answer(found, model, link, dashboard_link=link)


def _share(found: Namespace) -> int:
    from .sharing import share

    answer = share(_control(), found)
    # Even without a terminal: a link without its server's address is useless in a file. JSON has the warnings itself.
    return _print(found, replace(answer, warnings=[]) if getattr(found, "json", False) else answer)


def _confirmed(question: str) -> bool:
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in {"y", "yes"}:
        return True
    print("Nothing was stopped.", file=sys.stderr)
    return False


def _stop(found: Namespace) -> int:
    control = _control()
    models = actions.to_stop(control, found)
    every = getattr(found, "all", False)
    if every and models and not getattr(found, "yes", False) and sys.stdin.isatty() and sys.stderr.isatty():
        names = ", ".join(model.name for model in models)
        if not _confirmed(f"Stop {counted(len(models), 'cluster')}: {names}?"):
            return 1
    with TerminalProgress() as progress:
        progress.say("Stopping " + ", ".join(model.name for model in models))
        ended = actions.stop(control, models, found)
    text = "\n".join(map(tables.ending, ended)) or "No cluster is running."
    return _answer(found, ended if every or len(ended) != 1 else ended[0], text)


def _node(found: Namespace) -> int:
    from . import node_actions

    request = node_actions.read(found)
    if request.do == "stop" and not getattr(found, "yes", False):
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise InvalidRequest(
                "Nothing was stopped: there is no terminal to confirm it. Add --yes to stop the clusters of "
                f"{shown(request.user)}."
            )
        if not _confirmed(f"Stop all clusters of {request.user}?"):
            return 1
    answer, text = node_actions.carry_out(request)
    _answer(found, answer, text)
    return 1 if getattr(answer, "problems", None) else 0


def _site(found: Namespace) -> int:
    from . import sites

    answer = sites.look(getattr(found, "file", None))
    _answer(found, answer, sites.text(answer))
    # A named file must exist.
    absent = getattr(found, "file", None) is not None and not answer.found
    return InvalidRequest.exit_code if answer.troubles or absent else 0


def _completion(found: Namespace) -> int:

    print(completion_script(found.shell), end="")
    return 0


def _tunnel(found: Namespace) -> int:
    from ..client.ssh_tunnel import plan_tunnel

    login = getattr(found, "login_node", None)
    port, local_port = _port(found, "port", "PORT"), _port(found, "local_port", "--local-port")
    tunnel = plan_tunnel(port, login=login, local_port=local_port)
    answer = Answer(tunnel.line, tunnel, code=0 if tunnel.sound else 1)
    if getattr(found, "json", False):
        return _print(found, answer)
    notes = [f"Run that on your laptop, and open {tunnel.link} there."] if tunnel.link else []
    notes += [*(check.told for check in tunnel.checks if check.ok), *tunnel.notes]
    problems = [f"Problem: {check.told}" for check in tunnel.checks if not check.ok]
    return _print(found, replace(answer, notes=notes, warnings=problems))


def _port(found: Namespace, name: str, shown: str) -> int | None:
    text = getattr(found, name, None)
    if text is None:
        return None
    if not text.isdecimal() or not 0 < int(text) <= LAST_PORT:
        raise InvalidRequest(f"{shown}: must be a whole number from 1 to {LAST_PORT}.")
    return int(text)


def _help(found: Namespace) -> int:
    verb = " ".join(getattr(found, "verb", ()))
    if not verb or is_group(verb):
        print(overview(SHELL, verb), end="")
    else:
        print(parser_for(verb, SHELL).format_help(), end="")
    return 0


def _lease(found: Namespace) -> int:
    from .leased_command import run_leased

    return run_leased(_control(), found, _note_printer(found))


def _added(verb: Subcommand, found: Namespace) -> int:
    assert verb.run is not None, f"'{verb.name}' cannot be run"
    # Hide distributed's messages about a computation that Ctrl-C ended.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    with TerminalProgress() as progress:
        answer = verb.run(found, progress.say)
    return _print(found, answer)


def _print(found: Namespace, answer: Answer) -> int:
    if getattr(found, "json", False) and answer.data is not None:
        print(json.dumps(_plain(answer.data), indent=2, ensure_ascii=False))
    elif answer.text:
        print(answer.text)
    for line in answer.warnings:
        print(line, file=sys.stderr)
    for line in answer.notes:
        _hint(line)
    return answer.code


def _answer(found: Namespace, value: BaseModel | Sequence[BaseModel], text: str, **extra: Any) -> int:
    """Print the answer, as JSON with ``--json``, else as text."""
    if not getattr(found, "json", False):
        print(text)
        if isinstance(value, ClusterModel) and value.notice:
            _hint(value.notice)
        return 0
    data = _plain(value)
    print(json.dumps({**data, **extra} if extra else data, indent=2, ensure_ascii=False))
    return 0


def _plain(value: Any) -> Any:
    """Return models, even in a list, as plain data."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _hint(text: str) -> None:
    # Only for terminals: a script that reads the answer needs nothing else.
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


_RUNNERS = {
    "create": _create,
    "lease": _lease,
    "connect": _connect,
    **{name: _change(change) for name, change in CHANGES.items()},
    "logs": _logs,
    "gauges": _gauges,
    "record": _record,
    "replay": _replay,
    "dashboard": _dashboard,
    "share": _share,
    "stop": _stop,
    "node": _node,
    "site": _site,
    "completion": _completion,
    "tunnel": _tunnel,
    "help": _help,
}
