import { Failure } from '../lib/errors.ts';
import type { FileWord } from '../lib/files/file-word.ts';
import { isAsked } from './confirm.ts';
import type { Session } from './context.ts';

/**
 * Asks whether texts that look like something else are to be sent as they are; notes it where nobody is asked. A text never
 * stands for a file: one that comes from elsewhere must not read what is on this machine and send it.
 * @throws Failure `declined` if the answer is no, otherwise as `Prompts`
 */
export async function confirmFileWords(
  { options, prompts, terminal }: Pick<Session, 'options' | 'prompts' | 'terminal'>,
  words: readonly (FileWord | undefined)[],
): Promise<void> {
  for (const word of words) {
    if (!word) continue;
    const { place, shown, way } = word;
    if (!isAsked({ options, prompts })) terminal.note(`${place} is sent as it stands, ${shown}. ${way}`);
    else if (!(await prompts.yes({ message: `${way}. Send ${shown} as it stands?`, option: '--yes' })))
      throw new Failure('declined', 'Nothing was done.');
  }
}
