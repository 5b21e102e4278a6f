// The body of an operation, as the description shows it.
import type { Json } from '../openapi.ts';
import type { BodyRule } from '../route.ts';

/**
 * The Request Body object of a rule. A form property lists in `contentMediaType` the allowed types of its file.
 * @param schemas by name, for a rule whose schema is a reference
 */
export function requestBodyOf(
  { types, limit, encodings, schema, example }: BodyRule,
  schemas: Readonly<Record<string, Json>>,
): Json {
  // A pattern with an asterisk is not a media type that can be listed; the text mentions it instead.
  const [first, ...others] = types.filter((type) => !type.includes('*'));
  const content = (type: string, shown: Json): readonly [string, Json] => [
    type,
    { schema, ...shown, ...(type.startsWith('multipart/') ? { encoding: encodingOf(referred(schema, schemas)) } : {}) },
  ];
  return {
    required: true,
    description: describe(types, limit, encodings),
    content: Object.fromEntries([
      ...(first === undefined ? [] : [content(first, example === undefined || example === null ? {} : { example })]),
      ...others.map((type) => content(type, {})),
    ]),
  };
}

function describe(types: readonly string[], limit: number, encodings: BodyRule['encodings']): string {
  const ranges = types.filter((type) => type.includes('*')).map((type) => ` \`${type}\` is read as well.`);
  const compressed =
    encodings.length === 0
      ? ''
      : ` It may be compressed (\`Content-Encoding: ${encodings.join('` or `')}\`); ` +
        'the limit holds for what comes out.';
  return `At most ${sizeText(limit)}.${ranges.join('')}${compressed}`;
}

function sizeText(bytes: number): string {
  const [unit, size] =
    bytes % 1_048_576 === 0
      ? ['MiB', bytes / 1_048_576]
      : bytes % 1024 === 0
        ? ['KiB', bytes / 1024]
        : ['bytes', bytes];
  return `${size} ${unit}`;
}

function referred(schema: Json, schemas: Readonly<Record<string, Json>>): Json {
  return schemas[String(schema.$ref).replace('#/components/schemas/', '')] ?? schema;
}

function encodingOf(schema: Json): Json {
  const properties: unknown = schema.properties;
  return Object.fromEntries(
    Object.entries(Object(properties)).map(([name, property]) => {
      const type: unknown = Reflect.get(Object(property), 'contentMediaType');
      return [name, { contentType: typeof type === 'string' ? type : 'application/octet-stream' }];
    }),
  );
}
