// The mapping language: the allowed content of a mapping file, member by member.
import { textBlock } from '../../model/text-block.ts';
import { memberPlace } from '../split-enclosed.ts';
import {
  byMember,
  flag,
  integer,
  type JsonSchema,
  list,
  named,
  number,
  object,
  oneOf,
  optional,
  orText,
  type Read,
  reference,
  scalar,
  type Shape,
  tagged,
  text,
} from './shape.ts';

const column = text(textBlock`
    Name of a column; in JSON the way to a property, such as \`address.city\` or \`lines.0.sku\`. \`around:/exportedAt\`
    is a value around the array of a JSON file, by its JSON Pointer.
  `);
const fromStart = { pattern: /^\^/, form: 'a regular expression that begins with ^' };
const pattern = text('A regular expression (of JavaScript, with the flag u).');

const zoneOptions = {
  zone: optional(text('IANA zone of the clock that wrote the dates, such as Europe/Paris, or UTC.')),
  ambiguous: optional(
    oneOf('Of an hour that the clock shows twice: the first of the two, the second, or neither.', [
      'earlier',
      'later',
      'refuse',
    ]),
  ),
  skipped: optional(
    oneOf('Of an hour that the clock leaves out: as far after the change, as far before it, or refused.', [
      'later',
      'earlier',
      'refuse',
    ]),
  ),
};

const numberOptions = {
  decimal: optional(oneOf('Decimal mark.', ['.', ','])),
  thousands: optional(
    oneOf('What stands between thousands; nothing may where this is left out.', ['.', ',', ' ', "'"]),
  ),
};

const dateFormat = optional(
  text('How dates are written: yyyy yy MM M dd d HH H hh h a mm m ss s SSS XXX, other letters in single quotes.'),
);

const codeTable = named('What each code stands for.', scalar('The value that is written.'));

const valueOptions = {
  trim: optional(flag('Whether blanks at both ends are left out; true where this is left out.')),
  extract: optional(text('A regular expression with one group: the part of the text that counts.')),
  collapse: optional(flag('Whether blanks within become one.')),
  case: optional(oneOf('Upper or lower case.', ['upper', 'lower'])),
  cut: optional(integer('Most characters; what is beyond is left out.', 1, 10_000)),
  emptyValues: optional(list('Texts that stand for no value, such as 00000000.', text('Text.'))),
  default: optional(scalar('The value where there is none.')),
  codes: optional(orText<CodesRule>(text('Name of one of codeTables.'), codeTable, (name) => name)),
  unknownCode: optional(
    oneOf('What becomes of a code that the table does not have: the line is refused, it is taken as it is, or empty.', [
      'refuse',
      'keep',
      'empty',
    ]),
  ),
  format: dateFormat,
  ...zoneOptions,
  ...numberOptions,
  impliedDecimals: optional(integer('How many of the last digits are decimals.', 1, 9)),
  trueValues: optional(list('Texts that mean true.', text('Text.'))),
  falseValues: optional(list('Texts that mean false.', text('Text.'))),
};

type CodesRule = string | ReadonlyMap<string, string | number | boolean>;
type ValueOptions = { readonly [Name in keyof typeof valueOptions]?: Read<(typeof valueOptions)[Name]> };

/** Where a value comes from, and how it is processed. */
export type ValueRule =
  | (ValueOptions & { readonly column: string })
  | (ValueOptions & { readonly template: string })
  | (ValueOptions & { readonly join: readonly string[]; readonly with: string | undefined })
  | { readonly firstOf: readonly ValueRule[] }
  | { readonly constant: string | number | boolean }
  | { readonly position: boolean };

export type ValueOptionName = keyof ValueOptions;

const value: Shape<ValueRule> = reference('value', () => valueShape);
const valueShape: Shape<ValueRule> = orText(
  column,
  byMember('Where a value comes from, and what is done to it, in this order.', {
    column: object('The value of a column.', { column, ...valueOptions }),
    template: object('A text of columns in braces: `{order}-{line}`. Empty where all of them are.', {
      template: text('The text.'),
      ...valueOptions,
    }),
    join: object('The columns that are not empty, one behind the other.', {
      join: list('Columns.', column),
      with: optional(text('What stands between them; a blank where this is left out.')),
      ...valueOptions,
    }),
    firstOf: object('The first of these values that is not empty.', { firstOf: list('Values.', value) }),
    constant: object('Always the same.', { constant: scalar('The value.') }),
    position: object('The place of the element in its list, from 1.', { position: flag('Is true.') }),
  }),
  (name): ValueRule => ({ column: name }),
);

const tests = {
  empty: optional(flag('Whether it is empty.')),
  equals: optional(scalar('It is this.')),
  oneOf: optional(list('It is one of these.', scalar('A value.'))),
  startsWith: optional(text('It begins so.')),
  matches: optional(pattern),
  below: optional(number('It is a number below this.')),
  above: optional(number('It is a number above this.')),
};

export type ConditionRule =
  | { readonly all: readonly ConditionRule[] }
  | { readonly any: readonly ConditionRule[] }
  | { readonly not: ConditionRule }
  | ({ readonly column: string } & { readonly [Name in keyof typeof tests]: Read<(typeof tests)[Name]> });

const condition: Shape<ConditionRule> = reference('condition', () => conditionShape);
const conditionShape: Shape<ConditionRule> = byMember('What is asked of a line.', {
  all: object('All of these.', { all: list('Conditions.', condition) }),
  any: object('At least one of these.', { any: list('Conditions.', condition) }),
  not: object('Not this.', { not: condition }),
  column: object('One test of a column; blanks at both ends do not count.', { column, ...tests }),
});

