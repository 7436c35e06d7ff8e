/** The reason that a picture can't be read. */
export type UnreadableReason =
  /** It is not a base64 data URL. */
  | 'notDataUrl'
  /** It is larger than any picture of a code has to be. */
  | 'tooLarge'
  /** It is something other than a PNG. */
  | 'notPng'
  /** The PNG is cut off, or its parts contradict each other. */
  | 'damaged'
  /** It is a PNG, and shows no QR code that can be read. */
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
