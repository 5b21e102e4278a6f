// The commands `client …`: the programs that may request tokens.
import type { Command } from 'commander';
import {
  disableClient as disable,
  enableClient as enable,
  knownClient,
  listClients as readClients,
  removeClient as remove,
} from '../auth/clients.ts';
import { textBlock } from '../model/text-block.ts';
import { declareClientAdd } from './client/add.ts';
import { declareClientChange } from './client/change.ts';
import { declareClientExport } from './client/export.ts';
import { declareClientImport } from './client/import.ts';
import { declareRotateSecret } from './client/rotate-secret.ts';
import { clientEntry, describedClient, kindText } from './client/display.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { activityFilter, type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { inActivity } from './activity-filter.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

export function declareClient(program: Command, line: CommandLine): void {
  const client = describeCommand(program.command('client').description('Programs that may ask for tokens.'), {
    examples: ['client add --help', 'client list'],
  });
  declareClientAdd(client, line);
  declareClientChange(client, line);
  const { environment, done } = line;
  describeCommand(
    client
      .command('list')
      .description('List the clients, disabled ones too.')
      .option(...activityFilter)
      .option(...jsonOption)
      .action(async ({ activity, json }: JsonOption & { activity?: string }) =>
        done(await listClients(environment, { activity: activity ?? null, json: json === true })),
      ),
    { examples: ['client list', 'client list --activity ACM --json'], settings: storageSettings },
  );
  describeCommand(
    client
      .command('disable')
      .description('Disable a client: it gets no more tokens, and those it holds stop within a minute.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action(async (id: string, options: JsonOption) =>
        done(await disableClient(environment, { id, json: options.json === true })),
      ),
    { examples: ['client disable web-shop-7x0k2m9qpe'], settings: storageSettings },
  );

  const one = async (run: typeof showClient, id: string, options: JsonOption): Promise<void> =>
    done(await run(environment, { id, json: options.json === true }));
  describeCommand(
    client
      .command('show')
      .description('Show a client.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: JsonOption) => one(showClient, id, options)),
    { examples: ['client show web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
  describeCommand(
    client
      .command('enable')
      .description('Let a disabled client ask for tokens again. What it held before stays ended.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: JsonOption) => one(enableClient, id, options)),
    { examples: ['client enable web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
  declareRotateSecret(client, line);
  declareClientExport(client, line);
  declareClientImport(client, line);
  describeCommand(
    client
      .command('remove')
      .description(
        textBlock`
          Remove a client for good, with what people allowed it: it gets no more tokens, and those it holds stop within
          a minute. What it wrote stays, and the audit trail names it by its id. To stop it for a while, use client
          disable.
        `,
      )
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: JsonOption) => one(removeClient, id, options)),
    { examples: ['client remove web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
}

/**
 * Lists the clients, including disabled ones, oldest first; never their secrets.
 * @param activity only those that may act in it; null: all
 * @throws OperatorError when there is no such activity
 */
async function listClients(
  environment: Environment,
  { activity, json }: { readonly activity: string | null; readonly json: boolean },
): Promise<ExitCode> {
  const clients = await withStore(environment, async (store) => inActivity(store, await readClients(store), activity));
  if (json) writeJson(environment.stdout, clients.map(describedClient));
  else {
    writeTable(
      environment.stdout,
      ['ID', 'NAME', 'ACTIVITIES', 'MAY', 'KIND', 'CREATED', 'DISABLED', 'REDIRECT ADDRESSES'],
      clients.map((client) => [
        client.id,
        client.name,
        client.activityCodes.join(' '),
        client.readOnly ? 'read' : 'read, write',
        kindText(client),
        minuteText(client.createdAt),
        minuteText(client.disabledAt),
        client.redirectUris.join(' '),
      ]),
    );
  }
  return exitCodes.done;
}

/** @throws OperatorError when there is no such client */
async function disableClient(
  environment: Environment,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<ExitCode> {
  const client = await withStore(environment, (store) =>
    disable(store, id, environment.now(), clientEntry(environment, 'client.disable')),
  );
  if (json) writeJson(environment.stdout, describedClient(client));
  else
    environment.stdout.write(
      `Client ${client.id} is disabled since ${minuteText(client.disabledAt)}; its tokens stop within a minute.\n`,
    );
  return exitCodes.done;
}

interface Chosen {
  readonly id: string;
  readonly json: boolean;
}

/**
 * Shows one client; never its secret.
 * @throws OperatorError when there is no such client
 */
async function showClient(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const client = await withStore(environment, (store) => knownClient(store, id));
  if (json) writeJson(environment.stdout, describedClient(client));
  else {
    writeTable(
      environment.stdout,
      ['CLIENT', client.id],
      [
        ['name', client.name],
        ['activities', client.activityCodes.join(' ')],
        ['may', client.readOnly ? 'read' : 'read, write'],
        ['kind', kindText(client)],
        ...client.redirectUris.map((address) => ['redirect address', address]),
        ['created', minuteText(client.createdAt)],
        ['disabled', minuteText(client.disabledAt) ?? 'no'],
      ],
    );
  }
  return exitCodes.done;
}

/** @throws OperatorError when there is no such client */
async function enableClient(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const client = await withStore(environment, (store) => enable(store, id, clientEntry(environment, 'client.enable')));
  if (json) writeJson(environment.stdout, describedClient(client));
  else environment.stdout.write(`Client ${client.id} may ask for tokens again; what it held before stays ended.\n`);
  return exitCodes.done;
}

/** @throws OperatorError when there is no such client */
async function removeClient(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const client = await withStore(environment, (store) => remove(store, id, clientEntry(environment, 'client.remove')));
  if (json) writeJson(environment.stdout, describedClient(client));
  else environment.stdout.write(`Client ${client.id} is removed; its tokens stop within a minute.\n`);
  return exitCodes.done;
}
