// The command `feed try`: shows what importing a file would do.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { type TriedFile, type TriedResource, type TriedWay, tryFile } from '../../feeds/try-file.ts';
import { emptyFile } from '../../feeds/folder/take-file.ts';
import { readMapping } from '../../feeds/mapping/compile.ts';
import { numberInFile, placeText } from '../../feeds/record-splitter.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { type Fields, isScalar } from '../../model/resource.ts';
import { isObject } from '../../model/scalar.ts';
import { textBlock } from '../../model/text-block.ts';
import { resources } from '../../resources/index.ts';
import { type Environment, type ExitCode, exitCodes, type Output, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { safeForTerminal } from '../table.ts';

export function declareTryFile(feed: Command, { environment, done }: CommandLine): void {
  describeCommand(
    feed
      .command('try')
      .summary('show what would come of a file')
      .description(
        textBlock`
          Read a file as a feed would, and show what would come of it: the first records as they would be published,
          with what is unpublished; refused lines with their reasons, and lines that rules leave out. Nothing is
          written, and no database is needed.
        `,
      )
      .argument('<mapping>', 'mapping file; or a resource, for a file in the shape of the interface')
      .argument('<file>', 'the file; its name counts where the mapping says so')
      .option('--activity <code>', 'activity that the records would belong to', 'ABC')
      .option('--show <count>', 'records, refused lines and warnings that are shown of each resource', '3')
      .option(...jsonOption)
      .action(async (mapping: string, file: string, options: JsonOption & { activity: string; show: string }) =>
        done(
          await runTry(environment, {
            mapping,
            file,
            activity: options.activity,
            shown: countOf(options.show),
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'feed try orders.json ORDERS_0042.csv',
        'feed try articles articles.ndjson --show 10',
        'feed try orders.json ORDERS_0042.csv --json',
      ],
      codes: {
        [exitCodes.failed]: 'the mapping is wrong, or the file would be refused as a whole',
        [exitCodes.linesRefused]: 'lines would be refused',
      },
      settings: ['gtinLengths'],
    },
  );
}

interface TryRequest {
  readonly mapping: string;
  readonly file: string;
  readonly activity: string;
  readonly shown: number;
  readonly json: boolean;
}

/** @throws OperatorError when mapping or file cannot be read, or the file does not match the mapping */
async function runTry(
  environment: Environment,
  { mapping, file, activity, shown, json }: TryRequest,
): Promise<ExitCode> {
  const way = wayOf(environment, mapping);
  const path = resolve(environment.folder, file);
  const size = checkFile(path);
  const tried = await tryFile({
    way,
    path,
    read: () => createReadStream(path, { highWaterMark: 256 * 1024 }),
    activity,
    gtinLengths: readConfig(environment.variables, environment.folder).gtinLengths,
    shown,
    now: environment.now(),
  });
  const { code, detail } = emptyFile;
  const found: TriedFile = size > 0 ? tried : { ...tried, faults: [{ code, pointer: '', detail }] };
  if (json) writeJson(environment.stdout, jsonOf(found));
  else writeText(environment.stdout, basename(path), found);
  if (found.faults.length > 0) return exitCodes.failed;
  return found.resources.some(({ refused }) => refused > 0) ? exitCodes.linesRefused : exitCodes.done;
}

function countOf(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--show takes a number from 0 to 9999.');
  return Number(text);
}

function wayOf({ folder }: Environment, name: string): TriedWay {
  const path = resolve(folder, name);
  const resource = resources.find((each) => each.name === name);
  if (resource !== undefined && !existsSync(path)) return { resource };
  return { mapping: readMapping(textIn(path), name, resources) };
}

function textIn(path: string): string {
  checkFile(path);
  return readFileSync(path, 'utf8');
}

/** @returns its bytes @throws OperatorError when it is not a readable file */
function checkFile(path: string): number {
  try {
    const found = statSync(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`, '', {
      cause: error,
    });
  }
  throw new OperatorError(`${path} is no file.`);
}

function jsonOf({ resources: found, ...rest }: TriedFile): unknown {
  return {
    ...rest,
    resources: found.map(({ lines, ...each }) => ({
      ...each,
      lines:
        lines === null
          ? null
          : {
              lines: lines.lines,
              structure: lines.structure,
              inRecords: lines.inRecords,
              same: lines.same,
              skipped: Object.fromEntries(lines.skipped),
            },
    })),
  };
}

function writeText(output: Output, name: string, { message, faults, resources: found }: TriedFile): void {
  const write = (line: string): void => void output.write(`${safeForTerminal(line)}\n`);
  const said = Object.entries(message).flatMap(([what, value]) => (value === null ? [] : [`${what} ${value}`]));
  if (said.length > 0) write(`${name} says: ${said.join(', ')}`);
  for (const { detail } of faults) write(`The file would be refused as a whole: ${detail}`);
  for (const each of found) writeResource(write, each);
}

function writeResource(write: (line: string) => void, found: TriedResource): void {
  const { resource, read, taken, again, withdrawn, refused, warned, lines } = found;
  const counts = [
    `${read} read`,
    `${taken} taken`,
    ...(again > 0 ? [`${again} said again`] : []),
    ...(withdrawn > 0 ? [`${withdrawn} withdrawn`] : []),
    `${refused} refused`,
    ...(warned > 0 ? [`${warned} with a warning`] : []),
  ];
  write(`${resource}: ${counts.join(', ')}`);
  if (lines !== null) {
    const rules = [...lines.skipped].map(([rule, count]) => `${count} ${rule}`);
    const same = lines.same === 0 ? '' : ` (${lines.same} of records that came before)`;
    write(`  lines: ${lines.lines} = ${lines.inRecords} of records${same} + ${lines.structure} header and trailer`);
    if (rules.length > 0) write(`    + left out: ${rules.join(', ')}`);
  }
  const { fields = {}, unpublished = {} } = resources.find(({ name }) => name === resource) ?? {};
  for (const record of found.records) write(`  ${JSON.stringify(filled(record, { ...fields, ...unpublished }))}`);
  if (found.records.length > 0) write('  (without what is null, and what the service gives; --json shows all)');
  for (const { reasons, text, ...place } of found.refusedLines) {
    const said = reasons.map(({ detail }) => detail).join(' ');
    write(`  refused, ${placeText(numberInFile(place), place).toLowerCase()}: ${said}`);
    write(`    ${(text ?? '').slice(0, maxShownText)}`);
  }
  if (refused > found.refusedLines.length)
    write(`  and ${refused - found.refusedLines.length} more refused; see --show`);
  for (const { detail, ...place } of found.warnings)
    write(`  warning, ${placeText(numberInFile(place), place).toLowerCase()}: ${detail}`);
}

const maxShownText = 300;

/** The part of a record that comes from the file. */
function filled(value: Readonly<Record<string, unknown>>, fields: Fields): unknown {
  const entries = Object.entries(value).flatMap(([name, each]) => {
    const field = fields[name];
    if (field === undefined || field.assigned !== undefined || each === null || each === '') return [];
    if (isScalar(field)) return [[name, each]];
    if (!Array.isArray(each)) return isObject(each) ? [[name, filled(each, field.fields)]] : [];
    const elements = each.filter(isObject).map((element) => filled(element, field.fields));
    return elements.length === 0 ? [] : [[name, elements]];
  });
  return Object.fromEntries(entries);
}
