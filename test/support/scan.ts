import type { ControlRequest, ControlResponse } from '../../src/sandbox/control/calls.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { ControlAddress } from '../../src/sandbox/sandbox.ts';

type ScanOptions = Omit<ControlRequest<'/scan'>, 'kind' | 'bytes'>;

/** Shows a PNG to the simulated phone. */
export function scanPicture(
  control: ControlAddress,
  png: Uint8Array,
  options?: ScanOptions,
): Promise<ControlResponse<'/scan'>> {
  const bytes = Buffer.from(png).toString('base64');
  return callControl(control, '/scan', { ...options, kind: 'picture', bytes });
}

/** Shows a drawn terminal screen to the simulated phone. */
export function scanText(
  control: ControlAddress,
  text: string,
  options?: ScanOptions,
): Promise<ControlResponse<'/scan'>> {
  const bytes = Buffer.from(text).toString('base64');
  return callControl(control, '/scan', { ...options, kind: 'screen', bytes });
}
