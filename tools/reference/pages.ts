// The reference pages that are not about a single resource: settings, problems, filters, and the index of all.
import { textBlock } from '../../src/model/text-block.ts';
import { filterRules, operatorsOf, typeName } from '../../src/api/descriptions/list-parameters.ts';
import type { Setting } from '../../src/config/setting-kinds.ts';
import { settings } from '../../src/config/settings.ts';
import { filterFields, parseFilter } from '../../src/model/filter.ts';
import { Problem, problems } from '../../src/model/problem.ts';
import { reasonCodes } from '../../src/model/reason-codes.ts';
import type { Resource } from '../../src/model/resource.ts';
import { maxSortKeys, sortFields } from '../../src/model/sort.ts';
import { code, generatedMark, page, markdownTable } from './markdown.ts';

/** Environment variables of the program. */
export function settingsPage(): string {
  return page(
    generatedMark('src/config/settings.ts'),
    '# Settings',
    textBlock`
      The program is set up by environment variables, or by a file of them: \`--config FILE\`, else
      \`./logistics-connect.env\`. None is needed to try it out. \`./logistics-connect serve --help\` prints the same
      table. A value of the type secret may stand in a file of its own, one line, which the variable of the same name
      with \`_FILE\` behind it names: \`SECRET_KEY_FILE=/run/secrets/secret_key\`.
    `,
    markdownTable(
      ['variable', 'type', 'range', 'default', 'meaning'],
      Object.values(settings).map(({ name, kind, default: standard, meaning }: Setting) => [
        code(name),
        kind.name,
        kind.range ?? '',
        standard === null || standard === '' ? '' : code(standard),
        meaning,
      ]),
    ),
  );
}

/** The catalogue of problems. */
export function problemsPage(): string {
  return page(
    generatedMark('src/model/problem.ts and src/model/reason-codes.ts'),
    '# Problems',
    'An answer with a status from 400 up has a ProblemDetails body (RFC 9457). Its `type` is ' +
      '`{base_url}/problems/` and one of these names, an address under which the service shows the same text. Decide ' +
      'by `type` or status; `detail` is for people.',
    markdownTable(
      ['status', 'name', 'title'],
      Object.entries(problems).map(([slug, { status, title }]) => [String(status), `[${code(slug)}](#${slug})`, title]),
    ),
    ...Object.entries(problems).flatMap(([slug, { status, title, page: text }]) => [
      `## ${slug}`,
      `**${status}: ${title}** ${text}`,
    ]),
    '## Reasons',
    'What is wrong with a value, a record, a file or a message: the `code` of the reasons in the result of a write, ' +
      'of refused lines, and of refused messages. New ones may come; `pointer` says where, `detail` says more to ' +
      'people.',
    markdownTable(
      ['code', 'meaning'],
      Object.entries(reasonCodes).map(([name, meaning]) => [code(name), meaning]),
    ),
  );
}

/** The filter language, and the fields by which each list can be filtered and sorted. */
export function filtersPage(resources: readonly Resource[]): string {
  const kinds = ['text', 'integer', 'decimal', 'boolean', 'date-time'] as const;
  return page(
    generatedMark('src/api/descriptions/list-parameters.ts and src/resources'),
    '# Filters and sorting',
    'Every list takes the same parameters. For the common case there is one named like each field: ' +
      '`?activityCode=AUR&activityCode=NOR` lists the records in which it is one of these values. For everything ' +
      'else there is `filter`, an expression in a subset of RSQL; both together narrow the list further. `sort` ' +
      `names up to ${maxSortKeys} fields, each with an optional \`-\` for descending order: ` +
      '`sort=-dateLastUpdate,articleReference`.',
    '## Rules',
    filterRules.map((rule) => `- ${rule}`).join('\n'),
    '## Operators',
    markdownTable(
      ['type', 'operators'],
      kinds.map((kind) => [typeName(kind), operatorsOf(kind).map(code).join(' ')]),
    ),
    '## Grammar',
    `\`\`\`abnf\n${grammar}\n\`\`\``,
    '## Examples',
    examples.map(([text, meaning]) => `- ${code(text)}: ${meaning}`).join('\n'),
    'In a URL the value is percent-encoded: ' +
      '`curl -G --data-urlencode "filter=…" "{base_url}/orders"` does it for you.',
    '## When it is not right',
    `\`\`\`json\n${JSON.stringify(refusal(resources), null, 2)}\n\`\`\``,
    '## Fields of each list',
    ...resources.flatMap((resource) => [
      `### ${resource.record}`,
      markdownTable(
        ['field', 'type', 'sort'],
        [...filterFields(resource)].map(([selector, field]) => [
          code(selector),
          typeName(field.kind),
          sortFields(resource).has(selector) ? 'yes' : '',
        ]),
      ),
    ]),
  );
}

