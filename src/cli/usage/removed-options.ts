const removedBell =
  'It was removed: a terminal rings by itself when the phone needs help, and at the end. Leave it out.';

const removedInvert =
  'It was removed, since the terminal is asked for its background: leave it out, and press s if the camera reads nothing.';

/**
 * Options that versions before 1.0.0 had, by command and flag, with what to do without them. An option that every command
 * took stands alone: `--confirm-profile`.
 */
export const removedOptions: Readonly<Record<string, string>> = {
  'device connect --bell': removedBell,
  'device connect --qr-invert': removedInvert,
  'device connect --rounds':
    'It was removed: new codes are asked for up to three times. --timeout sets how long to try.',
  'device repair --bell': removedBell,
  'device repair --qr-invert': removedInvert,
  'device status --bell': removedBell,
  'device status --qr-invert': removedInvert,
  'docs sync --checksum': 'It was removed, since every file is read anyway: leave it out.',
  'doctor --resume': 'It was removed, since each run asks for everything: leave it out.',
};
