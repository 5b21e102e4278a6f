// The command `key import`: makes and revokes platform keys from a CSV file, all or none.
import type { Command } from 'commander';
import { carryOutKeyPlan, type KeyPlan, planKeys } from '../../auth/platform-key-import.ts';
import { textBlock } from '../../model/text-block.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import { commandEntry } from '../audited.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { csvBytes } from '../csv-file.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { withSecretsFile } from '../secrets-file.ts';
import { withStore } from '../storage.ts';
import { keysIn } from './csv.ts';

interface Options extends JsonOption {
  readonly dryRun?: true;
  readonly secrets?: string;
}

export function declareKeyImport(key: Command, { environment, done }: CommandLine): void {
  describeCommand(
    key
      .command('import')
      .description(
        textBlock`
          Make and revoke keys as a CSV file lists them: all of them, or none where one line is wrong. The first line
          names the columns, as key export writes them. Without an id the name says which key is meant; a name that no
          valid key has yet is made, for the activities that the line lists (* for every activity). A line whose column
          revoked says yes or an instant revokes its key; nothing else about a key can be changed. Keys that are not in
          the file stay as they are. New keys are written to a file that nobody else may read: hand them out, and delete
          it.
        `,
      )
      .argument('<file>', 'CSV file, - for standard input')
      .option('--dry-run', 'check everything and say what would be changed; change nothing')
      .option('--secrets <file>', 'where new keys are written; it must not exist')
      .option(...jsonOption)
      .action(async (file: string, options: Options) => done(await importKeys(environment, file, options))),
    {
      examples: ['key import keys.csv --dry-run', 'key import keys.csv --secrets new-keys.csv'],
      settings: storageSettings,
    },
  );
}

/** @throws OperatorError that reports the faults by line; nothing is changed then */
async function importKeys(environment: Environment, file: string, options: Options): Promise<ExitCode> {
  const listed = keysIn(await csvBytes(environment, file));
  const { plan, consumers } = await withStore(environment, async (store) => {
    const now = environment.now();
    const planned = await planKeys(store, listed, now);
    if (options.dryRun !== true)
      await withSecretsFile(environment, secretsOf(planned), options.secrets ?? null, () =>
        carryOutKeyPlan(store, planned, now, entriesOf(environment, planned)),
      );
    return { plan: planned, consumers: (await store.outbox.consumers()).map(({ consumer }) => consumer) };
  });
  report(environment, plan, new Set(consumers), options);
  return exitCodes.done;
}

function secretsOf({ added }: KeyPlan) {
  return {
    what: 'keys are new',
    heading: ['id', 'name', 'key'],
    rows: added.map(({ stored: { id, name }, text }) => [id, name, text]),
  };
}

function entriesOf(environment: Environment, { added, revoked }: KeyPlan): readonly NewAuditEntry[] {
  return [
    ...added.map(({ stored: { id, name, activityCodes, roles } }) =>
      commandEntry(environment, {
        ...{ action: 'key.add', target: id, activityCodes: activityCodes ?? [] },
        details: { import: true, name, all: activityCodes === null, roles },
      }),
    ),
    ...revoked.map(({ id, name, activityCodes }) =>
      commandEntry(environment, {
        ...{ action: 'key.revoke', target: id, activityCodes: activityCodes ?? [] },
        details: { import: true, name },
      }),
    ),
  ];
}

function report(
  { stdout }: Environment,
  { added, revoked, unchanged }: KeyPlan,
  consumers: ReadonlySet<string>,
  options: Options,
): void {
  const names = { added: added.map(({ stored }) => stored.name), revoked: revoked.map(({ name }) => name) };
  if (options.json === true) {
    writeJson(stdout, { dryRun: options.dryRun === true, ...names, unchanged });
    return;
  }
  const counts = `${added.length} new, ${revoked.length} revoked, ${unchanged} unchanged`;
  if (options.dryRun === true) {
    const lines = [
      ...names.added.map((name) => `new      ${name}`),
      ...names.revoked.map((name) => `revoked  ${name}`),
    ];
    stdout.write([...lines, `It would be: ${counts}. Nothing was changed.\n`].join('\n'));
    return;
  }
  stdout.write(`keys: ${counts}\n`);
  if (added.length > 0) stdout.write(`The new keys are in ${options.secrets}: hand them out, and delete it.\n`);
  for (const { id } of revoked.filter((key) => consumers.has(key.id)))
    stdout.write(
      `The outbox still keeps what the key ${id} did not take. Another key goes on there with consumer=${id}; if none` +
        ` shall: ./logistics-connect outbox forget ${id}\n`,
    );
}
