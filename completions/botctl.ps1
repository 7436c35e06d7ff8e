# Completion of botctl for PowerShell. Untested.
# In $PROFILE: botctl completion powershell | Out-String | Invoke-Expression

# Returns a word as the shell will take it: without its quotes, the last of which may be open.
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
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $current = __BotctlTyped "$wordToComplete"
    # Before 7.3 the shell drops an empty argument, and breaks one with a double quote or a backslash at its end.
    $isExact = $PSNativeCommandArgumentPassing -in 'Standard', 'Windows'
    $words += if ($current -eq '' -and -not $isExact) { '""' } else { $current }
    $lines = @(botctl __complete -- @words 2>$null)
    if ($lines.Count -eq 0) { return }
    if ($lines[-1] -eq ':files') {
        $prefix = if ($current -match '^--[^=]*=') { $Matches[0] } else { '' }
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring($prefix.Length)) | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new("$prefix$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
        }
        return
    }
    foreach ($line in $lines) {
        $value, $note = $line -split "`t", 2
        if ($null -eq $note -or -not $value.StartsWith($current, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        if (-not $isExact -and $value -match '"|\\$') { continue }
        $tip = if ($note) { $note } else { $value }
        [System.Management.Automation.CompletionResult]::new((__BotctlQuote $value), $value, 'ParameterValue', $tip)
    }
}
