"""Completion scripts of the shells. They call the program itself, so that they never go out of date."""

from __future__ import annotations

from ..protocol.errors import InvalidRequest
from .arguments import did_you_mean, shown

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
            f"There is no completion for '{shown(shell)}'.{did_you_mean(shell, _SCRIPTS)} Supported: bash, zsh, fish."
        )
    return _SCRIPTS[shell]
