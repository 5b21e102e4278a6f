// The command `client change`: changes the name, redirect addresses, activities and permissions of a client.
import type { Command } from 'commander';
import { type ChangedClient, changeClient as change, type ClientChangeRequest } from '../../auth/client-changes.ts';
import { textBlock } from '../../model/text-block.ts';
import { commandEntry } from '../audited.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, storageSettings } from '../help.ts';
import {
  addedActivitiesOption,
  type CommandLine,
  type JsonOption,
  jsonOption,
  removedActivitiesOption,
} from '../command-line.ts';
import { withStore } from '../storage.ts';
import { describedClient, kindText, platformMeaning } from './display.ts';

interface Options extends JsonOption {
  readonly name?: string;
  readonly addRedirect?: readonly string[];
  readonly removeRedirect?: readonly string[];
  readonly addActivity?: readonly string[];
  readonly removeActivity?: readonly string[];
  readonly readOnly?: boolean;
  readonly service?: boolean;
  readonly pkce?: boolean;
  readonly platform?: boolean;
}

export function declareClientChange(client: Command, { environment, done }: CommandLine): void {
  describeCommand(
    client
      .command('change')
      .description(
        textBlock`
          Change a client. Name and redirect addresses count from the next sign-in on; what is withdrawn is closed for
          tokens in hand too, within a minute; an activity that is granted opens once a person agrees to it at the next
          sign-in, and to a service at once with its next token. Id and secret stay; whether a client is confidential
          cannot be changed, because its program would have to be another: register a new one.
        `,
      )
      .argument('<id>', 'see client list')
      .option('--name <name>', 'what people see when they are asked for consent')
      .option('--add-redirect <uri...>', 'where the browser may be sent back to; may be given several times')
      .option('--remove-redirect <uri...>', 'where it may be sent back to no longer, exactly as client show has it')
      .option(...addedActivitiesOption)
      .option(...removedActivitiesOption)
      .option('--read-only', 'refuse its writes')
      .option('--no-read-only', 'let it write')
      .option('--service', 'it may act for itself, without a person; confidential clients only')
      .option('--no-service', 'no longer')
      .option('--pkce', 'its sign-ins need PKCE')
      .option('--no-pkce', 'they do not; confidential clients only')
      .option('--platform', platformMeaning)
      .option('--no-platform', 'no longer, for tokens in hand too')
      .option(...jsonOption)
      .action(async (id: string, options: Options) => done(await changeClient(environment, id, options))),
    {
      examples: [
        'client change web-shop-7x0k2m9qpe --add-redirect https://shop.example/new --name "Our shop"',
        'client change web-shop-7x0k2m9qpe --add-activity BLU --remove-activity ACM --read-only',
      ],
      settings: storageSettings,
    },
  );
}

/**
 * Changes a client, and records the changes in the audit trail.
 * @throws UsageError when nothing is to be changed
 * @throws OperatorError see `changeClient` of auth
 */
async function changeClient(environment: Environment, id: string, options: Options): Promise<ExitCode> {
  const { json, addRedirect, removeRedirect, addActivity, removeActivity, pkce, ...others } = options;
  const wanted: ClientChangeRequest = {
    ...others,
    ...(pkce !== undefined && { pkceRequired: pkce }),
    ...(addRedirect !== undefined && { addedRedirects: addRedirect }),
    ...(removeRedirect !== undefined && { removedRedirects: removeRedirect }),
    ...(addActivity !== undefined && { addedActivities: addActivity }),
    ...(removeActivity !== undefined && { removedActivities: removeActivity }),
  };
  if (Object.keys(wanted).length === 0) throw new UsageError('Say what is to be changed');
  const { before, after, details } = await withStore(environment, async (store) => {
    const changed = await change(store, id, wanted, (made) => {
      const different = differences(made);
      if (different === null) return null;
      const activityCodes = [...new Set([...made.before.activityCodes, ...made.after.activityCodes])].sort();
      return commandEntry(environment, { action: 'client.change', target: id, activityCodes, details: different });
    });
    return { ...changed, details: differences(changed) };
  });
  if (json === true) writeJson(environment.stdout, describedClient(after));
  else environment.stdout.write(resultText({ before, after }, details !== null));
  return exitCodes.done;
}

/** The changes, by field: before and after. Null: none. */
function differences({ before, after }: ChangedClient): Readonly<Record<string, unknown>> | null {
  const fields = ['name', 'redirectUris', 'activityCodes', 'readOnly', 'service', 'pkceRequired', 'platform'] as const;
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map((field) => [field, { before: before[field], after: after[field] }]));
}

function resultText({ before, after }: ChangedClient, isChanged: boolean): string {
  const state = [
    `${after.name}, ${kindText(after)}, may ${after.readOnly ? 'read' : 'read and write'}`,
    `in ${after.activityCodes.join(', ') || 'no activity'}`,
  ].join(' ');
  if (!isChanged) return `Client ${after.id} is as it was: ${state}.\n`;
  const closed =
    before.activityCodes.some((code) => !after.activityCodes.includes(code)) ||
    (after.readOnly && !before.readOnly) ||
    (before.service && !after.service) ||
    (before.platform && !after.platform);
  const granted = after.activityCodes.some((code) => !before.activityCodes.includes(code));
  return [
    `Client ${after.id}: ${state}.`,
    ...(closed ? ['What was withdrawn is closed within a minute, for tokens in hand too.'] : []),
    ...(granted ? ['An activity that was granted opens with the next sign-in; to a service with its next token.'] : []),
    ...after.redirectUris.map((address) => `Redirect address: ${address}`),
  ]
    .join('\n')
    .concat('\n');
}
