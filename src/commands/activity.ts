// The commands `activity …`: the accounts of client companies.
import type { Command } from 'commander';
import { type RetentionPolicy, retentionPolicy, retentionSubjects } from '../jobs/retention-policy.ts';
import { formatRetention } from '../jobs/retention-text.ts';
import { checkActivity } from '../store/activities.ts';
import { declareActivityChange } from './activity/change.ts';
import { declareActivityExport } from './activity/export.ts';
import { declareActivityImport } from './activity/import.ts';
import { declareActivityRemove } from './activity/remove.ts';
import { commandEntry } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { withNewStore, withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

export function declareActivity(program: Command, line: CommandLine): void {
  const { environment, done } = line;
  const activity = describeCommand(
    program.command('activity').description("Client companies' accounts: every record belongs to one."),
    { examples: ['activity add ACM "Acme Home"', 'activity list'] },
  );
  describeCommand(
    activity
      .command('add')
      .description('Add an activity; the same again changes nothing.')
      .argument('<code>', '1 to 3 letters A to Z or digits')
      .argument('<name>', '1 to 30 characters')
      .option(...jsonOption)
      .action(async (code: string, name: string, options: JsonOption) =>
        done(await addActivity(environment, { code, name, json: options.json === true })),
      ),
    { examples: ['activity add ACM "Acme Home"'], settings: storageSettings },
  );
  describeCommand(
    activity
      .command('list')
      .description('List the activities.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await listActivities(environment, { json: options.json === true }))),
    { examples: ['activity list'], settings: storageSettings },
  );
  declareActivityChange(activity, line);
  declareActivityRemove(activity, line);
  declareActivityExport(activity, line);
  declareActivityImport(activity, line);
}

/**
 * Adds an activity; creates the database if there is none. Repeating it with the same code and name changes nothing.
 * @throws OperatorError when code or name is malformed, or the code already has another name
 */
async function addActivity(
  environment: Environment,
  wanted: { readonly code: string; readonly name: string; readonly json: boolean },
): Promise<ExitCode> {
  const { code, json } = wanted;
  await checkBefore(environment, wanted);
  const { name, place } = await withNewStore(environment, async (store, config) => {
    const audit = commandEntry(environment, { action: 'activity.add', target: code, activityCodes: [code] });
    const stored = await store.activities.add(code, wanted.name, () => audit);
    return { name: stored, place: store.engine.dialect === 'sqlite' ? config.dataDir : 'the PostgreSQL database' };
  });
  if (json) writeJson(environment.stdout, { code, name });
  else {
    environment.stdout.write(
      `Activity ${code} (${name}) is in ${place}.\n` +
        `Next, bring its records in:  ./logistics-connect import articles FILE --activity ${code}\n` +
        `and let someone read them:   ./logistics-connect user add LOGIN --activity ${code}\n` +
        `                             ./logistics-connect client add NAME --redirect URI --activity ${code}\n`,
    );
  }
  return exitCodes.done;
}

/** Before a database is made for it; a name that an earlier version stored stays a name. */
async function checkBefore(
  environment: Environment,
  { code, name }: { readonly code: string; readonly name: string },
): Promise<void> {
  try {
    checkActivity(code, name);
  } catch (error) {
    const known = await withStore(environment, ({ activities }) => activities.named([code])).catch(() => []);
    if (known[0]?.name !== name) throw error;
  }
}

/** Lists the activities by code, with their retention rules that differ from the settings. */
async function listActivities(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const { known, policy } = await withStore(environment, async (store, config) => ({
    known: await store.activities.list(),
    policy: retentionPolicy(config, await store.retentionRules.list()),
  }));
  if (json)
    writeJson(
      environment.stdout,
      known.map(({ code, name, createdAt, lastWriteAt }) => ({
        code,
        name,
        createdAt: instantText(createdAt),
        lastWriteAt: instantText(lastWriteAt),
        retention: Object.fromEntries(
          retentionSubjects.map((subject) => {
            const { days, isOwn } = policy(code, subject);
            return [subject, { days, from: isOwn ? 'activity' : 'settings' }];
          }),
        ),
      })),
    );
  else
    writeTable(
      environment.stdout,
      ['CODE', 'NAME', 'CREATED', 'LAST WRITE', 'RETENTION'],
      known.map(({ code, name, createdAt, lastWriteAt }) => [
        code,
        name,
        minuteText(createdAt),
        minuteText(lastWriteAt),
        ownRetention(code, policy),
      ]),
    );
  return exitCodes.done;
}

/** The activity's own rules; `-`: everything follows the settings. */
function ownRetention(code: string, policy: RetentionPolicy): string {
  const own = retentionSubjects.flatMap((subject) => {
    const { days, isOwn } = policy(code, subject);
    return isOwn ? [[subject, days] as const] : [];
  });
  return own.length === 0 ? '-' : formatRetention(new Map(own));
}
