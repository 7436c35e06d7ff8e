import { type Walked, walkedCommands } from './lines.ts';

/** The parts of the walk over all commands, by the first word, so that several files can run in parallel. */
const nouns = {
  bots: ['bots'],
  sandbox: ['sandbox'],
  service: ['docs', 'keys', 'device', 'teams'],
} as const;

/** A part of the walk; `others` contains the remaining commands. */
export type Part = keyof typeof nouns | 'others';

/** Returns the registered commands of a part. */
export async function commandsOf(part: Part): Promise<readonly Walked[]> {
  return (await walkedCommands()).filter(({ path }) => partOf(path) === part);
}

function partOf(path: string): string {
  const [noun] = path.split(' ');
  const [found] = Object.entries(nouns).find(([, own]) => own.some((one) => one === noun)) ?? ['others'];
  return found;
}
