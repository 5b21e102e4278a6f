// Reads part 2 of the interface document: the fields of every record, as its tables and lists give them.

/** One field as the document describes it. */
export interface DocumentedField {
  readonly name: string;
  /** `text`, `number`, `int32`, `int64`, `boolean`, `date-time`, `list` or `object`. */
  readonly type: string;
  /** Name of the nested record, where one is named. */
  readonly of: string | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly nullable: boolean;
  readonly readOnly: boolean;
}

/** Fields in the order of the document, by record name; the alcohol data goes by the name `Alcool`. */
export function documentedRecords(document: string): ReadonlyMap<string, readonly DocumentedField[]> {
  const part = /\n## 2\. [\s\S]*?(?=\n## 3\. )/.exec(document)?.[0] ?? '';
  const records = new Map<string, readonly DocumentedField[]>();
  for (const section of part.split('\n### ').slice(1)) {
    const heading = /^2\.\d+ ([A-Z][A-Za-z]+)/.exec(section)?.[1] ?? '';
    const rows = section.split('\n').filter(line => line.startsWith('| ')).slice(1);
    if (rows.length > 0) records.set(heading, rows.flatMap(tableRow));
    const alcohol = /Fields, all strings except (\w+) and (\w+) \(num\): ([^.]+)\./.exec(section);
    if (alcohol !== null) records.set('Alcool', (alcohol[3] ?? '').split(', ').map(name => field(name, alcohol.slice(1, 3).includes(name) ? 'num' : 'string', '-')));
    // 2.11 and 2.12 are no resources.
    if (heading === 'Shipping' || heading === 'Operation') continue;
    for (const [, record = '', list = ''] of section.matchAll(/^\*\*(\w+):\*\* (.+)\.$/gm)) records.set(record, listedFields(list));
  }
  return records;
}

function tableRow(line: string): readonly DocumentedField[] {
  const [names = '', type = '', length = ''] = line.split('|').slice(1).map(cell => cell.trim());
  const note = line.toLowerCase();
  // In the tables without lengths the third cell, if any, is a note.
  return namesOf(names).map(name => ({ ...field(name, type, /^[\d-]/.test(length) ? length : '-'), readOnly: note.includes('read-only') }));
}

/** `orderLineID (string), unitPriceHT, unitPriceTTC (num), …`: a type in parentheses holds for all names before it. */
function listedFields(list: string): readonly DocumentedField[] {
  return [...list.matchAll(/([^()]+) \(([^()]+)\)/g)].flatMap(([, names = '', type = '']) => namesOf(names.replace(/^, /, '')).map(name => field(name, type, '-')));
}

/** Names of `a, b and c` and of `a1 to a4`. */
function namesOf(text: string): readonly string[] {
  return text.replace(' (spelled so)', '').split(/, | and /).flatMap(part => {
    const range = /^([a-zA-Z]+)(\d+) to \1(\d+)$/.exec(part);
    if (range === null) return [part];
    const [, stem = '', from = '', to = ''] = range;
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${stem}${Number(from) + index}`);
  });
}

function field(name: string, type: string, length: string): DocumentedField {
  const bounds = /^(?:(\d+)-)?(\d+)/.exec(length);
  return {
    name,
    type: typeName(type),
    of: /array of ([A-Z]\w+)/.exec(type)?.[1] ?? null,
    min: bounds?.[1] === undefined ? null : Number(bounds[1]),
    max: bounds?.[2] === undefined ? null : Number(bounds[2]),
    nullable: type.includes('nullable'),
    readOnly: false,
  };
}

function typeName(type: string): string {
  if (type.startsWith('array of')) return 'list';
  if (type.includes('int64')) return 'int64';
  if (type.includes('int32')) return 'int32';
  const word = /^[a-z-]+/.exec(type)?.[0] ?? '';
  return { string: 'text', strings: 'text', num: 'number' }[word] ?? word;
}
