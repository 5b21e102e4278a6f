// Holds an answer of the service against its own OpenAPI document: status, media type, headers and body.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json } from '../../src/http/openapi.ts';

/** One request and what came back. */
export interface ActualAnswer {
  readonly method: string;
  /** As it was requested, from the root of the host; the query does not matter. */
  readonly path: string;
  readonly status: number;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Without compression. */
  readonly body: string | Buffer;
}

/**
 * Asserts that the document allows the answer: the status is described, the media type and every header are, headers
 * that must be there are, and the body fits its schema. A request that no operation describes must be answered by a
 * problem, or be an OPTIONS request.
 */
export function assertDescribed(document: Json, answer: ActualAnswer): void {
  const schemas = schemasOf(document);
  const what = `${answer.method} ${answer.path} → ${answer.status}`;
  const operation = operationOf(document, answer);
  if (operation === null) {
    if (answer.method === 'OPTIONS' && answer.status === 204) return;
    assert.ok(answer.status >= 400, `${what}: no operation of the document describes this request`);
  }
  const pointer =
    operation === null ? ['components', 'responses', 'Problem'] : responseOf(document, operation, answer.status);
  assert.ok(pointer !== null, `${what}: the status is not described`);
  const [response, at] = resolved(document, pointer);
  const place: Place = { document, schemas, response, at, what };
  checkHeaders(place, answer);
  checkBody(place, answer);
}

type Pointer = readonly string[];

/** The response object that is meant to allow the answer, and where in the document it is. */
interface Place {
  readonly document: Json;
  readonly schemas: Schemas;
  readonly response: Json;
  readonly at: Pointer;
  readonly what: string;
}

interface Schemas {
  /** Validates against the schema at a place of the document. */
  readonly at: (pointer: Pointer) => ValidateFunction;
}

const known = new WeakMap<Json, Schemas>();
/** By the hash of what a document says: with other settings an application says mostly the same. */
const ofText = new Map<string, Schemas>();

function schemasOf(document: Json): Schemas {
  const schemas = known.get(document) ?? schemasOfText(document);
  known.set(document, schemas);
  return schemas;
}

function schemasOfText(document: Json): Schemas {
  const text = hash('sha256', JSON.stringify(document));
  const schemas = ofText.get(text) ?? createSchemas(document);
  ofText.set(text, schemas);
  return schemas;
}

function createSchemas(document: Json): Schemas {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  // The document as a whole is no schema; what is one is somewhere inside.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema({ ...document, $id: 'openapi' });
  const made = new Map<string, ValidateFunction>();
  return {
    at: (pointer) => {
      const steps = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
      const reference = `openapi#${steps.map((step) => `/${step}`).join('')}`;
      const validate = made.get(reference) ?? ajv.compile({ $ref: reference });
      made.set(reference, validate);
      return validate;
    },
  };
}

/** Pointer to the operation that a request belongs to; literal paths come before those with parameters. HEAD is GET. */
function operationOf(document: Json, { method, path }: ActualAnswer): Pointer | null {
  const [asked = ''] = path.split('?');
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  const template = pathsOf(document).find(({ pattern }) => pattern.test(asked))?.template;
  if (template === undefined || !(name in objectAt(objectAt(document, 'paths'), template))) return null;
  return ['paths', template, name];
}

interface Path {
  readonly template: string;
  /** Of a whole path, from the root of the host. */
  readonly pattern: RegExp;
}

const knownPaths = new WeakMap<Json, readonly Path[]>();

function pathsOf(document: Json): readonly Path[] {
  const paths = knownPaths.get(document) ?? createPaths(document);
  knownPaths.set(document, paths);
  return paths;
}

