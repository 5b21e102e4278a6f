// The page of results: docs/reference/benchmarks.md.
import { textBlock } from '../../src/model/text-block.ts';
import type { Sizes } from './dataset.ts';
import { commit } from './machine.ts';
import { connections, rateShare, type Reached } from './measure-work.ts';
import type { Options } from './options.ts';
import type { Imported } from './imports.ts';
import type { DuringImport } from './reads-during-import.ts';
import { bulkTable, importTable, ratioTable, textTable } from './text-table.ts';
import type { Work } from './work.ts';

/** The results at one size. */
export interface SizeResults {
  readonly sizes: Sizes;
  readonly reached: ReadonlyMap<Work, readonly Reached[]>;
  readonly duringImport: readonly DuringImport[];
  readonly imports: readonly Imported[];
  readonly notes: readonly { readonly name: string; readonly note: string }[];
  /** Records that were compared field by field before measuring. */
  readonly compared: number;
  /** Whether servers and the load generator had a processor each. */
  readonly isPinned: boolean;
}

/** When and on what it was measured. */
interface Circumstances {
  readonly at: string;
  readonly commit: string;
  readonly machine: readonly string[];
  readonly options: Options;
}

/** Now, and what is measured. */
export function measuredAt(): Pick<Circumstances, 'at' | 'commit'> {
  return { at: new Date().toISOString().slice(0, 16).replace('T', ' '), commit: commit() };
}

/**
 * The page, in Markdown: a section for each size, with when and how it was measured.
 * @param earlier the page as it was, or empty: sections of sizes that are not in `results` stay, so that each size can
 * be measured in a run of its own
 */
export function resultsPage(results: readonly SizeResults[], circumstances: Circumstances, earlier: string): string {
  const sections = earlierSections(earlier);
  for (const each of results) sections.set(each.sizes.movements, sizeSection(each, circumstances).join('\n\n'));
  return `${[
    '<!-- Written by bench/peers/main.ts from runs. Do not edit: run `npm run bench:peers -- --write`. -->',
    '# Benchmarks beside other frameworks',
    textBlock`
      Same records, same machine, same run, same answers: what is compared, and how, stands in
      [bench/peers](../../bench/peers/README.md).
    `,
    howToRead,
    ...[...sections].toSorted(([a], [b]) => a - b).map(([, text]) => text.trim()),
  ].join('\n\n')}\n`;
}

/** The sections of a page by their sizes, movements. */
function earlierSections(page: string): Map<number, string> {
  const texts = page.split(/^(?=## )/m).slice(1);
  return new Map(texts.map((text) => [Number(/^## ([\d,]+) /.exec(text)?.[1]?.replaceAll(',', '')), text]));
}

const howToRead = textBlock`
  *requests/s*: ${connections} connections, each with one request at a time; the median of the runs, all taking turns.
  *CPU*: processor seconds for a thousand requests, of the server with its PostgreSQL server. *best peer : this*: how
  many times as many requests as the best peer it answers with the same processor time. *asked/s*: the fixed rate of the
  percentiles, ${rateShare} of what the same server reached; a request counts from when it was due, and one that failed
  or came after a second counts as longer than all others. *answers*: how many the percentiles are of. *memory*:
  proportional set size of the processes of the server after the runs, without PostgreSQL; *own*: without pages of
  files, such as the part of an SQLite database that is mapped. *load generator*: its share of the one processor that it
  has; near 100 % the figure is its limit and not that of the server. That limit is the line of nginx.
`;

/** When, on what and by which command a size was measured, and how long each run was. */
function circumstancesList({ at, commit: measured, machine, options }: Circumstances): string {
  const { rounds, seconds, latencyRounds } = options;
  const command = ['npm run bench:peers', ...(options.words.length > 0 ? ['--', ...options.words] : [])].join(' ');
  return [
    `${at} UTC, commit ${measured}`,
    `\`${command}\``,
    ...machine,
    `${rounds} runs of ${seconds} s, once three runs had brought no more than 3 %; ` +
      `percentiles: ${latencyRounds} of ${2 * seconds} s`,
  ]
    .map((each) => `- ${each}`)
    .join('\n');
}

function sizeSection(
  { sizes, reached, duringImport, imports, notes, compared, isPinned }: SizeResults,
  circumstances: Circumstances,
): readonly string[] {
  const count = (value: number): string => value.toLocaleString('en-GB');
  return [
    `## ${count(sizes.movements)} movements`,
    circumstancesList(circumstances),
    textBlock`
      Beside them ${count(sizes.orders)} orders and ${count(sizes.stock)} rows of stock. ${count(compared)} records of
      each server were compared field by field before the runs: all alike. How many times as many requests as the best
      peer our own servers answer with the same processor time:
    `,
    ratioTable(reached),
    ...(isPinned ? [] : ['Servers and the load generator shared the processors.']),
    ...[...reached].flatMap(([work, each]) => [`### ${work.name}`, `${capital(work.what)}.`, textTable(work, each)]),
    ...(duringImport.length === 0
      ? []
      : [
          '### reads-during-import',
          'Distinct pages of 100 movements, 100 a second, before and while `./logistics-connect import` reads a file.',
          importTable(duringImport),
        ]),
    ...(imports.length === 0
      ? []
      : [
          '### import',
          textBlock`
            A file of movements into an empty database, from the start of the process to its end: our own command, which
            checks each line, tells known records from new ones and renders them; peers by a program of their framework
            that inserts a thousand rows at a time and checks nothing.
          `,
          bulkTable(imports),
        ]),
    `### Who was measured at ${count(sizes.movements)}`,
    notes.map(({ name, note }) => `- ${name}: ${note}`).join('\n'),
  ];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
