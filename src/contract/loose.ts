import * as z from 'zod/mini';
import { identifiers, type Resource, type Schema } from './schema.ts';

/** A JSON value that is neither object nor array. */
export type Scalar = string | number | boolean | null;

/**
 * The part of an answer that a caller may rely on, derived from the strict schema: the identifying member of a
 * resource is there and a string; any other member may be missing, null or another scalar; enums are
 * open; members we don't know are kept. A member that should be a scalar and arrives as an object or
 * array, or the other way round, is kept as its JSON text, so that one odd member fails nothing.
 */
export type Loose<S> =
  S extends Resource<infer Key, infer Shape>
    ? // An object that is not a resource matches too, and names no key.
      string extends Key
      ? LooseObject<Shape>
      : LooseObject<Omit<Shape, Key>> & Readonly<Record<Key, string>>
    : S extends z.ZodMiniObject<infer Shape>
      ? LooseObject<Shape>
      : S extends z.ZodMiniArray<infer Element>
        ? readonly LooseMember<Element>[]
        : unknown;

type LooseObject<Shape> = { readonly [K in keyof Shape]?: LooseMember<Shape[K]> } & {
  readonly [other: string]: unknown;
};

type LooseMember<S> =
  S extends z.ZodMiniOptional<infer Inner>
    ? LooseMember<Inner>
    : S extends z.ZodMiniNullable<infer Inner>
      ? LooseMember<Inner>
      : S extends z.ZodMiniObject | z.ZodMiniArray
        ? Loose<S> | Scalar
        : S extends z.ZodMiniRecord
          ? Readonly<Record<string, unknown>> | Scalar
          : Scalar;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const asText = z.pipe(
  z.unknown(),
  z.transform((value) => JSON.stringify(value)),
);

/**
 * Makes the loose form of a contract schema: the run-time half of the type `Loose`.
 * Parsing with it fails only if the value as a whole is not an object (or array) or if a
 * resource lacks its identifying member.
 */
export function loosen<S extends Schema>(schema: S): z.ZodMiniType<Loose<S>> {
  // The one cast: the walk below and the type above are two spellings of one rule, held together by test/contract/loose.test.ts.
  return loosenWhole(schema) as unknown as z.ZodMiniType<Loose<S>>;
}

function loosenWhole(schema: Schema): z.ZodMiniType {
  if (schema instanceof z.ZodMiniObject) {
    const key = identifiers.get(schema)?.key;
    const shape: Record<string, z.ZodMiniType> = {};
    for (const [name, member] of Object.entries(schema.shape)) {
      shape[name] = name === key ? z.string() : z.optional(loosenMember(member));
    }
    return z.looseObject(shape);
  }
  if (schema instanceof z.ZodMiniArray) return z.array(loosenMember(schema.def.element));
  return z.unknown();
}

function loosenMember(schema: Schema): z.ZodMiniType {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) {
    return loosenMember(schema.def.innerType);
  }
  if (schema instanceof z.ZodMiniRecord) return z.union([z.record(z.string(), z.unknown()), scalar, asText]);
  if (schema instanceof z.ZodMiniObject || schema instanceof z.ZodMiniArray) {
    return z.union([loosenWhole(schema), scalar, asText]);
  }
  return z.union([scalar, asText]);
}

/** True if a value from JSON has the loose form already. */
export type Fits = (value: unknown) => boolean;

/**
 * The same rule as `loosen` as a quick check: true only if parsing would return an equal value. If it
 * is false, parsing may still succeed, by making odd members into text.
 */
export function fitsLoosely(schema: Schema): Fits {
  if (schema instanceof z.ZodMiniObject) return objectFits(schema);
  if (schema instanceof z.ZodMiniArray) {
    const element = memberFits(schema.def.element);
    return (value) => Array.isArray(value) && value.every(element);
  }
  return () => true;
}

function objectFits(schema: z.ZodMiniObject): Fits {
  const key = identifiers.get(schema)?.key;
  const members = Object.entries(schema.shape)
    .filter(([name]) => name !== key)
    .map(([name, member]) => ({ name, fits: memberFits(member) }));
  return (value) => {
    if (!isPlainObject(value) || (key !== undefined && typeof value[key] !== 'string')) return false;
    for (const { name, fits } of members) {
      const member = value[name];
      if (member !== undefined && !fits(member)) return false;
    }
    return true;
  };
}

function memberFits(schema: Schema): Fits {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) {
    return memberFits(schema.def.innerType);
  }
  if (schema instanceof z.ZodMiniRecord) return (value) => isScalar(value) || isPlainObject(value);
  if (!(schema instanceof z.ZodMiniObject || schema instanceof z.ZodMiniArray)) return isScalar;
  const whole = fitsLoosely(schema);
  return (value) => isScalar(value) || whole(value);
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

/** An object, but for one with a member called `__proto__`, which parsing drops. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !Object.hasOwn(value, '__proto__');
}
