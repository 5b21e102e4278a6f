// The command `client import`: registers and changes clients from a CSV file, all or none.
import type { Command } from 'commander';
import { carryOutClientPlan, type ClientPlan, planClients } from '../../auth/client-import.ts';
import { textBlock } from '../../model/text-block.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import { commandEntry } from '../audited.ts';
import { csvBytes } from '../csv-file.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { withSecretsFile } from '../secrets-file.ts';
import { withStore } from '../storage.ts';
import { clientsIn } from './csv.ts';

interface Options extends JsonOption {
  readonly dryRun?: true;
  readonly secrets?: string;
}

export function declareClientImport(client: Command, { environment, done }: CommandLine): void {
  describeCommand(
    client
      .command('import')
      .description(
        textBlock`
          Register and change clients as a CSV file lists them: all of them, or none where one line is wrong. The first
          line names the columns, as client export writes them. Without an id the name says which client is meant; a
          name that there is not yet is registered. A column that is missing, or an empty cell of yes or no, changes
          nothing; clients that are not in the file stay as they are. Secrets of new clients are written to a file that
          nobody else may read: hand them out, and delete it.
        `,
      )
      .argument('<file>', 'CSV file, - for standard input')
      .option('--dry-run', 'check everything and say what would be changed; change nothing')
      .option('--secrets <file>', 'where the secrets of new clients are written; it must not exist')
      .option(...jsonOption)
      .action(async (file: string, options: Options) => done(await importClients(environment, file, options))),
    {
      examples: ['client import clients.csv --dry-run', 'client import clients.csv --secrets secrets.csv'],
      settings: storageSettings,
    },
  );
}

/** @throws OperatorError that reports the faults by line; nothing is changed then */
async function importClients(environment: Environment, file: string, options: Options): Promise<ExitCode> {
  const listed = clientsIn(await csvBytes(environment, file));
  const plan = await withStore(environment, async (store) => {
    const planned = await planClients(store, listed, environment.now());
    if (options.dryRun !== true)
      await withSecretsFile(environment, secretsOf(planned), options.secrets ?? null, () =>
        carryOutClientPlan(store, planned, entriesOf(environment, planned)),
      );
    return planned;
  });
  report(environment, plan, options);
  return exitCodes.done;
}

function secretsOf({ added }: ClientPlan) {
  return {
    what: 'clients are new and confidential',
    heading: ['id', 'name', 'secret'],
    rows: added.flatMap(({ client: { id, name }, secret }) => (secret === null ? [] : [[id, name, secret]])),
  };
}

function entriesOf(environment: Environment, { added, changed }: ClientPlan): readonly NewAuditEntry[] {
  return [
    ...added.map(({ client: { id, activityCodes } }) =>
      commandEntry(environment, { action: 'client.add', target: id, activityCodes, details: { import: true } }),
    ),
    ...changed.map(({ before, changes: { disabledAt, ...changes } }) =>
      commandEntry(environment, {
        action: 'client.change',
        target: before.id,
        activityCodes: [...new Set([...before.activityCodes, ...(changes.activityCodes ?? [])])].sort(),
        details: {
          import: true,
          ...Object.fromEntries(
            Object.entries(changes).map(([field, after]) => [
              field,
              { before: Object.entries(before).find(([name]) => name === field)?.[1], after },
            ]),
          ),
          ...(disabledAt !== undefined && { disabled: disabledAt !== null }),
        },
      }),
    ),
  ];
}

function report({ stdout }: Environment, { added, changed, unchanged }: ClientPlan, options: Options): void {
  const names = { added: added.map(({ client }) => client.name), changed: changed.map(({ before }) => before.name) };
  if (options.json === true) {
    writeJson(stdout, { dryRun: options.dryRun === true, ...names, unchanged });
    return;
  }
  const counts = `${added.length} new, ${changed.length} changed, ${unchanged} unchanged`;
  if (options.dryRun === true) {
    const lines = [
      ...names.added.map((name) => `new      ${name}`),
      ...names.changed.map((name) => `changed  ${name}`),
    ];
    stdout.write([...lines, `It would be: ${counts}. Nothing was changed.\n`].join('\n'));
    return;
  }
  stdout.write(`clients: ${counts}\n`);
  if (changed.length > 0) stdout.write('What was withdrawn is closed within a minute, for tokens in hand too.\n');
  if (added.some(({ secret }) => secret !== null))
    stdout.write(`The secrets of new clients are in ${options.secrets}: hand them out, and delete it.\n`);
}
