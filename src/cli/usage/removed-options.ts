const removedBell =
  'It was removed: a terminal rings by itself when the phone needs help, and at the end. Leave it out.';

const removedInvert =
  'It was removed, since the terminal is asked for its background: leave it out, and press s if the camera reads nothing.';

const goesWithWatch = 'Use botctl device watch.';

const removedBlink =
  'It was removed: cut a connection with botctl sandbox phone offline, and bring it back with phone online.';

const removedLatency =
  'It was removed: let requests wait with botctl sandbox fault add "* /**" --delay 80ms.';

const removedLog = 'It was removed: read the requests with botctl sandbox log --follow -o ndjson.';

const removedLogSize = 'It was removed, since the log keeps 64 MiB: leave it out.';

const removedMetrics = 'It was removed: read the requests with botctl sandbox log -o ndjson, and /readyz.';

const removedQrDelay = 'It was removed, since a connected device has a code at once: leave it out.';

const removedQrStyle = 'It was removed, since codes are drawn in one style: leave it out.';

const removedPerPage = 'It was removed: --limit says how many rows, with --page on each page.';

/**
 * Options that versions before 1.0.0 had, by command and flag, with what to do without them. An option that every command
 * took stands alone: `--confirm-profile`.
 */
export const removedOptions: Readonly<Record<string, string>> = {
  '--confirm-profile': 'It is --confirm NAME now, given once for each question.',
  'bots list --per-page': removedPerPage,
  'campaigns create --warm-up': 'Give its numbers to --daily: --daily 20,50,100,200.',
  'campaigns test --row':
    'It was removed: the message of the first planned row is sent. botctl campaigns results shows that of each row.',
  'device connect --bell': removedBell,
  'device connect --qr-invert': removedInvert,
  'device connect --rounds':
    'It was removed: new codes are asked for up to three times. --timeout sets how long to try.',
  'device repair --bell': removedBell,
  'device repair --qr-invert': removedInvert,
  'device status --bell': removedBell,
  'device status --expect': goesWithWatch,
  'device status --no-qr': goesWithWatch,
  'device status --qr': goesWithWatch,
  'device status --qr-file': goesWithWatch,
  'device status --qr-invert': removedInvert,
  'device status --qr-web': goesWithWatch,
  'device status --timeout': goesWithWatch,
  'device status -w': goesWithWatch,
  'device watch --bell': removedBell,
  'device watch --qr-invert': removedInvert,
  'docs count --count-mode':
    'It was removed, since every command counts a run of white space as one: leave it out.',
  'docs count --fail-empty-pages':
    'It was removed: the field empty_pages lists the pages without text, as in --fields path,empty_pages.',
  'docs count --pages':
    'It was removed: the field pages has their number, and empty_pages lists those without text.',
  'docs list --per-page': removedPerPage,
  'docs sync --checksum': 'It was removed, since every file is read anyway: leave it out.',
  'docs sync --count-mode':
    'It was removed, since every command counts a run of white space as one: leave it out.',
  'docs sync --fail-empty-pages': 'It was removed: botctl docs count lists the pages without text.',
  'docs sync --no-retire':
    'It was removed, so that names stay unique: the document before is always renamed.',
  'docs sync --retire': 'It was removed, since the document before is always renamed: leave it out.',
  'docs sync --retire-as': 'It was removed: the document before is renamed "{name} (until {date})".',
  'docs sync --retry-refused':
    'It was removed: save the file again, and it is read again. --exclude leaves it out.',
  'docs sync --settle': 'It was removed: a lost upload is waited for, for a minute. Leave it out.',
  'docs upload --count-mode':
    'It was removed, since every command counts a run of white space as one: leave it out.',
  'docs upload --fail-empty-pages': 'It was removed: botctl docs count lists the pages without text.',
  'docs upload --settle': 'It was removed: a lost upload is waited for, for a minute. Leave it out.',
  'doctor --max-requests': 'It was removed, since a run makes 80 requests at most: leave it out.',
  'doctor --report': 'It was removed. Write the rows to a file: botctl doctor --learn -o json > FILE',
  'doctor --resume': 'It was removed, since each run asks for everything: leave it out.',
  'keys rotate --show-secret':
    'It was removed: --secret-file writes the new secret to a file, and --then hands it to a command.',
  'login --key-secret-stdin': 'It was removed: --key-secret-file - reads stdin.',
  'sandbox run --blink': removedBlink,
  'sandbox run --latency': removedLatency,
  'sandbox run --log': removedLog,
  'sandbox run --log-size': removedLogSize,
  'sandbox run --metrics': removedMetrics,
  'sandbox run --qr-delay': removedQrDelay,
  'sandbox run --qr-style': removedQrStyle,
  'sandbox start --behind-proxy': 'It was removed: --insecure-http serves a proxy that ends TLS as well.',
  'sandbox start --blink': removedBlink,
  'sandbox start --drain-delay':
    'It was removed: calls are served for 5 s longer if other machines reach the sandbox. Leave it out.',
  'sandbox start --latency': removedLatency,
  'sandbox start --log': removedLog,
  'sandbox start --log-size': removedLogSize,
  'sandbox start --metrics': removedMetrics,
  'sandbox start --qr-delay': removedQrDelay,
  'sandbox start --qr-style': removedQrStyle,
  'sandbox status --all': 'It was removed: botctl profiles list shows the address of each sandbox.',
  'teams list --per-page': removedPerPage,
  'teams update --unban': 'Use --no-ban.',
  'tenants apply --concurrency':
    'It was removed: four tenants are applied at a time. --max-rps limits requests.',
  'tenants apply --discard-tokens': 'It is called --discard-token now, as with device create.',
  'tenants apply --lock-timeout':
    'It was removed: run one apply at a time, in a concurrency group of your CI, as botctl help tenants-ci shows.',
  'tenants apply --settle': 'It was removed: a lost create is waited for, for a minute. Leave it out.',
  'tenants plan --check-drift':
    'It was removed: --check lists what was changed in the service, and ends with 11 for it.',
  'tenants plan --max-bytes':
    'It was removed: Markdown has 60,000 bytes at most, as comments on GitHub may have.',
  'token --force': 'It is called --show-token now, as with device create.',
};
