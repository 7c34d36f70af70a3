"""`photomat completion bash|zsh|fish`: a script that completes commands, options and the names they take.

Everything is written into the script: a Tab starts no program, opens no database and takes no noticeable time. It is written
again after an upgrade. What changes while the shop runs (jobs, users, promo codes) is not completed.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from photomat.app.live_settings import live_names
from photomat.catalog.load import load_catalog
from photomat.checks.findings import PHASES
from photomat.templates.load import shipped_templates

FILES: Final = "@files"
"""A value that is the name of a file."""
LAB: Final = ("explore", "mutants", "storm", "money", "matrix", "fuzz")
BENCH: Final = ("flows", "table")


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandWords:
    """What may follow a command: subcommands, options with the values of those that take one, the values of each argument."""

    path: tuple[str, ...]
    subcommands: Sequence[str] = ()
    options: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    arguments: Sequence[Sequence[str]] = ()


def completion(
    context: typer.Context, shell: Annotated[Shell, typer.Argument(help="The shell that completes.")]
) -> None:
    """Print a script that completes commands, options, model ids and settings with Tab."""
    words = list(_walk(context.find_root().command, (), _values()))
    typer.echo(RENDERED[shell](words), nl=False)


def _values() -> dict[str, Sequence[str]]:
    """The names that an argument or option takes, by its own name; by its command too where that is ambiguous."""
    catalog = load_catalog()
    templates = sorted(shipped_templates(catalog))
    return {
        "model": sorted(catalog.models),
        "settings name": [name.upper() for name in live_names()],
        "template": templates,
        "examples only": templates,
        "check only": [name.split()[0] for name in PHASES],
        "provider": ("stars", "yookassa", "cryptopay", "transfer"),
        "broadcast language": ("ru", "en"),
        "broadcast kind": ("image", "video", "audio", "text"),
        "photo": (FILES,),
        "video": (FILES,),
    }


def _walk(command: Any, path: tuple[str, ...], values: Mapping[str, Sequence[str]]) -> Iterator[CommandWords]:
    inner: Mapping[str, Any] = getattr(command, "commands", {})
    if inner:
        yield CommandWords(path=path, subcommands=list(inner), options={"--help": None})
        for name, each in inner.items():
            yield from _walk(each, (*path, name), values)
        return
    options: dict[str, Sequence[str] | None] = {}
    arguments: list[Sequence[str]] = []
    for each in command.params:
        found = _values_of(each, path, values)
        if each.param_type_name == "argument":
            arguments.append(found)
        else:
            options |= dict.fromkeys((*each.opts, *each.secondary_opts), None if each.is_flag else found)
    subcommands = {"chaos": LAB, "bench": BENCH}.get(" ".join(path), ())
    yield CommandWords(path=path, subcommands=subcommands, options={**options, "--help": None}, arguments=arguments)


def _values_of(parameter: Any, path: tuple[str, ...], values: Mapping[str, Sequence[str]]) -> Sequence[str]:
    kind = parameter.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(each.value) for each in kind]
    if isinstance(kind, type) and issubclass(kind, Path):
        return (FILES,)
    return values.get(f"{path[0]} {parameter.name}", values.get(parameter.name, ()))


def _table(words: Sequence[CommandWords]) -> Iterator[tuple[str, Sequence[str]]]:
    """What is offered, by `kind command` and the number of an argument or the name of an option."""
    for each in words:
        path = " ".join(each.path)
        if each.subcommands:
            yield f"commands {path}", each.subcommands
        yield f"options {path}", list(each.options)
        for option, taken in each.options.items():
            if taken is not None:
                yield f"value {path} {option}", taken
        for number, taken in enumerate(each.arguments):
            if taken:
                yield f"argument {path} {number}", taken


def _cases(words: Sequence[CommandWords]) -> str:
    """The table as a function of bash and zsh: prints the words, fails for what is not in it."""
    lines = [f"    {shlex.quote(key)}) echo {shlex.quote(' '.join(offered))} ;;" for key, offered in _table(words)]
    return "\n".join(["_photomat_words() {", '  case "$1" in', *lines, "    *) return 1 ;;", "  esac", "}"])


BASH: Final = """
_photomat() {
  local cur="${COMP_WORDS[COMP_CWORD]}" path="" at=0 value="" word offered i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ "$word" == "=" ]]; then continue; fi
    if [[ -n "$value" ]]; then value=""; continue; fi
    if [[ "$word" == -* ]]; then
      if _photomat_words "value $path $word" >/dev/null; then value="value $path $word"; fi
    elif offered="$(_photomat_words "commands $path")" && [[ " $offered " == *" $word "* ]]; then
      path="${path:+$path }$word"
    else
      at=$((at + 1))
    fi
  done
  [[ "$cur" == "=" ]] && cur=""
  if [[ -n "$value" ]]; then
    offered="$(_photomat_words "$value")"
  elif [[ "$cur" == -* ]]; then
    offered="$(_photomat_words "options $path")"
  else
    offered="$(_photomat_words "commands $path" || _photomat_words "argument $path $at")"
  fi
  if [[ "$offered" == "@files" ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$offered" -- "$cur"))
  fi
}
complete -F _photomat photomat
"""
ZSH: Final = """
_photomat() {
  local cur="${words[CURRENT]}" cmd="" at=0 value="" word offered i
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    if [[ -n "$value" ]]; then value=""; continue; fi
    if [[ "$word" == -* ]]; then
      if _photomat_words "value $cmd $word" >/dev/null; then value="value $cmd $word"; fi
    elif offered="$(_photomat_words "commands $cmd")" && [[ " $offered " == *" $word "* ]]; then
      cmd="${cmd:+$cmd }$word"
    else
      at=$((at + 1))
    fi
  done
  if [[ -n "$value" ]]; then
    offered="$(_photomat_words "$value")"
  elif [[ "$cur" == -* ]]; then
    offered="$(_photomat_words "options $cmd")"
  else
    offered="$(_photomat_words "commands $cmd" || _photomat_words "argument $cmd $at")"
  fi
  if [[ "$offered" == "@files" ]]; then
    _files
  else
    compadd -- ${=offered}
  fi
}
if [[ "$funcstack[1]" == "_photomat" ]]; then
  _photomat "$@"
else
  compdef _photomat photomat
fi
"""
FISH: Final = """
function __photomat_complete
  set -l cmd
  set -l at 0
  set -l value
  for word in (commandline -opc)[2..]
    if set -q value[1]
      set -e value
    else if string match -q -- '-*' $word
      if __photomat_words "value $cmd $word" >/dev/null
        set value "value $cmd $word"
      end
    else if contains -- $word (__photomat_words "commands $cmd")
      set cmd (string join ' ' -- $cmd $word)
    else
      set at (math $at + 1)
    end
  end
  set -l offered
  if set -q value[1]
    set offered (__photomat_words $value)
  else if string match -q -- '-*' (commandline -ct)
    set offered (__photomat_words "options $cmd")
  else
    set offered (__photomat_words "commands $cmd"; or __photomat_words "argument $cmd $at")
  end
  if test "$offered" = "@files"
    __fish_complete_path (commandline -ct)
  else
    string join -- \\n $offered
  end
end
complete -c photomat -e
complete -c photomat -f -a '(__photomat_complete)'
"""


def _bash(words: Sequence[CommandWords]) -> str:
    return f"# Completion of photomat for bash, written by `photomat completion bash`.\n{_cases(words)}\n{BASH}"


def _zsh(words: Sequence[CommandWords]) -> str:
    return f"#compdef photomat\n# Written by `photomat completion zsh`.\n{_cases(words)}\n{ZSH}"


def _fish(words: Sequence[CommandWords]) -> str:
    cases = [
        f"    case {shlex.quote(key)}\n      printf '%s\\n' {' '.join(map(shlex.quote, offered))}"
        for key, offered in _table(words)
    ]
    lines = ["function __photomat_words", "  switch $argv[1]", *cases, "    case '*'\n      return 1", "  end", "end"]
    return "# Completion of photomat for fish, written by `photomat completion fish`.\n" + "\n".join(lines) + FISH


RENDERED: Final[Mapping[Shell, Callable[[Sequence[CommandWords]], str]]] = {
    Shell.BASH: _bash,
    Shell.ZSH: _zsh,
    Shell.FISH: _fish,
}
