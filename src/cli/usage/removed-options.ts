/**
 * Options that versions before 1.0.0 had, and what to do without them. The key is a command and a flag, a noun and a flag if all
 * its commands had it, or a flag alone if every command had it.
 */
export const removedOptions: Readonly<Record<string, string>> = {
  '--confirm-profile': 'Use --confirm NAME, once for each question.',
  '--per-page': 'It was removed: use --limit.',
  'campaigns create --warm-up': 'Use --daily with a number per day: --daily 20,50,100,200.',
  'campaigns test --row':
    'It was removed: the message of the first planned row is sent. To see the message of every row: botctl campaigns results',
  'device --bell':
    'It was removed: the terminal always rings when the phone needs help, and at the end. Leave it out.',
  'device --qr-invert':
    'It was removed: botctl detects the background of the terminal. Leave it out, and press s if the phone cannot read the code.',
  'device connect --rounds':
    'It was removed: botctl requests new codes up to three times. --timeout limits the time.',
  'docs --count-mode':
    'It was removed: every command counts a run of white space as one character. Leave it out.',
  'docs --settle': 'It was removed: botctl waits one minute for a lost upload. Leave it out.',
  'docs count --fail-empty-pages':
    'It was removed: the field empty_pages lists the pages without text, as in --fields path,empty_pages.',
  'docs count --pages':
    'It was removed: the field pages has the number of pages, and empty_pages lists those without text.',
  'docs --fail-empty-pages': 'It was removed: botctl docs count lists the pages without text.',
  'docs sync --checksum': 'It was removed: every file is read anyway. Leave it out.',
  'docs sync --no-retire':
    'It was removed: the previous document is always renamed, so that names stay unique.',
  'docs sync --retire': 'It was removed: the previous document is always renamed. Leave it out.',
  'docs sync --retire-as': 'It was removed: the previous document is renamed "{name} (until {date})".',
  'docs sync --retry-refused':
    'It was removed: save the file to have it read again, or leave it out with --exclude.',
  'doctor --max-requests': 'It was removed: a run makes at most 80 requests. Leave it out.',
  'doctor --report': 'It was removed. Write the rows to a file: botctl doctor --learn -o json > FILE',
  'doctor --resume': 'It was removed: each run checks everything. Leave it out.',
  'keys rotate --show-secret':
    'It was removed: --secret-file writes the new secret to a file, and --then passes it to a command.',
  'login --key-secret-stdin': 'It was removed: --key-secret-file - reads stdin.',
  'sandbox --blink':
    'It was removed: disconnect with botctl sandbox phone offline, and reconnect with botctl sandbox phone online.',
  'sandbox --latency': 'It was removed: delay requests with botctl sandbox fault add "* /**" --delay 80ms.',
  'sandbox --log': 'It was removed: read the requests with botctl sandbox log --follow -o ndjson.',
  'sandbox --log-size': 'It was removed: the log keeps 64 MiB. Leave it out.',
  'sandbox --metrics': 'It was removed: read the requests with botctl sandbox log -o ndjson, and /readyz.',
  'sandbox --qr-delay': 'It was removed: a connecting device has a code at once. Leave it out.',
  'sandbox --qr-style': 'It was removed: codes are drawn in one style. Leave it out.',
  'sandbox start --behind-proxy':
    'It was removed: use --insecure-http, also behind a proxy that terminates TLS.',
  'sandbox start --drain-delay':
    'It was removed: if other machines can reach the sandbox, it serves calls for 5 more seconds. Leave it out.',
  'sandbox status --all': 'It was removed: botctl profiles list shows the address of each sandbox.',
  'teams update --unban': 'Use --no-ban.',
  'tenants apply --concurrency':
    'It was removed: botctl applies four tenants at a time. --max-rps limits requests.',
  'tenants apply --discard-tokens': 'It was renamed: use --discard-token, as with device create.',
  'tenants apply --lock-timeout':
    'It was removed: run one apply at a time, in a concurrency group of your CI, as botctl help tenants shows.',
  'tenants apply --settle': 'It was removed: botctl waits one minute for a lost create. Leave it out.',
  'tenants plan --check-drift':
    'It was removed: --check lists changes made in the service, and exits with 11.',
  'tenants plan --max-bytes':
    'It was removed: Markdown has at most 60,000 bytes, the limit of GitHub comments.',
  'token --force': 'It was renamed: use --show-token, as with device create.',
};
