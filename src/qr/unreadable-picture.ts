/** The reason that a picture can't be read. */
export type UnreadableReason =
  /** It is not a base64 data URL. */
  | 'notDataUrl'
  /** It is larger than any picture of a code. */
  | 'tooLarge'
  /** It is something other than a PNG. */
  | 'notPng'
  /** The PNG is truncated or inconsistent. */
  | 'damaged'
  /** It is a PNG without a readable QR code. */
  | 'noCode';

/** A picture that can't be read. The message completes "the picture …": "is a JPEG, not a PNG". */
export class UnreadablePicture extends Error {
  override readonly name = 'Unreadable';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
