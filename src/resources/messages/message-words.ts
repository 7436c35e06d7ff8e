/** Returns what is wrong with the way in which the words of a message are given; false for what is right. */
export function problemsOfWords({
  message,
  messageFile,
}: {
  readonly message?: string | undefined;
  readonly messageFile?: string | undefined;
}): readonly (string | false)[] {
  return [
    message !== undefined && messageFile !== undefined && 'Give --message or --message-file, not both.',
    message === '-' && 'A message of - alone is not sent: what is piped in goes with --message-file -',
  ];
}
