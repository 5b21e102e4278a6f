// Reads the interface document, where it is at hand: the fields of its records, and the table of its endpoints.

/** One field as the document describes it; see `FieldFacts`. */
interface DocumentedField {
  readonly name: string;
  readonly type: string;
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
    const rows = section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1);
    if (rows.length > 0) records.set(heading, rows.flatMap(tableRow));
    const alcohol = /Fields, all strings except (\w+) and (\w+) \(num\): ([^.]+)\./.exec(section);
    if (alcohol !== null)
      records.set(
        'Alcool',
        (alcohol[3] ?? '')
          .split(', ')
          .map((name) => field(name, alcohol.slice(1, 3).includes(name) ? 'num' : 'string', '-')),
      );
    // Those of clauses 2.11 and 2.12 are no resources.
    if (heading === 'Shipping' || heading === 'Operation') continue;
    for (const [, record = '', list = ''] of section.matchAll(/^\*\*(\w+):\*\* (.+)\.$/gm))
      records.set(record, listedFields(list));
  }
  return records;
}

/** Names of the fields of the records that are no lists (clauses 2.11, 2.12), by record name. */
export function documentedNames(document: string): ReadonlyMap<string, readonly string[]> {
  const request = /\*\*LabelRequest\*\* \([^)]*\):\n([\w, ]+)\./.exec(document)?.[1] ?? '';
  const others = ['LabelResult', 'Tracking', 'OperationResult', 'ProblemDetails'].map((record) => {
    const text = new RegExp(`\\*\\*${record}(?:\\*\\* \\([^)]*\\))?:(?:\\*\\*)? ([^\\n]+)`).exec(document)?.[1] ?? '';
    return [record, namesBeforeTypes(text)] as const;
  });
  return new Map([['LabelRequest', request.split(', ')], ...others]);
}

/** `status (string), outputs (array of objects with name: string)`: what stands outside of the parentheses. */
function namesBeforeTypes(text: string): readonly string[] {
  const [names = ''] = text.replaceAll(/ ?\([^()]*\)/g, '').split(/[.;]/);
  return names.split(', ').map((name) => name.trim());
}

/** Clause, method and path of every endpoint, in the order of the table of part 4. */
export function documentedEndpoints(
  document: string,
): readonly (readonly [clause: string, method: string, path: string])[] {
  const clauses = new Map(
    [...document.matchAll(/^### (4\.\d+) (\w+ \S+)$/gm)].map(([, clause = '', call = '']) => [call, clause]),
  );
  return [...document.matchAll(/^\| \d+ \| (GET|POST) \| (\S+) \|/gm)].map(
    ([, method = '', path = '']) => [clauses.get(`${method} ${path}`) ?? '', method, path] as const,
  );
}

function tableRow(line: string): readonly DocumentedField[] {
  const [names = '', type = '', length = ''] = line
    .split('|')
    .slice(1)
    .map((cell) => cell.trim());
  const note = line.toLowerCase();
  // In the tables without lengths the third cell, if any, is a note.
  return namesOf(names).map((name) => ({
    ...field(name, type, /^[\d-]/.test(length) ? length : '-'),
    readOnly: note.includes('read-only'),
  }));
}

/** `orderLineID (string), unitPriceHT, unitPriceTTC (num), …`: a type in parentheses holds for all before it. */
function listedFields(list: string): readonly DocumentedField[] {
  return [...list.matchAll(/([^()]+) \(([^()]+)\)/g)].flatMap(([, names = '', type = '']) =>
    namesOf(names.replace(/^, /, '')).map((name) => field(name, type, '-')),
  );
}

/** Names of `a, b and c` and of `a1 to a4`. */
function namesOf(text: string): readonly string[] {
  return text
    .replace(' (spelled so)', '')
    .split(/, | and /)
    .flatMap((part) => {
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
