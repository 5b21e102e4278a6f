// The command `audit`: who did what, from the audit trail.
import type { Command } from 'commander';
import { existingActivities } from '../auth/activity-access.ts';
import { dayMs, isDayText, parseInstant } from '../model/instant.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import { published } from '../platform/audit.ts';
import type { AuditEntry, AuditQuery } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { type Environment, type ExitCode, exitCodes, type Output, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { withStore } from './storage.ts';
import { safeForTerminal, writeTable } from './table.ts';

interface AuditOptions extends JsonOption {
  since?: string;
  until?: string;
  activity?: string;
  operation?: string;
  action?: string;
  actor?: string;
  limit: string;
}

export function declareAudit(program: Command, { environment, done }: CommandLine): void {
  describeCommand(
    program
      .command('audit')
      .summary('show who wrote what')
      .description(
        textBlock`
          Show who wrote what, when, from where and with what outcome, newest first. With --json one entry a line,
          whole.
        `,
      )
      .option('--since <instant>', 'a day, or an instant such as 2026-01-31T08:00:00Z')
      .option('--until <instant>', 'a day, which belongs to it, or an instant, which does not')
      .option('--activity <code>', 'what concerns this activity')
      .option('--operation <id>', 'the operation with this operationId, whole, with its result')
      .option('--action <name>', 'such as articles.submit, document.upload, outbox.acknowledge, key.add')
      .option('--actor <id>', 'id of a client or key, or a login of this machine')
      .option('--limit <number>', 'most entries', '100')
      .option(...jsonOption)
      .action(async (options: AuditOptions) =>
        done(
          await showAudit(environment, {
            since: options.since ?? null,
            until: options.until ?? null,
            activity: options.activity ?? null,
            operation: options.operation ?? null,
            action: options.action ?? null,
            actor: options.actor ?? null,
            limit: options.limit,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'audit --since 2026-01-31 --activity ACM',
        'audit --operation 019b2f3e-7c1a-7d20-9c55-3a1f0e6b7d42',
        'audit --limit 100000 --json > audit.ndjson',
      ],
      settings: storageSettings,
    },
  );
}

/** The options as given; null: not given. */
interface AuditRequest {
  readonly since: string | null;
  readonly until: string | null;
  readonly activity: string | null;
  readonly operation: string | null;
  readonly action: string | null;
  readonly actor: string | null;
  readonly limit: string;
  readonly json: boolean;
}

const maxShown = 10_000_000;
const readAtOnce = 1000;

/**
 * Shows entries, newest first: a table, one entry per line with `json`, or complete entries for a single operation.
 * @throws UsageError for an invalid instant or number
 * @throws OperatorError when there is no such activity, or the operation left no entry
 */
async function showAudit(environment: Environment, request: AuditRequest): Promise<ExitCode> {
  const { stdout } = environment;
  const limit = /^\d{1,8}$/.test(request.limit) ? Number(request.limit) : 0;
  if (limit < 1 || limit > maxShown) throw new UsageError(`--limit takes a number from 1 to ${maxShown}`);
  const query = {
    activityCodes: request.activity === null ? null : [request.activity],
    operationId: request.operation,
    action: request.action,
    actor: request.actor,
    since: instantOf('--since', request.since, 0),
    until: instantOf('--until', request.until, dayMs),
    newestFirst: true,
  };
  let shown = 0;
  await withStore(environment, async (store) => {
    if (query.activityCodes !== null) await existingActivities(store, query.activityCodes);
    for await (const entries of pages(store, query, limit)) {
      if (request.json) for (const entry of entries) writeJson(stdout, published(entry));
      else if (request.operation !== null) for (const entry of entries) writeEntry(stdout, entry);
      else writeEntries(stdout, entries, shown === 0);
      shown += entries.length;
    }
  });
  if (shown > 0) return exitCodes.done;
  if (request.operation !== null)
    throw new OperatorError(
      `There is no entry of the operation ${request.operation}.`,
      'It may be older than AUDIT_RETENTION_DAYS, of a dry run, which leaves none, or of another database.',
    );
  if (!request.json) writeEntries(stdout, [], true);
  return exitCodes.done;
}

async function* pages(
  store: Store,
  query: Omit<AuditQuery, 'after' | 'limit'>,
  limit: number,
): AsyncGenerator<readonly AuditEntry[]> {
  let after: string | null = null;
  for (let left = limit; left > 0; ) {
    const entries: readonly AuditEntry[] = await store.audit.read({
      ...query,
      after,
      limit: Math.min(left, readAtOnce),
    });
    if (entries.length > 0) yield entries;
    if (entries.length < Math.min(left, readAtOnce)) return;
    left -= entries.length;
    after = entries.at(-1)?.id ?? null;
  }
}

function writeEntries(output: Output, entries: readonly AuditEntry[], withHeadings: boolean): void {
  const rows = entries.map((entry) => [
    new Date(entry.at).toISOString(),
    entry.actorKind,
    entry.actor,
    entry.action,
    entry.outcome,
    entry.activityCodes.join(' '),
    entry.target,
    entry.address,
    entry.operationId,
  ]);
  const [first, ...others] = rows;
  const headings = ['AT', 'KIND', 'ACTOR', 'ACTION', 'OUTCOME', 'ACTIVITIES', 'TARGET', 'FROM', 'OPERATION'];
  if (withHeadings) writeTable(output, headings, rows);
  else if (first !== undefined)
    writeTable(
      output,
      first.map((cell) => cell ?? ''),
      others,
    );
}

/** Writes one entry: a line for each member, and the details as indented JSON. */
function writeEntry(output: Output, { details, ...entry }: AuditEntry): void {
  writeTable(
    output,
    ['entry', entry.id],
    [
      ['at', new Date(entry.at).toISOString()],
      [entry.actorKind, entry.actor],
      ['on behalf of', entry.subject],
      ['from', entry.address],
      ['action', entry.action],
      ['outcome', entry.outcome],
      ['activities', entry.activityCodes.join(' ')],
      ['target', entry.target],
      ['operation', entry.operationId],
    ],
  );
  if (details !== null)
    output.write(`${JSON.stringify(details, null, 2).split('\n').map(safeForTerminal).join('\n')}\n`);
}

/** @param dayLength added to an instant that was given as a whole day */
function instantOf(option: string, text: string | null, dayLength: number): number | null {
  if (text === null) return null;
  const instant = parseInstant(text);
  if (instant === null)
    throw new UsageError(
      `${option} takes a day such as 2026-01-31 or an instant such as 2026-01-31T08:00:00Z, not "${text}"`,
    );
  return isDayText(text) ? instant + dayLength : instant;
}
