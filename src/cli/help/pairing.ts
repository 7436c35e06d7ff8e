import type { HelpPage } from './text.ts';

/** `botctl help pairing`. */
export const pairingPage: HelpPage = {
  title: 'Pairing a device',
  parts: [
    'botctl device connect draws the code on a screen of its own, and replaces it whenever the service does. The ' +
      'screen says what to tap, and how old the code is. When all codes have expired it starts over, --rounds times ' +
      '(3). With --expect another number than the one of the customer ends with exit code 13.',
    {
      heading: 'Keys of the screen',
      rows: [
        ['s', 'draw the code in another way that fits'],
        [
          'w',
          'show it on a web page that only this machine reaches; an ssh -L line leads to it from another (--qr-web)',
        ],
        ['f', 'keep its picture in a file, readable only by you, gone at the end (--qr-file pair.png)'],
        ['r', 'ask for a new code: disconnect, then connect'],
        ['q', 'leave; the device stays as it is'],
      ],
    },
    {
      heading: 'If it does not scan',
      rows: [
        [
          'the window is 80x24',
          'half blocks need 63 columns and 34 rows; newer terminals are sent finer characters, elsewhere the screen ' +
            'names the key that helps: s draws finer, w and f do not need the room',
        ],
        ['the camera', 's; on a light background without colours --qr-invert'],
        [
          'no colour, no UTF-8',
          'it is drawn all the same, larger if it must be; with TERM=dumb or off a terminal use --qr-web',
        ],
        ['a screen reader', 'ACCESSIBLE=1 or --no-qr: each change is a plain line'],
        ['the code is late', 'it waits, says so, and goes on; Ctrl-C or q leaves the device as it is'],
      ],
    },
    'In a script no code is shown, and without --wait the command ends with 0 as soon as the service has taken the ' +
      'call. device connect --wait -o ndjson prints an event for each change, and ends with 0 or 9; only --reveal-qr ' +
      'puts the code itself in. The last event always says how it ended.',
    {
      heading: 'Events',
      rows: [
        ['starting', 'started, and there is no code yet'],
        ['stopped', 'the device is not started'],
        ['code', 'a code to scan: its fingerprint and its age'],
        ['unreadable', 'there is a picture, and no code can be read from it'],
        ['scanned', 'a phone has scanned the code'],
        ['stalled', 'scanned long ago, and still not connected'],
        ['unreachable', 'the service could not be asked; the next try follows'],
        ['renewing', 'all codes have expired, and a new round begins'],
        ['connected', 'paired; the last event'],
        ['failed', 'ended without success, and because of what; the last event'],
        ['timeout', 'the time of --timeout is over; the last event'],
        ['cancelled', 'broken off by Ctrl-C, SIGTERM or q; the last event'],
      ],
    },
    'device status says where a device stands, and the next command:',
    {
      shell: `
$ botctl device status Reception
Name                    Reception
State                   ready
Verdict                 ready, paired as +5511912345678
Next                    –
Status                  started
Connected               yes
Logged in               yes
Phone number            +5511912345678
Message                 The device is connected.
Last disconnect reason  Connection was lost
Last disconnected       just now (2026-11-22T07:26:30Z)
Device                  edd796f1-2495-42aa-8010-c6e4e8b34f83
`,
    },
    'device repair frees a device whose state contradicts itself; it refuses if waiting is the right answer. device ' +
      'status --watch --all follows every device in a live table.',
    {
      shell: `
$ botctl device repair Reception
Reception is ready, paired as +5511912345678: there is nothing to repair. To
pair it again all the same: botctl device repair Reception --force
✓ Reception is connected as +5511912345678.
Event         connected
Evidence      –
Device        edd796f1-2495-42aa-8010-c6e4e8b34f83
Name          Reception
Phone number  +5511912345678
At            just now (2026-11-22T07:26:31Z)
`,
    },
    'The API cannot list devices, so botctl keeps a device book of those that it has made or met; device add and ' +
      'device forget change it.',
    {
      shell: `
$ botctl device list --fields name,team_name,bot_name,seen_at
NAME       TEAM           BOT         FIRST SEEN
Reception  Aurora Coffee  Front desk  9 seconds ago
`,
    },
  ],
};
