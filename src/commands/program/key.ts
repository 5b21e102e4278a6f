// The commands `key …` on the command line: the keys of programs on the WMS side.
import { textBlock } from '../../model/text-block.ts';
import type { Command } from 'commander';
import { describe, storageSettings } from '../help.ts';
import { activitiesOption, type Json, jsonOption, type Line } from './line.ts';

export function addKeyCommands(program: Command, { environment, done }: Line): void {
  const key = describe(
    program
      .command('key')
      .description('Keys of programs on the WMS side: they open the platform interface and nothing else.'),
    { examples: ['key add --help', 'key list'] },
  );
  describe(
    key
      .command('add')
      .description(
        textBlock`
          Make a key for a program on the WMS side. It is shown this once, with the address of the platform interface:
          PLATFORM_URL, by default /platform at the host of BASE_URL. The reference of that interface is at /docs below
          it.
        `,
      )
      .argument('<name>', 'what lists and the audit trail call it, 1 to 60 characters')
      .option(...activitiesOption)
      .option('--all', 'every activity, also those to come')
      .option(
        '--role <role...>',
        textBlock`
          what it may do: outbox (take what clients wrote, with the documents), audit (read the audit trail), feed (send
          records in; nothing asks for it yet); may be given several times; by default outbox alone
        `,
      )
      .option(...jsonOption)
      .action(async (name: string, options: Json & { activity?: string[]; all?: true; role?: string[] }) =>
        done(
          await (await import('../key.ts')).addKey(environment, {
            name,
            activityCodes: options.activity ?? null,
            all: options.all === true,
            roles: options.role ?? null,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        'key add "WMS Lyon" --activity ACM --activity BLU',
        'key add WMS --all',
        'key add SIEM --all --role audit',
      ],
      settings: [...storageSettings, 'port', 'baseUrl', 'platformUrl'],
    },
  );
  describe(
    key
      .command('list')
      .description('List the keys with their activities and roles, revoked ones too; never the keys themselves.')
      .option(...jsonOption)
      .action(async (options: Json) =>
        done(await (await import('../key.ts')).listKeys(environment, { json: options.json === true })),
      ),
    { examples: ['key list', 'key list --json'], settings: storageSettings },
  );
  describe(
    key
      .command('revoke')
      .description('Revoke a key: within a minute it opens nothing any more.')
      .argument('<id>', 'see key list')
      .option(...jsonOption)
      .action(async (id: string, options: Json) =>
        done(await (await import('../key.ts')).revokeKey(environment, { id, json: options.json === true })),
      ),
    { examples: ['key revoke 7x0k2m9qpe3d'], settings: storageSettings },
  );
}
