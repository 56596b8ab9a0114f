# Completion for bash: options, names after options, files. Every list comes from the command itself.
# `make install` puts it where bash-completion finds it; or: source perm.bash
_perm()
{
  local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} names=
  if [[ $word == = ]]; then # --name=value comes as three words
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  [[ $before == : || $word == : ]] && return # numbers of a generator
  case $before in
    --method | --precision | --isa | --format | --list)
      case $before in
        --list) names="methods precisions isas formats generators options";;
        *) names=$("$command" --list "${before#--}s" 2>/dev/null | cut -f 1);;
      esac
      COMPREPLY=($(compgen -W "$names" -- "$word"))
      return;;
    --generate) # er:N:P as er:, to be gone on with
      COMPREPLY=($(compgen -W "$("$command" --list generators 2>/dev/null | sed 's/[:	].*//; t' |
        sort -u)" -- "$word"))
      names=$("$command" --list generators 2>/dev/null | sed -n 's/:.*/:/p')
      if [[ ${#COMPREPLY[@]} -eq 1 && $'\n'$names$'\n' == *$'\n'${COMPREPLY[0]}:$'\n'* ]]; then
        COMPREPLY=("${COMPREPLY[0]}:")
        compopt -o nospace 2>/dev/null
      fi
      return;;
    --gpus) COMPREPLY=($(compgen -W "all" -- "$word")); return;;
    --gpu-cache) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return;;
    --write | --spy | --polynomial | --checkpoint | --resume | --merge | --npy)
      compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return;;
  esac
  names=$("$command" --list options 2>/dev/null)
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(sed 's/[ [].*//' <<<"$names")" -- "$word"))
  elif [[ $before == --* && $'\n'$names == *$'\n'"$before "* ]]; then
    return # a number, which is the user's to give
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word") # formats are told by contents, so any name will do
  fi
}
complete -F _perm perm perm_gpu
# SPDX-License-Identifier: MIT
