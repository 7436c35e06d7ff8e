import type { HelpPage } from './text.ts';

/** `botctl help rehearsing`. */
export const rehearsingPage: HelpPage = {
  title: 'Rehearsing with the sandbox',
  parts: [
    'botctl sandbox start serves the whole API on a loopback port: every endpoint, rule, state and error of the ' +
      'specification, durable on disk (PostgreSQL in WebAssembly, each commit synced), one process at a time for a ' +
      'data directory. The AI provider and the messaging network behind it are simulated. botctl sandbox openapi ' +
      'prints what it serves as an OpenAPI 3.1 document.',
    'Its key is stored as the profile sandbox; in another terminal BOTCTL_PROFILE=sandbox is all that is needed. ' +
      'Without --phone manual a simulated phone scans each code about three seconds after it was first shown.',
    {
      heading: 'In another terminal',
      rows: [
        [
          'sandbox phone scan <png>',
          "let the phone scan a picture: a file, - for stdin, or --text for a terminal's screen; --stall leaves the " +
            'scan unconfirmed',
        ],
        ['sandbox phone unlink <device>', 'remove the device from the linked devices of its phone'],
        [
          'sandbox phone offline|online <device>',
          'cut its connection, and bring it back; online also confirms a stalled scan',
        ],
        ['sandbox phone takeover <device>', 'let another session take its place'],
        ['sandbox phone block|unblock <device>', 'let the messaging app block its number, and unblock it'],
        ['sandbox publish <bot>', 'publish a bot, which the API cannot'],
        ['sandbox clock advance 30s', 'set its clock forward: codes and tokens expire'],
        ['sandbox seed --teams 10 --bots 40 --docs 100', 'fill it'],
      ],
    },
    {
      shell: `
$ botctl sandbox phone offline Reception
✓ Reception is offline.
See it: botctl device status Reception
Device ID               edd796f1-2495-42aa-8010-c6e4e8b34f83
Name                    Reception
Status                  started
Connected               no
Logged in               yes
Blocked                 no
Last disconnect reason  Connection was lost
$ botctl sandbox phone online Reception
✓ Reception is connected.
See it: botctl device status Reception
Device ID               edd796f1-2495-42aa-8010-c6e4e8b34f83
Name                    Reception
Status                  started
Connected               yes
Logged in               yes
Blocked                 no
Last disconnect reason  Connection was lost
`,
    },
    'The first code of a connected device lives 60 s, five more live 20 s each; then the device is stopped with a ' +
      'reason. Scanning a dead code changes nothing. sandbox start --qr-delay 3s leaves a connected device without a ' +
      'code for that long, --blink takes it down for two seconds right after the scan ("515 restart required"), and ' +
      '--qr-style draws codes as other services do: palette, grey, rgb, green, blue, high (error correction), ' +
      'interlaced, transparent, inverted, small, narrow (margin), logo, or mixed, another one for each code. All ' +
      'times are those of the sandbox, which clock advance sets forward.',
    {
      heading: 'What the status of a device shows, its last_disconnect_reason in quotes, and what leads on',
      rows: [
        ['waits for a scan', 'started, with a qr_code; a scan leads on'],
        ['before its first code', 'started, without a qr_code (--qr-delay); time leads on'],
        ['no code was scanned', 'stopped, "QR refs attempts ended"; connect leads on'],
        ['paired', 'started, connected, logged_in, with its phone_number'],
        ['right after the scan', 'started, logged_in, "515 restart required" (--blink); time leads on'],
        ['scan not confirmed', 'started, logged_in (--stall); phone online leads on'],
        ['phone unlink', 'stopped, "401 logged out"; connect leads on'],
        ['phone offline', 'started, logged_in, "Connection was lost"; phone online leads on'],
        [
          'phone takeover',
          'started, logged_in, "440 conflict: replaced by another session"; disconnect and connect lead on',
        ],
        [
          'phone block',
          'started, logged_in, "402 temporarily banned", and send is FORBIDDEN; phone unblock leads on',
        ],
        ['disconnected', 'stopped, "Disconnected by request"; connect leads on'],
      ],
    },
    'connected, logged_in, qr_code and phone_number are false or absent unless named here; where no reason is named it ' +
      'is the one of before. Whatever happened, disconnecting a started device and connecting it leads to a new code. ' +
      'A blocked number stays blocked through that.',
  ],
};
