import { type CommandLine, command, remark } from '../../lib/text/remark.ts';

/** Said wherever a device is met that the service doesn't have. */
export const hintAtGone = remark`Take those that the service doesn't have out of the device book: ${command('device', 'forget', '--gone')}`;

/** Returns the line that takes a device out of the device book. */
export function lineToForget(word: string): CommandLine {
  return command('device', 'forget', word);
}
