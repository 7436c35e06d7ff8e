import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

// The files beside this one contain the interface that scripts and users rely on: commands, options, fields, JSON
// members, events, error codes. A change of them is a change of the product, so a test run never writes them; only this
// command does: BOTCTL_UPDATE_SURFACE=1 npx vitest run --config test/vitest.config.mts test/every-command test/surface

const isUpdating = process.env.BOTCTL_UPDATE_SURFACE === '1';

/** A part of the surface, as JSON. */
export type Surface = string | number | boolean | readonly Surface[] | { readonly [name: string]: Surface };

/** Returns the path of the surface file with this name. */
export function surfaceFile(name: string): string {
  return fileURLToPath(new URL(`${name}.json`, import.meta.url));
}

/** Compares a part of the surface with its file, and names each missing or new member. Writes the file if requested. */
export function expectSurface(name: string, actual: Surface): void {
  const file = surfaceFile(name);
  const text = `${format(actual)}\n`;
  if (isUpdating) {
    writeFileSync(file, text);
    return;
  }
  const pinned = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const found = differences(JSON.parse(pinned), actual);
  expect(
    found,
    `The public surface differs from test/surface/${name}.json. If you mean it, update the file with: ` +
      'BOTCTL_UPDATE_SURFACE=1 npx vitest run --config test/vitest.config.mts test/every-command test/surface',
  ).toEqual([]);
  expect(text, `test/surface/${name}.json is laid out or ordered otherwise`).toBe(pinned);
}

/** Returns the members that only one of two surfaces has. */
function differences(pinned: Surface, actual: Surface, path = ''): readonly string[] {
  if (Array.isArray(pinned) && Array.isArray(actual)) {
    const only = (one: readonly Surface[], other: readonly Surface[]): readonly string[] => {
      const others = new Set(other.map((value) => JSON.stringify(value)));
      return one.map((value) => JSON.stringify(value)).filter((value) => !others.has(value));
    };
    return [
      ...only(pinned, actual).map((value) => `${path}: ${value} is missing`),
      ...only(actual, pinned).map((value) => `${path}: ${value} is new`),
    ];
  }
  if (isMembers(pinned) && isMembers(actual)) {
    return [...new Set([...Object.keys(pinned), ...Object.keys(actual)])].flatMap((name) => {
      const where = path === '' ? name : `${path}, ${name}`;
      const [was, is] = [pinned[name], actual[name]];
      if (was === undefined) return [`${where} is new`];
      return is === undefined ? [`${where} is missing`] : differences(was, is, where);
    });
  }
  const [was, is] = [JSON.stringify(pinned), JSON.stringify(actual)];
  return was === is ? [] : [`${path}: was ${was}, is ${is}`];
}

function isMembers(value: Surface): value is { readonly [name: string]: Surface } {
  return typeof value === 'object' && !Array.isArray(value);
}

const width = 140;

/**
 * Formats JSON for review: a value that fits in a line takes one line. Longer arrays are filled if their elements are
 * single words, and otherwise have a line for each; the first members of an object, up to its first array of more than
 * two, share lines.
 */
function format(value: Surface, indent = '', taken = 0): string {
  const inLine = inOneLine(value);
  const isNested = isMembers(value) && Object.values(value).some(isMembers);
  if (!isNested && indent.length + taken + inLine.length < width) return inLine;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map(inOneLine);
    const isFilled = value.every((item: Surface) => typeof item === 'string' && !item.includes(' '));
    return `[\n${isFilled ? fill(items, inner) : items.map((item) => inner + item).join(',\n')}\n${indent}]`;
  }
  if (!isMembers(value)) return inLine;
  const members = Object.entries(value);
  const isLong = ([, member]: readonly [string, Surface]): boolean =>
    isMembers(member) || (Array.isArray(member) && member.length > 2);
  const shared = members.some(isLong) ? members.findIndex(isLong) : members.length;
  const first = members
    .slice(0, shared)
    .map(([name, member]) => `${JSON.stringify(name)}: ${inOneLine(member)}`);
  const rest = members.slice(shared).map(([name, member]) => {
    const key = `${JSON.stringify(name)}: `;
    return `${inner}${key}${format(member, inner, key.length)}`;
  });
  return `{\n${[...(first.length > 0 ? [fill(first, inner)] : []), ...rest].join(',\n')}\n${indent}}`;
}

function inOneLine(value: Surface): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  if (!isMembers(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${inOneLine(member)}`,
  );
  return `{ ${members.join(', ')} }`;
}

function fill(items: readonly string[], indent: string): string {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const longer = `${last}, ${item}`;
    if (last === undefined || longer.length >= width) {
      if (last !== undefined) lines[lines.length - 1] = `${last},`;
      lines.push(indent + item);
    } else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}
