/** Words that other tools and people have for the same verb. */
const synonyms: readonly (readonly string[])[] = [
  ['get', 'show', 'view', 'describe', 'info', 'cat'],
  ['delete', 'remove', 'rm', 'del', 'destroy'],
  ['list', 'ls'],
  ['create', 'add', 'new', 'make'],
  ['update', 'edit', 'set', 'change', 'modify'],
  ['connect', 'pair', 'link', 'scan'],
  ['disconnect', 'unpair', 'unlink'],
];

/** The words that may stand for the same as a verb, the verb itself left out. */
export function synonymsOf(verb: string): readonly string[] {
  return synonyms.find((words) => words.includes(verb))?.filter((word) => word !== verb) ?? [];
}
