# Splits $1, the line up to the cursor, as the shell will. Sets words, without their quotes, the last being the
# one to complete; quote, the one that is still open; and head, how much of the last word readline keeps.
# Fails if the line holds $'...' or $"...", for readline then sees other quotes than the shell.
__botctl_split() {
  local line=$1 at=0 char next word='' inside='' kept=0
  words=() quote='' head=0
  while ((at < ${#line})); do
    char=${line:at:1} next=${line:at+1:1}
    ((at += 1))
    case $quote$char in
      "''" | '""') quote='' head=$kept ;;
      '"\')
        case $next in
          [\"\$\`\\]) word+=$next && ((at += 1)) ;;
          *) word+=$char ;;
        esac
        ;;
      [\'\"]?) word+=$char ;;
      ' ' | $'\t')
        [[ -n $inside ]] && words+=("$word")
        word='' inside='' head=0
        continue
        ;;
      \\) word+=$next && ((at += 1)) ;;
      [\'\"]) quote=$char kept=$head head=${#word} ;;
      *)
        [[ $char == \$ && $next == [\'\"] ]] && return 1
        word+=$char
        # Readline leaves the at sign and the dollar to the word that they begin.
        [[ $COMP_WORDBREAKS == *"$char"* ]] && case $char in
          @ | \$) head=$((${#word} - 1)) ;;
          *) head=${#word} ;;
        esac
        ;;
    esac
    inside=yes
  done
  words+=("$word")
}

# Sets text to $1, written so that the shell takes it back as it is. In an open quote it begins with that quote and
# ends with it: readline puts such a word in the place of the quote. It would take a quote that means something else
# for that one too, and M-* takes the open quote away in any case.
__botctl_quote() {
  local at char
  text=$quote
  for ((at = 0; at < ${#1}; at += 1)); do
    char=${1:at:1}
    case $quote$char in
      "''") text+="'\\''" ;;
      '""' | '"$' | '"`' | '"\') text+="\\$char" ;;
      # In double quotes nothing keeps it from the history of an interactive shell.
      '"!') text+='"\!"' ;;
      [\'\"]?) text+=$char ;;
      [[:space:][:cntrl:]\!\"\#\$\&\'\(\)\*\;\<\>\?\[\\\]\^\`\{\|\}\~]) text+="\\$char" ;;
      *) text+=$char ;;
    esac
  done
  text+=$quote
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
  __botctl_split "${COMP_LINE:0:COMP_POINT}" || return 0
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
      for word in ${takes#* }; do
        # Each is taken once.
        [[ ,$note == *",$word,"* ]] || __botctl_offer "$note$word"
      done
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
