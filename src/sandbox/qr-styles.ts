/**
 * The ways in which services draw pairing codes, as seen in the field. `plain` is the
 * default; `mixed` takes another one for each code.
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

/** A style of the picture of a code. */
export type QrStyle = (typeof qrStyles)[number];

/** The choice of a sandbox: always the same style, or one after the other. */
export type QrStyleChoice = QrStyle | 'mixed';
