import type { RemarkText } from '../../lib/text/remark.ts';

/** A request to the control channel that is refused. */
export class ControlProblem extends Error {
  constructor(
    readonly status: 400 | 401 | 404 | 405 | 413 | 500,
    message: string,
    readonly hint?: RemarkText,
  ) {
    super(message);
  }
}
