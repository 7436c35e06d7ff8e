# Completion of botctl for fish. In config.fish: botctl completion fish | source

# Prints a word without its quotes, the last of which may be open.
function __botctl_unquoted --argument-names typed
    string unescape -- "$typed"
    or string unescape -- "$typed\""
    or string unescape -- "$typed'"
    or printf '%s\n' "$typed"
end

function __botctl_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct | string collect)
    set -l current (__botctl_unquoted "$typed" | string collect)
    set -l lines (command botctl __complete -- $words[2..] "$current" 2>/dev/null)
    if test "$lines[-1]" = :files
        set -l option (string match -r -- '^--[^=]*=' "$current")
        set -l files (__fish_complete_path (string replace -- "$option" '' "$current"))
        printf '%s\n' "$option"$files
    else
        string match -- "*"\t"*" $lines
    end
end

complete -c botctl -e
complete -c botctl -f -a '(__botctl_complete)'