function createPaths(document: Json): readonly Path[] {
  const [server] = Array.isArray(document.servers) ? document.servers : [];
  const prefix = new URL(String(Reflect.get(Object(server), 'url'))).pathname.replace(/\/$/, '');
  return Object.keys(objectAt(document, 'paths'))
    .toSorted((left, right) => Number(left.includes('{')) - Number(right.includes('{')))
    .map((template) => ({ template, pattern: patternOf(prefix + template) }));
}

function patternOf(template: string): RegExp {
  return new RegExp(
    `^${template
      .split(/\{[^}]+\}/)
      .map((literal) => literal.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'))
      .join('[^/]+')}$`,
  );
}

function responseOf(document: Json, operation: Pointer, status: number): Pointer | null {
  const [value] = resolved(document, operation);
  const responses = objectAt(value, 'responses');
  if (String(status) in responses) return [...operation, 'responses', String(status)];
  return status >= 400 && 'default' in responses ? [...operation, 'responses', 'default'] : null;
}

function checkHeaders({ document, schemas, response, at, what }: Place, answer: ActualAnswer): void {
  const described = objectAt(response, 'headers');
  const present = new Map(
    Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), String(value)] as const],
    ),
  );
  for (const name of Object.keys(described)) {
    const [header, headerAt] = resolved(document, [...at, 'headers', name]);
    const value = present.get(name.toLowerCase());
    if (value === undefined) {
      assert.notEqual(header.required, true, `${what}: the header ${name} is missing`);
      continue;
    }
    const typed = objectAt(header, 'schema').type === 'integer' ? Number(value) : value;
    const schema = schemas.at([...headerAt, 'schema']);
    assert.ok(schema(typed), `${what}: the header ${name} is ${JSON.stringify(value)}: ${errorsOf(schema)}`);
  }
  const expected = new Set([...Object.keys(described).map((name) => name.toLowerCase()), ...transport]);
  const foreign = [...present.keys()].filter((name) => !expected.has(name) && !name.startsWith('access-control-'));
  assert.deepEqual(foreign, [], `${what}: headers that are not described`);
}

/** What HTTP needs to carry a body, and what browsers may not do with it. */
const transport = [
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-type',
  'content-encoding',
  'x-content-type-options',
  'content-security-policy',
  'referrer-policy',
];

function checkBody({ schemas, response, at, what }: Place, answer: ActualAnswer): void {
  const content = objectAt(response, 'content');
  const type = answer.headers['content-type'] ?? answer.headers['Content-Type'];
  const text = answer.body.toString();
  if (Object.keys(content).length === 0 || (answer.method === 'HEAD' && text === '')) {
    assert.equal(text, '', `${what}: there must be no body`);
    return;
  }
  const [name = ''] = String(type).split(';');
  assert.ok(name in content, `${what}: the media type ${String(type)} is not described`);
  const schema = schemas.at([...at, 'content', name, 'schema']);
  const textual = objectAt(objectAt(content, name), 'schema').type === 'string';
  let body: unknown = text;
  if (!textual)
    assert.doesNotThrow(() => {
      body = JSON.parse(text);
    }, `${what}: the body is not JSON`);
  assert.ok(schema(body), `${what}: the body does not fit its schema: ${errorsOf(schema)}`);
}

function errorsOf(validate: ValidateFunction): string {
  return (validate.errors ?? [])
    .slice(0, 5)
    .map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`)
    .join('; ');
}

/** The object at a pointer and where it really is: references are followed. */
function resolved(document: Json, pointer: Pointer): readonly [Json, Pointer] {
  const value = pointer.reduce<unknown>((at, step) => Reflect.get(Object(at), step), document);
  const reference: unknown = Reflect.get(Object(value), '$ref');
  if (typeof reference !== 'string') return [objectAt({ value }, 'value'), pointer];
  return resolved(
    document,
    reference
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

/** The object under a name; empty where there is none. */
function objectAt(value: Json, name: string): Json {
  const found: unknown = value[name];
  return typeof found === 'object' && found !== null ? Object.fromEntries(Object.entries(found)) : {};
}
