# Splits $1, the line up to the cursor, as the shell will. Sets words, without their quotes, the last being the
# one to complete; quote, the one that is still open; and head, how much of the last word readline keeps.
__botctl_split() {
  local line=$1 at=0 char next word='' inside=''
  words=() quote='' head=0
  while ((at < ${#line})); do
    char=${line:at:1} next=${line:at+1:1}
    ((at += 1))
    case $quote$char in
      "''" | '""') quote='' ;;
      '"\')
        case $next in
          [\"\$\`\\]) word+=$next && ((at += 1)) ;;
          *) word+=$char ;;
        esac
        ;;
      [\'\"]?) word+=$char ;;
      [[:blank:]])
        [[ -n $inside ]] && words+=("$word")
        word='' inside='' head=0
        continue
        ;;
      \\) word+=$next && ((at += 1)) ;;
      *)
        if [[ $char == [\'\"] ]]; then quote=$char; else word+=$char; fi
        [[ $char == [\'\"] || $COMP_WORDBREAKS == *"$char"* ]] && head=${#word}
        ;;
    esac
    inside=yes
  done
  words+=("$word")
}

# Sets text to $1, written so that the shell takes it back as it is, inside of the open quote if there is one.
__botctl_quote() {
  local at char
  if [[ -z $quote ]]; then
    printf -v text %q "$1"
    return
  fi
  text=''
  for ((at = 0; at < ${#1}; at += 1)); do
    char=${1:at:1}
    case $quote$char in
      "''") text+="'\\''" ;;
      '""' | '"$' | '"`' | '"\') text+="\\$char" ;;
      # In double quotes nothing keeps it from the history of an interactive shell.
      '"!') text+='"\!"' ;;
      *) text+=$char ;;
    esac
  done
  # Readline closes the quote, unless it takes the last character for that.
  [[ $text == *"$quote" ]] && text+=$quote
}

# Offers $1 in the place of the word, if it begins like it.
__botctl_offer() {
  local text whole=$prefix$1
  [[ $1 == "$current"* ]] || return 0
  __botctl_quote "${whole:head}"
  COMPREPLY+=("$text")
}

_botctl() {
  local IFS=$' \t\n' words=() quote='' head=0 verbs='' flags='' takes=''
  local trail='' place=0 pending='' ended='' index word note prefix='' current
  COMPREPLY=()
  __botctl_split "${COMP_LINE:0:COMP_POINT}"
  current=${words[${#words[@]} - 1]}

  # What the words before have led to.
  for ((index = 1; index < ${#words[@]} - 1; index += 1)); do
    word=${words[index]}
    __botctl_place "$trail"
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=yes
    elif [[ -z $ended && $word == -?* ]]; then
      __botctl_takes "$trail" "$word"
      [[ $takes == flag ]] || pending=$takes
    elif ((place == 0)) && [[ -n $word && $word != *' '* && " $verbs " == *" $word "* ]]; then
      trail=${trail:+$trail }$word
    else
      ((place += 1))
    fi
  done

  # What may stand here.
  __botctl_place "$trail"
  if [[ -n $pending ]]; then
    takes=$pending
  elif [[ -z $ended && $current == --*=* ]]; then
    __botctl_takes "$trail" "${current%%=*}"
    prefix=${current%%=*}= current=${current#*=}
  elif [[ -z $ended && $current == -* ]]; then
    takes="words $flags"
  elif ((place == 0)) && [[ -n $verbs ]]; then
    takes="words $verbs"
  else
    __botctl_takes "$trail" "$((place + 1))"
    [[ -n $takes ]] || __botctl_takes "$trail" more
    [[ -n $takes ]] || takes="words $flags"
  fi

  case $takes in
    words\ *)
      for word in ${takes#* }; do __botctl_offer "$word"; done
      ;;
    list\ *)
      [[ $current == *,* ]] && note=${current%,*}, || note=''
      for word in ${takes#* }; do __botctl_offer "$note$word"; done
      compopt -o nospace 2>/dev/null
      ;;
    order\ *)
      for word in ${takes#* }; do
        __botctl_offer "$word"
        [[ $current == *:* ]] && __botctl_offer "$word:asc" && __botctl_offer "$word:desc"
      done
      compopt -o nospace 2>/dev/null
      ;;
    pair\ *)
      [[ $current == *=* ]] || for word in ${takes#* }; do __botctl_offer "$word="; done
      compopt -o nospace 2>/dev/null
      ;;
    names\ *)
      while IFS=$'\t' read -r word note; do
        __botctl_offer "$word"
      done < <(command botctl completion --names "${takes#* }" "--word=$current" "${words[@]:1}" 2>/dev/null)
      ;;
    file)
      # Readline knows best how to complete files, where it sees the path alone.
      ((head >= ${#prefix})) && compopt -o default 2>/dev/null && return
      while read -r word; do __botctl_offer "$word"; done < <(compgen -f -- "$current")
      ;;
  esac
}

complete -F _botctl botctl
