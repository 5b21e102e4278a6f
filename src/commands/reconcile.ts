// The command `reconcile`: checks whether the stock images of an activity agree with its movements.
import { Option, type Command } from 'commander';
import { existingActivities } from '../auth/activity-access.ts';
import { readMoment } from '../model/filter-values.ts';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';
import { type ReconciledPlace, type Reconciliation, reconcile } from '../platform/reconcile.ts';
import { type Environment, type ExitCode, exitCodes, type Output, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { describeCommand, storageSettings } from './help.ts';
import type { CommandLine } from './command-line.ts';
import { withStore } from './storage.ts';
import { writeTable } from './table.ts';

interface Options {
  readonly activity: string;
  readonly from: string;
  readonly to?: string;
  readonly all?: true;
  readonly format: 'table' | 'csv' | 'json';
}

export function declareReconcile(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('reconcile')
      .summary('compare stock images with movements')
      .description(
        textBlock`
          For each article, stock unit, lot and grade: what the earlier of two stock images has, with the movements
          between them, against what the later one has, and why it differs. The images are the newest that are not later
          than the instants. Shows what differs; with --all every place. As JSON each page is one line.
        `,
      )
      .requiredOption('--activity <code>', 'activity')
      .requiredOption('--from <instant>', 'day or date-time of the earlier image')
      .option('--to <instant>', 'day or date-time of the later image (default: now)')
      .option('--all', 'places without a difference too')
      .addOption(new Option('--format <format>', 'how to write it').choices(['table', 'csv', 'json']).default('table'))
      .action(async (options: Options) => done(await showReconciliation(environment, options))),
    {
      examples: [
        'reconcile --activity ACM --from 2026-03-01 --to 2026-03-08',
        'reconcile --activity ACM --from 2026-03-01 --all --format csv > stock.csv',
      ],
      settings: storageSettings,
    },
  );
}

/**
 * @throws UsageError for an invalid instant, or one before the other
 * @throws OperatorError when there is no such activity, or no image at the beginning
 */
async function showReconciliation(environment: Environment, options: Options): Promise<ExitCode> {
  const from = instantOf('--from', options.from);
  const to = options.to === undefined ? environment.now() : instantOf('--to', options.to);
  if (to < from)
    throw new UsageError(
      options.to === undefined
        ? '--from: expected an instant that is not in the future.'
        : '--to: expected an instant that is not before --from.',
    );
  const { stdout, stderr } = environment;
  await withStore(environment, async (store) => {
    await existingActivities(store, [options.activity]);
    const asked = { activity: options.activity, from, to, all: options.all === true };
    let last: Reconciliation | null = null;
    let isFirst = true;
    for (let after: string | null = null; isFirst || after !== null; after = last.after) {
      last = await reconcile(store, { ...asked, after }, { client: 'command' }).catch(told);
      if (options.format === 'json') writeJson(stdout, last);
      else if (options.format === 'csv') writeCsv(stdout, last.places, isFirst);
      else writePlaces(stdout, last, isFirst);
      if (isFirst) stderr.write(sameImage(last));
      isFirst = false;
    }
  });
  return exitCodes.done;
}

/** What agrees with itself was not reconciled, which nobody should take for good news. */
function sameImage({ from, to }: Reconciliation): string {
  const image = from.stockImageExtractionDate;
  return image === to.stockImageExtractionDate
    ? `Nothing was compared: there is no image after that of ${image}. Wait for one, or begin with an earlier one.\n`
    : '';
}

function instantOf(option: string, text: string): number {
  const moment = readMoment(text);
  if (moment.kind === 'wrong') throw new UsageError(`${option}: expected ${moment.expected}.`);
  return moment.kind === 'day' ? moment.from : Number(moment.value);
}

/** Turns the problem for a program into an error for a person, unless it brings one as its cause. */
function told(error: unknown): never {
  if (!(error instanceof Problem)) throw error;
  throw error.cause instanceof OperatorError ? error.cause : new OperatorError(error.message);
}

const headings = {
  ARTICLE: 'articleReference',
  UNIT: 'stockUnitID',
  LOT: 'articleLotNumber',
  GRADE: 'gradeCode',
  BEFORE: 'imageFrom',
  IN: 'movedIn',
  OUT: 'movedOut',
  EXPECTED: 'expected',
  AFTER: 'imageTo',
  DIFFERENCE: 'difference',
  CLASS: 'class',
} as const satisfies Readonly<Record<string, keyof ReconciledPlace>>;

function writePlaces(output: Output, { from, to, totals, places }: Reconciliation, isFirst: boolean): void {
  if (isFirst) {
    output.write(
      `Images of ${from.stockImageExtractionDate} and ${to.stockImageExtractionDate}: ${totals.places} places, ` +
        `${totals.imageFrom} + ${totals.movedIn} - ${totals.movedOut} = ${totals.expected} expected, ` +
        `${totals.imageTo} found, ${totals.differing} places differ.\n`,
    );
    if (totals.notCounted > 0) output.write(`Not counted: ${totals.notCounted} movements or rows.\n`);
    if (totals.withoutArticle > 0) output.write(`Without an article: ${totals.withoutArticle} movements.\n`);
  }
  if (places.length === 0) return;
  writeTable(
    output,
    Object.keys(headings),
    places.map((place) =>
      Object.values(headings).map((name) =>
        name === 'articleLotNumber' && place.lotsJoined ? '(all)' : textOf(place[name]),
      ),
    ),
  );
}

/** RFC 4180, with the field names of the interface. */
function writeCsv(output: Output, places: readonly ReconciledPlace[], isFirst: boolean): void {
  const names = [...Object.values(headings), 'lotsJoined'] as const;
  if (isFirst) output.write(`${names.join(',')}\r\n`);
  output.write(places.map((place) => `${names.map((name) => csvCell(textOf(place[name]))).join(',')}\r\n`).join(''));
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(value: string | number | boolean | null): string {
  return value === null ? '' : String(value);
}
