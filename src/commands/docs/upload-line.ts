import type { FileChoice } from '../../documents/find-files.ts';
import type { NameBy } from '../../documents/upload/document-names.ts';

/** What was typed beside the paths, with the team as it can be typed again. */
export interface UploadLine extends FileChoice {
  readonly team: string;
  readonly nameBy: NameBy;
  readonly asText: readonly string[];
  readonly passwordStdin: boolean;
  readonly concurrency: number | undefined;
  readonly retryUnknown: boolean;
  readonly ifAbsent: boolean;
}

/** Returns the options of an upload of several files as they are typed, for a line that does the rest. */
export function lineOptions(line: UploadLine): readonly string[] {
  const { asText, include, exclude, nameBy, concurrency } = line;
  const each = (option: string, values: readonly string[]): readonly string[] =>
    values.flatMap((value) => [option, value]);
  const flag = (option: string, isSet: boolean): readonly string[] => (isSet ? [option] : []);
  return [
    ...['--team', line.team],
    ...(nameBy === 'path' ? ['--name-by', nameBy] : []),
    ...each('--include', include),
    ...each('--exclude', exclude),
    ...each('--as-text', asText),
    ...flag('--password-stdin', line.passwordStdin),
    ...(concurrency === undefined ? [] : ['--concurrency', String(concurrency)]),
    ...flag('--retry-unknown', line.retryUnknown),
    ...flag('--if-absent', line.ifAbsent),
  ];
}
