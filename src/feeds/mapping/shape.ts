// Declares the allowed content of an operator's JSON file once: to parse it with faults that name their places, and to
// publish it as JSON Schema.
import { pointer } from '../../model/reasons.ts';
import { isObject, kindOf } from '../../model/scalar.ts';
import { closestName } from '../../model/closest-name.ts';
import { quoted } from '../../model/text.ts';

/** One fault of the file. */
export interface Fault {
  /** JSON Pointer (RFC 6901), '' for the file as a whole. */
  readonly place: string;
  /** One sentence: what is wrong, and what is allowed. */
  readonly detail: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** The allowed content at one place of the file. */
export interface Shape<Value> {
  /** Returns the value, or undefined when it noted a fault. */
  readonly read: (given: unknown, path: Path, faults: Fault[]) => Value | undefined;
  readonly schema: JsonSchema;
  readonly isOptional?: true;
}

export type Read<S> = S extends Shape<infer Value> ? Value : never;

/** Notes a fault at a place. */
export function fault(faults: Fault[], path: Path, detail: string): undefined {
  faults.push({ place: pointer(path), detail });
}

export function text(meaning: string, { pattern, form }: { pattern?: RegExp; form?: string } = {}): Shape<string> {
  return {
    read: (given, path, faults) => {
      if (typeof given !== 'string') return fault(faults, path, `must be text, not ${kindOf(given)}.`);
      if (given === '') return fault(faults, path, 'must not be empty.');
      if (pattern !== undefined && !pattern.test(given)) return fault(faults, path, `must be ${form ?? 'other text'}.`);
      return given;
    },
    schema: { type: 'string', minLength: 1, ...(pattern && { pattern: pattern.source }), description: meaning },
  };
}

export function integer(meaning: string, least: number, most: number): Shape<number> {
  return {
    read: (given, path, faults) =>
      typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most
        ? given
        : fault(faults, path, `must be a whole number from ${least} to ${most}.`),
    schema: { type: 'integer', minimum: least, maximum: most, description: meaning },
  };
}

export function number(meaning: string): Shape<number> {
  return {
    read: (given, path, faults) =>
      typeof given === 'number' ? given : fault(faults, path, `must be a number, not ${kindOf(given)}.`),
    schema: { type: 'number', description: meaning },
  };
}

export function flag(meaning: string): Shape<boolean> {
  return {
    read: (given, path, faults) =>
      typeof given === 'boolean' ? given : fault(faults, path, `must be true or false, not ${kindOf(given)}.`),
    schema: { type: 'boolean', description: meaning },
  };
}

/** One of several words. */
export function oneOf<const Word extends string>(meaning: string, words: readonly Word[]): Shape<Word> {
  return {
    read: (given, path, faults) =>
      words.find((word) => word === given) ??
      fault(faults, path, `must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}.`),
    schema: { enum: words, description: meaning },
  };
}

/** A text, a number that a double holds exactly, true or false. */
export function scalar(meaning: string): Shape<string | number | boolean> {
  return {
    read: (given, path, faults) => {
      if (Number.isInteger(given) && !Number.isSafeInteger(given))
        return fault(faults, path, 'is a number too long to be kept exactly: write it in quotation marks.');
      return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean'
        ? given
        : fault(faults, path, `must be text, a number, true or false, not ${kindOf(given)}.`);
    },
    schema: { type: ['string', 'number', 'boolean'], description: meaning },
  };
}

export function list<Value>(meaning: string, element: Shape<Value>): Shape<readonly Value[]> {
  return {
    read: (given, path, faults) => {
      if (!Array.isArray(given)) return fault(faults, path, `must be a list, not ${kindOf(given)}.`);
      if (given.length === 0) return fault(faults, path, 'must have an element.');
      const read = given.map((each: unknown, index) => element.read(each, [...path, index], faults));
      return read.filter((each): each is Value & {} => each !== undefined);
    },
    schema: { type: 'array', minItems: 1, items: element.schema, description: meaning },
  };
}

/** An object with arbitrary member names. */
export function named<Value>(meaning: string, member: Shape<Value>): Shape<ReadonlyMap<string, Value>> {
  return {
    read: (given, path, faults) => {
      if (!isObject(given)) return fault(faults, path, `must be an object, not ${kindOf(given)}.`);
      const found = new Map<string, Value>();
      for (const [name, value] of Object.entries(given)) {
        const read = member.read(value, [...path, name], faults);
        if (read !== undefined) found.set(name, read);
      }
      return found;
    },
    schema: { type: 'object', additionalProperties: member.schema, description: meaning },
  };
}

interface Optional<Value> extends Shape<Value | undefined> {
  readonly isOptional: true;
}

/** An optional member. */
export function optional<Value>(shape: Shape<Value>): Optional<Value> {
  return { ...shape, isOptional: true };
}

type Members = Readonly<Record<string, Shape<unknown>>>;
type ReadMembers<M extends Members> = { readonly [Name in keyof M]: Read<M[Name]> };

/** An object with these members and no others. */
export function object<M extends Members>(meaning: string, members: M): Shape<ReadMembers<M>> {
  const names = Object.keys(members);
  return {
    read: (given, path, faults) => {
      if (!isObject(given)) return fault(faults, path, `must be an object, not ${kindOf(given)}.`);
      for (const name of Object.keys(given)) if (!Object.hasOwn(members, name)) unknown(name, names, path, faults);
      const entries = Object.entries(members).map(([name, shape]) => {
        if (Object.hasOwn(given, name)) return [name, shape.read(given[name], [...path, name], faults)] as const;
        if (shape.isOptional !== true) fault(faults, path, `lacks ${quoted(name)}.`);
        return [name, undefined] as const;
      });
      // The names are those of `members`, and each value was read by the shape for its name.
      return Object.fromEntries(entries) as ReadMembers<M>;
    },
    schema: {
      type: 'object',
      description: meaning,
      properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
      required: names.filter((name) => members[name]?.isOptional !== true),
      additionalProperties: false,
    },
  };
}

/** An object of one of several shapes, selected by the first of these members that it has. */
export function byMember<M extends Members>(meaning: string, shapes: M): Shape<Read<M[keyof M]>> {
  const names = Object.keys(shapes);
  return {
    read: (given, path, faults) => {
      if (!isObject(given)) return fault(faults, path, `must be an object, not ${kindOf(given)}.`);
      const name = names.find((each) => Object.hasOwn(given, each));
      if (name === undefined)
        return fault(faults, path, `must have one of ${names.map((each) => quoted(each)).join(', ')}.`);
      // It is read by the shape for its name.
      return shapes[name]?.read(given, path, faults) as Read<M[keyof M]> | undefined;
    },
    schema: { description: meaning, anyOf: Object.values(shapes).map(({ schema }) => schema) },
  };
}

/** An object of one of several shapes, which its member `tag` names. */
export function tagged<M extends Members>(meaning: string, tag: string, shapes: M): Shape<Read<M[keyof M]>> {
  const names = Object.keys(shapes);
  return {
    read: (given, path, faults) => {
      if (!isObject(given)) return fault(faults, path, `must be an object, not ${kindOf(given)}.`);
      const name = given[tag];
      if (typeof name !== 'string' || !Object.hasOwn(shapes, name))
        return fault(faults, [...path, tag], `must be one of ${names.map((each) => JSON.stringify(each)).join(', ')}.`);
      return shapes[name]?.read(given, path, faults) as Read<M[keyof M]> | undefined;
    },
    schema: { description: meaning, anyOf: Object.values(shapes).map(({ schema }) => schema) },
  };
}

/** A shape, or a text that abbreviates its most common case. */
export function orText<Value>(short: Shape<string>, shape: Shape<Value>, meant: (text: string) => Value): Shape<Value> {
  return {
    read: (given, path, faults) => {
      if (typeof given !== 'string') return shape.read(given, path, faults);
      const read = short.read(given, path, faults);
      return read === undefined ? undefined : meant(read);
    },
    schema: { anyOf: [short.schema, shape.schema] },
  };
}

/** A recursive shape; it is among the `$defs` of the schema. */
export function reference<Value>(name: string, shape: () => Shape<Value>): Shape<Value> {
  return {
    read: (given, path, faults) =>
      path.length > maxDepth ? fault(faults, path, 'is nested too deeply.') : shape().read(given, path, faults),
    schema: { $ref: `#/$defs/${name}` },
  };
}

const maxDepth = 40;

function unknown(name: string, names: readonly string[], path: Path, faults: Fault[]): void {
  const near = closestName(name, names);
  const advice = near === null ? `Allowed are ${names.join(', ')}.` : `Did you mean ${quoted(near)}?`;
  fault(faults, [...path, name.slice(0, 64)], `is not known here. ${advice}`);
}
