# Prints a word as the shell will take it: without its quotes, the last of which may still be open.
function __botctl_unquoted --argument-names typed
    string unescape -- "$typed"
    or string unescape -- "$typed\""
    or string unescape -- "$typed'"
    or printf '%s\n' "$typed"
end

# Prints what may stand in the place of the current word.
function __botctl_complete
    set -l line (commandline -opc)
    set -l typed (commandline -ct | string collect)
    set -l current (__botctl_unquoted "$typed" | string collect)
    set -e line[1]
    set -l trail ''
    set -l place 0
    set -l pending
    set -l ended
    set -l takes
    set -l prefix ''

    # What the words before have led to.
    for word in $line
        if set -q pending[1]
            set pending
        else if not set -q ended[1]; and test "$word" = --
            set ended yes
        else if not set -q ended[1]; and string match -q -- '-?*' "$word"
            set pending (__botctl_takes "$trail" "$word")
            test "$pending[1]" = flag; and set pending
        else if test $place -eq 0; and contains -- "$word" (__botctl_verbs "$trail" | string split -f 1 \t)
            set trail (string trim -- "$trail $word")
        else
            set place (math $place + 1)
        end
    end

    # What may stand here.
    if set -q pending[1]
        set takes $pending
    else if not set -q ended[1]; and string match -q -- '--*=*' "$current"
        set -l parts (string split -m 1 = -- "$current")
        set takes (__botctl_takes "$trail" "$parts[1]")
        set prefix "$parts[1]="
        set current "$parts[2]"
    else if not set -q ended[1]; and string match -q -- '-*' "$current"
        set takes words (__botctl_flags "$trail")
    else
        test $place -eq 0; and set takes words (__botctl_verbs "$trail")
        set -q takes[2]; or set takes (__botctl_takes "$trail" (math $place + 1))
        set -q takes[1]; or set takes (__botctl_takes "$trail" more)
        set -q takes[1]; or set takes words (__botctl_flags "$trail")
    end

    switch "$takes[1]"
        case words
            printf '%s\n' $prefix$takes[2..]
        case list
            set -l before (string match -r -- '.*,' "$current")
            set -l given (string split , -- "$before")
            for word in $takes[2..]
                # Each is taken once.
                contains -- (string replace -r '\t.*' '' -- $word) $given
                or printf '%s\n' $prefix"$before"$word
            end
        case order
            if string match -q -- '*:*' "$current"
                printf '%s\n' $prefix(string split -m 1 : -- "$current")[1]:{asc,desc}
            else
                printf '%s\n' $prefix$takes[2..]
            end
        case pair
            string match -q -- '*=*' "$current"
            or printf '%s\n' $prefix(string replace -r '\t|$' '=$0' -- $takes[2..])
        case names
            set -l names (command botctl completion --names $takes[2] "--word=$current" $line 2>/dev/null)
            # Where nothing is typed, fish writes a leading ~ as it is, for a home directory: there the id stands for it.
            test -n "$typed"
            or set names (string replace -r '^(~[^\t]*)\t([\w-]+)$' '$2\t$1' -- $names | string match -rv '^~')
            printf '%s\n' $prefix$names
        case file
            set -l files (__fish_complete_path "$current")
            printf '%s\n' $prefix$files
    end
end

complete -c botctl -e
complete -c botctl -f -a '(__botctl_complete)'
