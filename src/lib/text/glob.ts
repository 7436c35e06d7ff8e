/** True if a name fits a pattern as a shell has them: `*` stands for any characters, `?` for one. */
export function fitsGlob(name: string, pattern: string): boolean {
  const parts = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'su').test(name);
}
