# Offers the names of the noun $1 that this machine has seen. The rest of the arguments is the line so far.
__botctl_names() {
  local noun=$1 expl
  local -a rows found notes
  shift
  rows=("${(@f)$(command botctl completion --names $noun "--word=${(Q)PREFIX}" "$@" 2>/dev/null)}")
  rows=("${(@)rows:#}")
  found=("${(@)rows%%$'\t'*}")
  notes=("${(@)rows/$'\t'/  -- }")
  _wanted names expl $noun compadd -l -d notes -a found
}

_botctl() {
  local trail='' takes='' ended='' word pending
  local -i place=0
  local -a verbs names flags choices line waiting
  line=("${(@Q)words[2,CURRENT-1]}")

  # What the words before have led to.
  for word in "${line[@]}"; do
    __botctl_place "$trail"
    names=("${(@)verbs%%:*}")
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=yes
    elif [[ -z $ended && $word == -?* ]]; then
      __botctl_takes "$trail" "$word"
      [[ $takes == flag ]] || pending=$takes waiting=("${choices[@]}")
    elif (( place == 0 && ${names[(Ie)$word]} )); then
      trail="${trail:+$trail }$word"
    else
      (( place += 1 ))
    fi
  done

  # What may stand here.
  __botctl_place "$trail"
  if [[ -n $pending ]]; then
    takes=$pending choices=("${waiting[@]}")
  elif [[ -z $ended && $PREFIX == --*=* ]]; then
    __botctl_takes "$trail" "${PREFIX%%=*}"
    compset -P 1 '*='
  elif [[ -z $ended && $PREFIX == -* ]]; then
    takes=flags
  elif (( place == 0 && $#verbs )); then
    takes=verbs
  else
    __botctl_takes "$trail" $(( place + 1 ))
    [[ -n $takes ]] || __botctl_takes "$trail" more
    [[ -n $takes ]] || takes=flags
  fi

  case $takes in
    verbs) _describe -t commands command verbs ;;
    flags) _describe -o -t options option flags ;;
    words) _describe -t values value choices ;;
    list)
      # Each is taken once.
      if [[ $PREFIX == *,* ]]; then
        for word in "${(@s:,:)${${PREFIX%,*}//[\"\']/}}"; do choices=("${(@)choices:#${word}(|:*)}"); done
      fi
      compset -P '*,'
      _describe -t values value choices -q -S ,
      ;;
    order)
      if compset -P '*:'; then
        choices=('asc:the smallest first' 'desc:the largest first')
        _describe -t values order choices
      else
        _describe -t values field choices -S ''
      fi
      ;;
    pair)
      if compset -P '*='; then _message value; else _describe -t values name choices -S =; fi
      ;;
    names) __botctl_names "${choices[1]}" "${line[@]}" ;;
    file) _files ;;
    text) _message value ;;
  esac
}

if [[ ${funcstack[1]} == _botctl ]]; then
  # Found in a directory of fpath: this file is the body of the first call.
  _botctl "$@"
elif (( $+functions[compdef] )); then
  compdef _botctl botctl
else
  print -u2 'botctl completion: this has to come after "autoload -Uz compinit && compinit".'
fi
