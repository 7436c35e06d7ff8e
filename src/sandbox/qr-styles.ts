/**
 * The ways in which services draw pairing codes, as seen in the field. `plain` is the one that is drawn where
 * nothing else is asked for; `mixed` takes another one for each code.
 */
export const qrStyles = [
  'plain',
  'palette',
  'grey',
  'rgb',
  'green',
  'blue',
  'high',
  'interlaced',
  'transparent',
  'inverted',
  'small',
  'narrow',
  'logo',
] as const;

/** How the picture of a code looks. */
export type QrStyle = (typeof qrStyles)[number];

/** What a sandbox draws: always the same, or one after the other. */
export type QrStyleChoice = QrStyle | 'mixed';