const skip = optional(
  list(
    'Lines that are left out, and counted under the name of the rule; the first that fits counts.',
    object('A rule.', { rule: text('Its name, such as "cancellations".'), when: condition }),
  ),
);

const fields = named(
  textBlock`
    Field of the resource → its value. \`barcodes.0.code\` is a field of the first element of a list,
    \`alcool.degree\` one of a nested record.
  `,
  value,
);

export interface ListRule {
  readonly each: string | undefined;
  readonly when: ConditionRule | undefined;
  readonly fields: ReadonlyMap<string, ValueRule>;
  readonly lists: ReadonlyMap<string, ListRule> | undefined;
}

const listRule: Shape<ListRule> = reference('list', () => listShape);
const lists = optional(named('List of the resource → its elements.', listRule));
const listShape: Shape<ListRule> = object('How the elements of a list are made.', {
  each: optional(text('In JSON: the way to the array that has an element for each. Without it: an element per line.')),
  when: optional(condition),
  fields,
  lists,
});

const differences = optional(
  oneOf('What later lines say differently: the first counts, it counts and a warning is given, or it is refused.', [
    'first',
    'warn',
    'refuse',
  ]),
);

const resource = object('How the records of one resource are made.', {
  skip,
  fields,
  lists,
  group: optional(
    object('Lines with the same key are one record; its `fields` come from the first of them.', {
      by: list('The key.', value),
      apart: optional(
        oneOf('A key that comes again behind others: its lines are refused, or all lines are gathered first.', [
          'refuse',
          'gather',
        ]),
      ),
      differences,
    }),
  ),
  distinct: optional(
    object('Records with the key of an earlier one are not written again.', {
      differences,
    }),
  ),
  withdraw: optional(object('Lines that withdraw the record of their key.', { when: condition })),
});

const columnText = {
  encoding: optional(oneOf('How the text is encoded; utf-8 where this is left out.', ['utf-8', 'windows-1252'])),
  comment: optional(text('Lines that begin so are left out.')),
};

const format = tagged('How the file is laid out.', 'kind', {
  csv: object('Columns between delimiters.', {
    kind: oneOf('csv', ['csv']),
    ...columnText,
    delimiter: optional(oneOf('What stands between columns; a comma where this is left out.', [',', ';', '\t', '|'])),
    quote: optional(oneOf('What values are quoted with; none: a quotation mark is a letter.', ['"', "'", 'none'])),
    header: optional(flag('Whether the first line names the columns; true where this is left out.')),
    columns: optional(list('Names of the columns where no line has them.', text('Name.'))),
    missingColumns: optional(oneOf('Lines with too few columns.', ['refuse', 'empty'])),
  }),
  fixed: object('Columns at fixed places.', {
    kind: oneOf('fixed', ['fixed']),
    ...columnText,
    columns: list(
      'The columns.',
      object('A column.', {
        name: text('Name.'),
        start: integer('Place of its first character, from 1.', 1, 100_000),
        length: integer('Characters.', 1, 100_000),
      }),
    ),
    shortLines: optional(oneOf('Lines that end before their last column.', ['refuse', 'pad'])),
  }),
  ndjson: object('An object on each line.', { kind: oneOf('ndjson', ['ndjson']) }),
  json: object('One array of objects.', {
    kind: oneOf('json', ['json']),
    records: optional(
      text('The place of the array where an object holds it: a JSON Pointer such as /data/items.', memberPlace),
    ),
  }),
});

export const mappingShape = object('How a file of a warehouse system becomes records of one or several resources.', {
  $schema: optional(text('Address of this schema, for editors.')),
  title: optional(text('What the file is, for people.')),
  format,
  fileName: optional(
    text('What the name of the file must match; its named groups are the columns `file:NAME`.', fromStart),
  ),
  header: optional(
    object('The first line of the file is no record.', {
      pattern: text('What it must match; named groups are the columns `header:NAME`.', fromStart),
    }),
  ),
  trailer: optional(
    object('The last line of the file is no record; without it the file is not complete.', {
      pattern: text('What it must match, and no other line. A group `count` is the control count.', fromStart),
      counts: optional(
        oneOf('What the control count counts: lines of records, or all lines, header and trailer with them.', [
          'records',
          'lines',
        ]),
      ),
    }),
  ),
  message: optional(
    object('What the source says of the message; from `file:`, `header:` and `around:` columns and constants.', {
      id: optional(value),
      sequence: optional(value),
      extractionDate: optional(value),
    }),
  ),
  numbers: optional(object('How numbers are written.', numberOptions)),
  dates: optional(object('How dates are written.', { format: dateFormat, ...zoneOptions })),
  codeTables: optional(named('Code tables that several fields use.', codeTable)),
  skip,
  resources: named('Resource → how its records are made, in the order in which they are written.', resource),
});

export type MappingFile = Read<typeof mappingShape>;
export type FormatRule = Read<typeof format>;
export type JsonRule = Extract<FormatRule, { readonly kind: 'json' | 'ndjson' }>;
export type ResourceRule = Read<typeof resource>;

/** The JSON Schema of mapping files. */
export function mappingSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Mapping file of Logistics Connect',
    ...mappingShape.schema,
    $defs: { value: valueShape.schema, condition: conditionShape.schema, list: listShape.schema },
  };
}
