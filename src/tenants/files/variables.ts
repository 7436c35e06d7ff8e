import { Failure } from '../../lib/errors.ts';
import { type Path, pathText } from '../../lib/problem.ts';
import { findUnsendable } from '../../lib/text/characters.ts';
import { mostSimilar } from '../../lib/text/similar.ts';
import { mask, Secret } from '../../secrets/secret.ts';
import type { Place } from '../desired.ts';
import { type FileProblem, type FileValue, mapScalars } from './file-value.ts';

/** The kinds of variables: `env` of the environment, `file` for the content of a file, `var` of `--var`, `--vars` and `--each`. */
const kinds = ['env', 'file', 'var'] as const;
type Kind = (typeof kinds)[number];

/** A part of a text: literal text, or a variable. */
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: Kind; readonly name: string }
  | { readonly kind: 'wrong'; readonly says: string };

/** The sources of the values of variables. */
export interface VariableSources {
  /** Returns a variable of the environment, or undefined if it isn't set. */
  env(name: string): string | undefined;
  /**
   * Returns the text of a file in or below the folder of the file that names it.
   * @param from the file that names it
   * @throws Failure `invalidInput`
   */
  file(path: string, from: string): string;
  readonly variables: ReadonlyMap<string, string>;
}

/** The position of a text. */
interface TextPlace {
  readonly place: Place;
  readonly path: Path;
}

/** Escapes a text so that it contains no variable: `${` becomes `$${`. */
export function literalText(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** Replaces variables by their values, once: variables in a value are not expanded. */
export class Expander {
  readonly #sources: VariableSources;
  readonly #report: (problem: FileProblem) => void;

  constructor(sources: VariableSources, report: (problem: FileProblem) => void) {
    this.#sources = sources;
    this.#report = report;
  }

  /** Returns a value of a file with its variables expanded. Texts with a variable of the environment or of a file are secret. */
  expand(written: FileValue, path: Path): FileValue {
    return mapScalars(written, path, (scalar, at) =>
      typeof scalar.value === 'string'
        ? { ...scalar, ...this.expandText(scalar.value, { place: scalar.place, path: at }) }
        : scalar,
    );
  }

  /**
   * Returns a text with its variables expanded.
   * @param at the position of the text
   */
  expandText(
    text: string,
    at: TextPlace,
  ): { readonly value: string | Secret; readonly isFromVariable: boolean } {
    if (text.includes(mask)) {
      this.#report(
        problemAt(at, `This is a masked secret, not the secret itself: write \${env:NAME} or \${file:PATH}.`),
      );
    }
    if (!text.includes('${')) return { value: text, isFromVariable: false };
    const parts = parseParts(text);
    const isSecret = parts.some(({ kind }) => kind === 'env' || kind === 'file');
    const value = parts.map((part) => this.#valueOf(part, at)).join('');
    // An escape in the file itself may have such characters, since export writes them so.
    const damage = findUnsendable(text) ? undefined : findUnsendable(value);
    if (damage) this.#report(problemAt(at, `${pathText(at.path)} has ${damage.what}.`));
    return {
      value: isSecret ? new Secret(value) : value,
      isFromVariable: parts.some(({ kind }) => kind === 'var'),
    };
  }

  #valueOf(part: Part, at: TextPlace): string {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'wrong':
        this.#report(problemAt(at, part.says));
        return '';
      case 'var':
        return this.#variable(part.name, at);
      default:
        return this.#secret(part.kind, part.name, at);
    }
  }

  #variable(name: string, at: TextPlace): string {
    const { variables } = this.#sources;
    const value = variables.get(name);
    if (value !== undefined) {
      const [inner] = /\$\{(?:env|file|var):[^{}]+\}/.exec(value) ?? [];
      if (inner !== undefined)
        this.#report(
          problemAt(
            at,
            `The value of \${var:${name}} contains ${inner}, which would be sent literally: values are not expanded again. Write ${inner} here, or $${inner} for the literal text.`,
          ),
        );
      return value;
    }
    const similar = mostSimilar(name, variables.keys());
    const cure =
      similar === undefined ? ': give it with --var, --vars or --each' : `; did you mean \${var:${similar}}?`;
    this.#report(problemAt(at, `\${var:${name}} has no value${cure}${cure.endsWith('?') ? '' : '.'}`));
    return '';
  }

  /** Returns a value, and registers it as a secret with the redactor. */
  #secret(kind: 'env' | 'file', name: string, at: TextPlace): string {
    try {
      const value =
        kind === 'env'
          ? // A line break at the end comes from a file or a command, as in `${file:…}`, and is not part of a secret.
            this.#sources.env(name)?.replace(/[\r\n]+$/, '')
          : this.#sources.file(name, at.place.file);
      if (value) return new Secret(value).reveal();
      const why = kind === 'file' || value === '' ? 'is empty' : 'is not set';
      this.#report(problemAt(at, `\${${kind}:${name}} ${why}.`));
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !thrown.isWrongInput) throw thrown;
      this.#report(problemAt(at, thrown.message));
    }
    return '';
  }
}

function problemAt({ place, path }: TextPlace, message: string): FileProblem {
  return { place, field: pathText(path), message };
}

/** Parses a text: `$${` is the text `${`; `${env:NAME}`, `${file:PATH}` and `${var:name}` are variables. */
function parseParts(text: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const found of text.matchAll(/\$\$\{|\$\{([^{}]*)(\}?)/g)) {
    const [whole, inner = '', closing] = found;
    parts.push({ kind: 'text', text: text.slice(end, found.index) });
    end = found.index + whole.length;
    if (whole === '$${') parts.push({ kind: 'text', text: '${' });
    else
      parts.push(
        closing === '' ? invalidPart(whole, 'is not closed: a } is missing') : variable(whole, inner),
      );
  }
  return [...parts, { kind: 'text', text: text.slice(end) }];
}

function variable(whole: string, inner: string): Part {
  const at = inner.indexOf(':');
  const [word, name] = [inner.slice(0, Math.max(at, 0)), inner.slice(at + 1)];
  const kind = kinds.find((one) => one === word);
  if (kind && name !== '') return { kind, name };
  const meant = kind === undefined && at > 0 ? mostSimilar(word, kinds) : undefined;
  const guess = meant
    ? `did you mean \${${meant}:${name}}?`
    : `write \${env:NAME}, \${file:PATH} or \${var:name}`;
  return invalidPart(whole, `is not a variable: ${guess}`);
}

function invalidPart(whole: string, why: string): Part {
  const [text = ''] = whole.split('\n');
  const end = why.endsWith('?') ? ' For' : '; for';
  return { kind: 'wrong', says: `${text} ${why}${end} the literal text write $${text}.` };
}