/** The list of all pages. */
export function indexPage(resources: readonly Resource[]): string {
  return page(
    generatedMark('everything below'),
    '# Reference',
    [
      '- [Settings](settings.md)',
      '- [Problems](problems.md)',
      '- [Filters and sorting](filters.md)',
      '- [What each carrier can do](carriers.md)',
      '- [JSON Schema of mapping files](feed-mapping.schema.json)',
      '- [OpenAPI document](openapi.json)',
      '- [OpenAPI document of the platform interface](platform-openapi.json)',
      '- [Benchmarks beside other frameworks](benchmarks.md), from a run',
      ...resources.map(
        ({ name, record, clause }) =>
          `- [${record}](${name}.md)${clause === null ? '' : `, clause ${clause} of the interface`}`,
      ),
    ].join('\n'),
  );
}

const grammar = `filter     = or-expr
or-expr    = and-expr *( or-op and-expr )
and-expr   = term *( and-op term )
term       = "(" or-expr ")" / comparison
or-op      = "," / ( 1*SP "or" 1*SP )
and-op     = ";" / ( 1*SP "and" 1*SP )
comparison = field operator argument
field      = one of the list's fields, case-sensitive
operator   = "==" / "!=" / "=lt=" / "<" / "=le=" / "<=" / "=gt=" / ">" / "=ge=" / ">=" / "=in=" / "=out=" / "=null="
argument   = value / "(" value *( "," value ) ")"   ; a list only after =in= and =out=
value      = unquoted / DQUOTE *quoted DQUOTE / "'" *quoted "'"
unquoted   = 1*( any character but white space and " ' ( ) ; , = ! ~ < > )
quoted     = "\\" any character / any character but the quote and "\\"`;

const examples: readonly (readonly [text: string, meaning: string])[] = [
  ['articleReference==TEE-*', 'the reference starts with `TEE-`.'],
  ['dateLastUpdate=ge=2026-03-01;dateLastUpdate=lt=2026-04-01', 'stored in March 2026 (UTC).'],
  ['movementCode=in=(PICKING,SHIPMENT)', 'one of two codes.'],
  [
    '(movementDirection==O,movementCode==SCRAP);gradeCode!=STD',
    'outward or scrapped, and of a grade other than `STD`.',
  ],
  ['movementReason=null=true', 'no reason is known.'],
];

/** The response to a mistyped field. */
function refusal(resources: readonly Resource[]): unknown {
  const [resource] = resources.filter((one) => one.closed);
  try {
    if (resource !== undefined) parseFilter('articleRefrence==TEE-ORG-NVY-M', filterFields(resource));
  } catch (error) {
    if (error instanceof Problem)
      return {
        type: `{base_url}/problems/${error.slug}`,
        title: problems[error.slug].title,
        status: problems[error.slug].status,
        detail: error.detail,
        ...error.extra,
      };
  }
  throw new Error('The example of a mistyped filter is right: choose another one.');
}
