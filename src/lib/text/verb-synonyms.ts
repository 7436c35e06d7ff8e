/** Words that other tools and people have for the same verb. */
const synonyms: readonly (readonly string[])[] = [
  ['get', 'show', 'view', 'describe', 'info', 'cat', 'status'],
  ['delete', 'remove', 'rm', 'del', 'destroy'],
  ['list', 'ls'],
  ['create', 'add', 'new', 'make', 'upload'],
  ['update', 'edit', 'set', 'change', 'modify'],
  ['connect', 'pair', 'link', 'scan', 'start'],
  ['disconnect', 'unpair', 'unlink'],
  ['start', 'run', 'serve', 'up'],
  ['plan', 'apply', 'preview', 'deploy'],
  ['stop', 'down', 'end', 'kill', 'disconnect'],
];

/** The words that may stand for the same as a verb, the verb itself left out. */
export function synonymsOf(verb: string): readonly string[] {
  return synonyms.flatMap((words) => (words.includes(verb) ? words.filter((word) => word !== verb) : []));
}
