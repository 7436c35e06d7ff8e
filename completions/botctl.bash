# Completion of botctl for bash 3.2 and newer. In ~/.bashrc: eval "$(botctl completion bash)"

# Splits the line up to the cursor as the shell will. Sets words, unquoted, the last being the one to complete; quote, the
# open one; head, the length of the part that readline keeps. Fails at $'' and $"", which readline reads otherwise.
__botctl_split() {
  local line=${COMP_LINE:0:COMP_POINT} at char next word='' inside='' kept=0
  words=() quote='' head=0
  for ((at = 0; at < ${#line}; at += 1)); do
    char=${line:at:1} next=${line:at+1:1}
    case $quote$char in
      [$' \t']) [[ -n $inside ]] && words+=("$word"); word='' inside='' head=0; continue ;;
      "''" | '""') quote='' head=$kept ;;
      [\'\"]) quote=$char kept=$head head=${#word} ;;
      \\ | '"\') [[ -n $quote && $next != [\"\$\`\\] ]] && word+=$char || { word+=$next; ((at += 1)); } ;;
      [\$@]) # Readline leaves these to the word that they begin.
        [[ $char$next == \$[\'\"] ]] && return 1
        [[ $COMP_WORDBREAKS == *"$char"* ]] && head=${#word}
        word+=$char ;;
      ?) word+=$char; [[ $COMP_WORDBREAKS == *"$char"* ]] && head=${#word} ;;
      *) word+=$char ;;
    esac
    inside=yes
  done
  words+=("$word")
}

# Offers $1 if it begins like the last word, written so that the shell takes it back as it is. In an open quote it begins
# and ends with that quote: readline replaces the quote by it, and M-* takes the open quote away.
__botctl_offer() {
  local text=$quote at char
  [[ $1 == "$current"* ]] || return 0
  for ((at = head; at < ${#1}; at += 1)); do
    char=${1:at:1}
    case $quote$char in
      "''") text+="'\\''" ;;
      '"!') text+='"\!"' ;; # In double quotes nothing keeps it from the history of an interactive shell.
      \"[\"\$\`\\] | [[:space:]\!\"\#\$\&\'\(\)\*\;\<\>\?\[\\\]\^\`\{\|\}\~]) text+="\\$char" ;;
      *) text+=$char ;;
    esac
  done
  COMPREPLY+=("$text$quote")
}

_botctl() {
  local IFS=$' \t\n' words quote head current line prefix=''
  COMPREPLY=()
  __botctl_split || return 0
  current=${words[${#words[@]} - 1]}
  [[ $current == --*=* ]] && prefix=${current%%=*}=
  while IFS= read -r line; do
    case $line in
      :nospace) compopt -o nospace 2>/dev/null ;;
      :files) # Readline completes files best, where it sees the path alone.
        ((head >= ${#prefix})) && compopt -o default 2>/dev/null && return
        while IFS= read -r line; do __botctl_offer "$prefix$line"; done < <(compgen -f -- "${current#"$prefix"}") ;;
      *) __botctl_offer "${line%%$'\t'*}" ;;
    esac
  done < <(command botctl __complete -- "${words[@]:1}" 2>/dev/null)
}

complete -F _botctl botctl
