import { command, remark } from '../../lib/text/remark.ts';

/** Said of a device that the service has not had for a while. */
export const hintAtGone = remark`Take those that the service doesn't have out of the device book: ${command('device', 'forget', '--gone')}`;
