/**
 * Options that versions before 1.0.0 had, by command and flag, with what to do without them. An option that every command
 * took stands alone: `--confirm-profile`.
 */
export const removedOptions: Readonly<Record<string, string>> = {
  'docs sync --checksum': 'It was removed, since every file is read anyway: leave it out.',
  'doctor --resume': 'It was removed, since each run asks for everything: leave it out.',
};
