/**
 * Options that versions before 1.0.0 had, with what to do without them: by command and flag, by noun and flag if it is the
 * same for each of its commands, and a flag alone if every command took it.
 */
export const removedOptions: Readonly<Record<string, string>> = {
  '--confirm-profile': 'It is --confirm NAME now, given once for each question.',
  '--per-page': 'It was removed: --limit says how many rows.',
  'campaigns create --warm-up': 'Give its numbers to --daily: --daily 20,50,100,200.',
  'campaigns test --row':
    'It was removed: the message of the first planned row is sent. botctl campaigns results shows that of each row.',
  'device --bell':
    'It was removed: a terminal rings by itself when the phone needs help, and at the end. Leave it out.',
  'device --qr-invert':
    'It was removed, since the terminal is asked for its background: leave it out, and press s if the camera reads nothing.',
  'device connect --rounds':
    'It was removed: new codes are asked for up to three times. --timeout sets how long to try.',
  'device status --expect': 'Use botctl device watch.',
  'device status --no-qr': 'Use botctl device watch.',
  'device status --qr': 'Use botctl device watch.',
  'device status --qr-file': 'Use botctl device watch.',
  'device status --qr-web': 'Use botctl device watch.',
  'device status --timeout': 'Use botctl device watch.',
  'device status -w': 'Use botctl device watch.',
  'docs --count-mode':
    'It was removed, since every command counts a run of white space as one: leave it out.',
  'docs --settle': 'It was removed: a lost upload is waited for, for a minute. Leave it out.',
  'docs count --fail-empty-pages':
    'It was removed: the field empty_pages lists the pages without text, as in --fields path,empty_pages.',
  'docs count --pages':
    'It was removed: the field pages has their number, and empty_pages lists those without text.',
  'docs --fail-empty-pages': 'It was removed: botctl docs count lists the pages without text.',
  'docs sync --checksum': 'It was removed, since every file is read anyway: leave it out.',
  'docs sync --no-retire':
    'It was removed, so that names stay unique: the document before is always renamed.',
  'docs sync --retire': 'It was removed, since the document before is always renamed: leave it out.',
  'docs sync --retire-as': 'It was removed: the document before is renamed "{name} (until {date})".',
  'docs sync --retry-refused':
    'It was removed: save the file again, and it is read again. --exclude leaves it out.',
  'doctor --max-requests': 'It was removed, since a run makes 80 requests at most: leave it out.',
  'doctor --report': 'It was removed. Write the rows to a file: botctl doctor --learn -o json > FILE',
  'doctor --resume': 'It was removed, since each run asks for everything: leave it out.',
  'keys rotate --show-secret':
    'It was removed: --secret-file writes the new secret to a file, and --then hands it to a command.',
  'login --key-secret-stdin': 'It was removed: --key-secret-file - reads stdin.',
  'sandbox --blink':
    'It was removed: cut a connection with botctl sandbox phone offline, and bring it back with phone online.',
  'sandbox --latency':
    'It was removed: let requests wait with botctl sandbox fault add "* /**" --delay 80ms.',
  'sandbox --log': 'It was removed: read the requests with botctl sandbox log --follow -o ndjson.',
  'sandbox --log-size': 'It was removed, since the log keeps 64 MiB: leave it out.',
  'sandbox --metrics': 'It was removed: read the requests with botctl sandbox log -o ndjson, and /readyz.',
  'sandbox --qr-delay': 'It was removed, since a connected device has a code at once: leave it out.',
  'sandbox --qr-style': 'It was removed, since codes are drawn in one style: leave it out.',
  'sandbox start --behind-proxy': 'It was removed: --insecure-http serves a proxy that ends TLS as well.',
  'sandbox start --drain-delay':
    'It was removed: calls are served for 5 s longer if other machines reach the sandbox. Leave it out.',
  'sandbox status --all': 'It was removed: botctl profiles list shows the address of each sandbox.',
  'teams update --unban': 'Use --no-ban.',
  'tenants apply --concurrency':
    'It was removed: four tenants are applied at a time. --max-rps limits requests.',
  'tenants apply --discard-tokens': 'It is called --discard-token now, as with device create.',
  'tenants apply --lock-timeout':
    'It was removed: run one apply at a time, in a concurrency group of your CI, as botctl help tenants shows.',
  'tenants apply --settle': 'It was removed: a lost create is waited for, for a minute. Leave it out.',
  'tenants plan --check-drift':
    'It was removed: --check lists what was changed in the service, and ends with 11 for it.',
  'tenants plan --max-bytes':
    'It was removed: Markdown has 60,000 bytes at most, as comments on GitHub may have.',
  'token --force': 'It is called --show-token now, as with device create.',
};
