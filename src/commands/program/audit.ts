// The command `audit` on the command line.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { describe, storageSettings } from '../help.ts';
import { type Json, jsonOption, type Line } from './line.ts';

interface AuditOptions extends Json {
  since?: string;
  until?: string;
  activity?: string;
  operation?: string;
  action?: string;
  actor?: string;
  limit: string;
}

export function addAudit(program: Command, { environment, done }: Line): void {
  describe(
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
          await (await import('../audit.ts')).showAudit(environment, {
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
