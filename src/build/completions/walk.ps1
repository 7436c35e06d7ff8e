# The current word as the shell will take it: without its quotes, the last of which may still be open.
function __BotctlTyped([string]$word) {
    $parts = [regex]::Matches($word, '''(?:[^'']|'''')*''?|"(?:[^"`]|`.|"")*"?|`.|.') | ForEach-Object {
        $part = $_.Value
        if ($part[0] -eq "'") { $part.Substring(1) -replace "'('?)", '$1' }
        elseif ($part[0] -eq '"') { $part.Substring(1) -replace '`(.)|"("?)', '$1$2' }
        elseif ($part[0] -eq '`') { $part.Substring(1) }
        else { $part }
    }
    return -join $parts
}

# Writes a word so that the shell takes it back as it is. Bare, an @ at the beginning would name a variable.
function __BotctlQuote([string]$text) {
    if ($text -match '^[\w/-][\w./:@%+=-]*$') { return $text }
    return "'" + ($text -replace "['\u2018\u2019\u201a\u201b]", '$0$0') + "'"
}

Register-ArgumentCompleter -Native -CommandName botctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $current = __BotctlTyped "$wordToComplete"
    $trail = ''
    $place = 0
    $pending = $null
    $ended = $false
    $prefix = ''

    # What the words before have led to.
    foreach ($word in $line) {
        if ($pending) {
            $pending = $null
        } elseif (-not $ended -and $word -ceq '--') {
            $ended = $true
        } elseif (-not $ended -and $word -like '-?*') {
            $takes = @(__BotctlTakes $trail $word)
            if ($takes.Count -gt 0 -and $takes[0] -ne 'flag') { $pending = $takes }
        } elseif ($place -eq 0 -and @(__BotctlVerbs $trail | ForEach-Object { ($_ -split "`t")[0] }) -ccontains $word) {
            $trail = "$trail $word".Trim()
        } else {
            $place += 1
        }
    }

    # What may stand here.
    if ($pending) {
        $takes = $pending
    } elseif (-not $ended -and $current -like '--*=*') {
        $option, $current = $current -split '=', 2
        $takes = @(__BotctlTakes $trail $option)
        $prefix = "$option="
    } elseif (-not $ended -and $current -like '-*') {
        $takes = @('words') + @(__BotctlFlags $trail)
    } else {
        $takes = @()
        if ($place -eq 0) { $takes = @(__BotctlVerbs $trail) }
        if ($takes.Count -gt 0) { $takes = @('words') + $takes }
        else { $takes = @(__BotctlTakes $trail "$($place + 1)") }
        if ($takes.Count -eq 0) { $takes = @(__BotctlTakes $trail 'more') }
        if ($takes.Count -eq 0) { $takes = @('words') + @(__BotctlFlags $trail) }
    }
    if ($takes.Count -eq 0) { return }

    $kind, $offers = $takes
    if ($kind -eq 'file') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new("$prefix$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
        }
        return
    }
    if ($kind -eq 'names') { $offers = @(botctl completion --names $offers "--word=$current" @line 2>$null) }
    if ($kind -eq 'order' -and $current.Contains(':')) {
        $field = ($current -split ':', 2)[0]
        $offers = "${field}:asc", "${field}:desc"
    }
    if ($kind -eq 'pair') { $offers = @($offers | ForEach-Object { $_ -replace '^[^\t]+', '$0=' }) }
    $before = if ($kind -eq 'list' -and $current.Contains(',')) { $current.Substring(0, $current.LastIndexOf(',') + 1) } else { '' }
    foreach ($offer in $offers) {
        $text, $note = $offer -split "`t", 2
        # Each of a list is taken once.
        if ($before -and ($before -split ',') -ccontains $text) { continue }
        if (-not "$before$text".StartsWith($current, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        $tip = if ($note) { $note } else { $text }
        $written = "$before$text"
        if ($text -match '"|\\$') {
            # Before 7.3 these may break the word on its way to the program: the id stands for it, if there is one.
            if ($note -notmatch '^[\w-]+$') { continue }
            $written = $note
        }
        [System.Management.Automation.CompletionResult]::new((__BotctlQuote "$prefix$written"), $text, 'ParameterValue', $tip)
    }
}
