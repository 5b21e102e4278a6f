// The command `retention`: removes data whose retention has ended, or shows what would be removed.
import type { Command } from 'commander';
import { retentionTask } from '../jobs/background-tasks.ts';
import { retainRecords, type RetentionResult } from '../jobs/record-retention.ts';
import { retentionPolicy } from '../jobs/retention-policy.ts';
import { formatInstant } from '../model/instant.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import type { Store } from '../store/store.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

interface Options extends JsonOption {
  readonly activity?: string;
  readonly dryRun?: true;
}

export function declareRetention(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('retention')
      .summary('remove records that have had their time')
      .description(
        textBlock`
          Remove orders, movements, reports, procurements and refused lines of feeds that are older than the settings,
          or the activity (activity change --retention), say. Of messages of feeds the counts stay. A server does the
          same every six hours. With --dry-run nothing is removed. The age of a record is the time since it was last
          written. Stock images are not removed, nor counted, by this command: a server removes them by itself.
        `,
      )
      .option('--activity <code>', 'of this activity alone')
      .option('--dry-run', 'tell what would go')
      .option(...jsonOption)
      .action(async (options: Options) => done(await applyRetention(environment, options))),
    {
      examples: ['retention --dry-run', 'retention --activity ACM --json'],
      settings: [
        'dataDir',
        'databaseUrl',
        'movementRetentionDays',
        'orderRetentionDays',
        'orderReportRetentionDays',
        'procurementRetentionDays',
        'procurementReportRetentionDays',
        'feedRetentionDays',
      ],
    },
  );
}

/** @throws OperatorError when there is no such activity, or a server is doing the same */
async function applyRetention(environment: Environment, { activity, dryRun, json }: Options): Promise<ExitCode> {
  const results = await withStore(environment, async (store, config) => {
    const codes = (await store.activities.list()).map(({ code }) => code);
    if (activity !== undefined && !codes.includes(activity))
      throw new OperatorError(`There is no activity "${activity}".`, 'See `activity list`.');
    const found: RetentionResult[] = [];
    const policy = retentionPolicy(config, await store.retentionRules.list());
    const round = {
      policy,
      activities: activity === undefined ? codes : [activity],
      now: environment.now(),
      dryRun: dryRun === true,
      onResult: (result: RetentionResult): void => {
        found.push(result);
        if (json !== true && environment.stderr.isTTY === true)
          environment.stderr.write(`${result.activity} ${result.subject}: ${result.removed}\n`);
      },
    };
    if (dryRun === true) await retainRecords(store, round);
    else
      await alone(store, async () => {
        const stop = environment.interruption();
        await retainRecords(store, { ...round, stop });
        return activity === undefined && !stop.aborted;
      });
    if (dryRun !== true) await recorded(environment, store, found);
    return found;
  });
  if (json === true)
    writeJson(environment.stdout, {
      dryRun: dryRun === true,
      results: results.map((result) => ({ ...result, before: formatInstant(result.before) })),
    });
  else if (results.length === 0)
    environment.stdout.write('Everything is kept for ever: no setting and no activity says otherwise.\n');
  else
    writeTable(
      environment.stdout,
      ['ACTIVITY', 'WHAT', 'WRITTEN BEFORE', dryRun === true ? 'WOULD GO' : 'REMOVED', 'WITH THEM', 'HELD BACK'],
      results.map(({ activity: code, subject, before, removed, along, heldBack }) => [
        code,
        subject,
        minuteText(before),
        String(removed),
        alongText(along),
        String(heldBack),
      ]),
    );
  return exitCodes.done;
}

/**
 * One process of a database at a time.
 * @param work whether it was a whole round; otherwise the servers' next one is due as it was before
 */
async function alone(store: Store, work: () => Promise<boolean>): Promise<void> {
  const lease = await store.jobLeases().take(retentionTask, 0);
  if (typeof lease === 'number')
    throw new OperatorError(
      'A server is removing old records at this moment.',
      'Nothing need be done; try again later.',
    );
  const renewing = setInterval(() => void lease.renew().catch(() => undefined), renewEveryMs).unref();
  let isWhole = false;
  try {
    isWhole = await work();
  } finally {
    clearInterval(renewing);
    await (isWhole ? lease.end() : lease.release());
  }
}

const renewEveryMs = 20_000;

async function recorded(environment: Environment, store: Store, results: readonly RetentionResult[]): Promise<void> {
  const removed = results.filter((result) => result.removed > 0);
  if (removed.length === 0) return;
  await recordCommand(environment, store, {
    action: 'retention',
    target: null,
    activityCodes: [...new Set(removed.map(({ activity }) => activity))],
    details: removed.map(({ activity, subject, removed: count }) => ({ activity, subject, removed: count })),
  });
}

function alongText(along: Readonly<Record<string, number>>): string {
  const parts = Object.entries(along).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? '-' : parts.join(', ');
}
