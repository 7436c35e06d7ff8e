import type { HelpPage } from './text.ts';

/** `botctl help secrets`. */
export const secretsPage: HelpPage = {
  title: 'Secrets, and other safeguards',
  parts: [
    'Secrets enter by a hidden question, stdin, a file or the environment, never by an option that takes the value, ' +
      'which other users could read in the list of processes. They are kept in a 0600 file in a 0700 directory below ' +
      'the configuration directory of your system.',
    'Secrets leave only where they are the result: keys create and keys rotate (with --secret-file or --show-secret ' +
      'off a terminal), token, device create --show-token, sandbox start, and the bodies that api prints as they ' +
      'come. Every other stream masks them by kind and by value, also encoded, --debug included.',
    'A bearer token goes to its own origin only, is dropped on a redirect to another host, and never travels over ' +
      'plain http beyond this machine, unless --insecure-http says so.',
    'A QR code is a secret: the person who scans it has the device. It is drawn only on a terminal, and printed only with ' +
      '--reveal-qr. The page of --qr-web is on the loopback address, behind a key in its address.',
    'What others wrote (names, messages, errors of the service) cannot move your cursor or write your clipboard: ' +
      'control characters, bidi overrides and terminal sequences are taken out on the way to a terminal. JSON ' +
      'escapes them and loses nothing.',
    'Nothing is destroyed by a slip: y/N defaults to no, a name has to be typed for what cannot be undone, and no ' +
      'terminal never means yes. No telemetry, no update check.',
  ],
};
