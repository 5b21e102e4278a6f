// Checks a JSON request in a simulator: which members are allowed, which are mandatory, and how long their texts may
// be.
import { isJsonObject, type JsonValue } from '../src/carriers/json.ts';

/** An object by its members, a list by the shape of its elements, or a value. */
export type Shape = ShapeValue | ShapeList | ShapeObject;
interface ShapeValue {
  readonly kind: 'text' | 'number' | 'boolean';
  readonly required?: true;
  /** Maximum length of a text. */
  readonly max?: number;
  /** Allowed range of a number. */
  readonly range?: NumberRange;
  readonly pattern?: RegExp;
  readonly choices?: readonly string[];
}
interface NumberRange {
  readonly least?: number;
  readonly most?: number;
  /** Maximum number of decimals; 0: whole numbers. */
  readonly decimals?: number;
}
interface ShapeList {
  readonly kind: 'list';
  readonly required?: true;
  readonly of: Shape;
}
interface ShapeObject {
  readonly kind: 'object';
  readonly required?: true;
  readonly members: Readonly<Record<string, Shape>>;
}

export interface ShapeFault {
  readonly path: string;
  readonly what: 'missing' | 'unknown' | 'type' | 'length' | 'value';
  readonly value: JsonValue;
}

/** Every difference between a value and its shape, in the order of the shape. */
export function shapeFaults(value: JsonValue | undefined, shape: Shape, path = ''): readonly ShapeFault[] {
  if (value === undefined || value === null)
    return shape.required === true ? [{ path, what: 'missing', value: null }] : [];
  if (shape.kind === 'list')
    return Array.isArray(value)
      ? value.flatMap((element, index) => shapeFaults(element, shape.of, `${path}[${index}]`))
      : [{ path, what: 'type', value }];
  if (shape.kind === 'object')
    return isJsonObject(value) ? memberFaults(value, shape, path) : [{ path, what: 'type', value }];
  return valueFaults(value, shape, path);
}

export function text(max?: number, more: Omit<ShapeValue, 'kind' | 'max'> = {}): ShapeValue {
  return { kind: 'text', ...(max === undefined ? {} : { max }), ...more };
}

export function number(range: NumberRange = {}): ShapeValue {
  return { kind: 'number', range };
}

export function object(members: Readonly<Record<string, Shape>>): ShapeObject {
  return { kind: 'object', members };
}

/** The same shape, but mandatory; a text also must not be empty. */
export function must<S extends Shape>(shape: S): S & { readonly required: true } {
  return { ...shape, required: true };
}

function memberFaults(
  value: Readonly<Record<string, JsonValue>>,
  { members }: ShapeObject,
  path: string,
): readonly ShapeFault[] {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(members, name));
  return [
    ...unknown.map((name): ShapeFault => ({ path: at(name), what: 'unknown', value: value[name] ?? null })),
    ...Object.entries(members).flatMap(([name, member]) =>
      shapeFaults(Object.hasOwn(value, name) ? value[name] : undefined, member, at(name)),
    ),
  ];
}

function valueFaults(value: JsonValue, shape: ShapeValue, path: string): readonly ShapeFault[] {
  if (typeof value !== (shape.kind === 'text' ? 'string' : shape.kind)) return [{ path, what: 'type', value }];
  if (typeof value === 'number') return isInRange(value, shape.range ?? {}) ? [] : [{ path, what: 'value', value }];
  if (typeof value !== 'string') return [];
  if (value === '' && shape.required === true) return [{ path, what: 'missing', value }];
  if (shape.max !== undefined && [...value].length > shape.max) return [{ path, what: 'length', value }];
  const isRight = (shape.pattern?.test(value) ?? true) && (shape.choices?.includes(value) ?? true);
  return isRight ? [] : [{ path, what: 'value', value }];
}

function isInRange(value: number, { least = -Infinity, most = Infinity, decimals }: NumberRange): boolean {
  const [, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(String(value)) ?? [null, 'e'];
  return value >= least && value <= most && (decimals === undefined || fraction.length <= decimals);
}
