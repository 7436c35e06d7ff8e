/** A file to upload. It is streamed from disk. */
export interface UploadFile {
  readonly path: string;
  /** File name as the service shall know it. */
  readonly name: string;
  /** Media type of the part. */
  readonly type: string;
  /** Is told how many bytes of the file are on their way; a repetition of the call starts from the beginning. */
  readonly onSent?: ((bytes: number) => void) | undefined;
}
