// The commands `client …`: the programs that may ask for tokens.
import type { Command } from 'commander';
import {
  addClient as register,
  type Client,
  clientFaults,
  disableClient as disable,
  findClient,
  listClients as readClients,
  type NewClient,
  removeClient as remove,
  rotateSecret,
} from '../auth/clients.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import type { Store } from '../store/store.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { UsageError } from './failure.ts';
import { describe, storageSettings } from './help.ts';
import { activitiesOption, type JsonOption, jsonOption, type CommandLine } from './line.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

export function declareClient(program: Command, line: CommandLine): void {
  const client = describe(program.command('client').description('Programs that may ask for tokens.'), {
    examples: ['client add --help', 'client list'],
  });
  declareClientAdd(client, line);
  const { environment, done } = line;
  describe(
    client
      .command('list')
      .description('List the clients, disabled ones too.')
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await listClients(environment, { json: options.json === true }))),
    { examples: ['client list', 'client list --json'], settings: storageSettings },
  );
  describe(
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
  describe(
    client
      .command('show')
      .description('Show a client.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: JsonOption) => one(showClient, id, options)),
    { examples: ['client show web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
  describe(
    client
      .command('rotate-secret')
      .description('Give a confidential client a new secret, shown this once; the old one is refused at once.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: JsonOption) => one(rotateClientSecret, id, options)),
    { examples: ['client rotate-secret web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
  describe(
    client
      .command('remove')
      .description('Remove a client for good: it gets no more tokens, and those it holds stop within a minute.')
      .argument('<id>', 'see client list')
      .option(...jsonOption)
      .action((id: string, options: JsonOption) => one(removeClient, id, options)),
    { examples: ['client remove web-shop-7x0k2m9qpe'], settings: storageSettings },
  );
}

function declareClientAdd(client: Command, { environment, done }: CommandLine): void {
  describe(
    client
      .command('add')
      .description('Register a client. Prints its id, and for a confidential client its secret: this once.')
      .argument('<name>', 'what people see when they are asked for consent')
      .option('--redirect <uri...>', 'where the browser is sent back to; may be given several times')
      .requiredOption(...activitiesOption)
      .option('--read-only', 'refuse its writes')
      .option('--confidential', 'it runs on a server of its own and can keep a secret')
      .option('--service', 'it may act for itself, without a person (client_credentials); confidential too')
      .option('--no-pkce', 'its sign-ins need no PKCE; only with --confidential')
      .option(...jsonOption)
      .action(
        async (
          name: string,
          options: JsonOption & {
            redirect?: string[];
            activity: string[];
            readOnly?: true;
            confidential?: true;
            service?: true;
            pkce: boolean;
          },
        ) => {
          if (options.redirect === undefined && options.service !== true)
            throw new UsageError("Required option '--redirect <uri...>' not specified; only a --service needs none");
          done(
            await addClient(environment, {
              name,
              redirectUris: options.redirect ?? [],
              activityCodes: options.activity,
              readOnly: options.readOnly === true,
              confidential: options.confidential === true || options.service === true,
              service: options.service === true,
              pkceRequired: options.pkce,
              json: options.json === true,
            }),
          );
        },
      ),
    {
      examples: [
        'client add "Web shop" --redirect https://shop.example/callback --activity ACM --confidential',
        'client add "Nightly stock" --activity ACM --service --read-only',
        'client add Desk --redirect http://127.0.0.1/callback --activity ACM --activity BLU --read-only',
      ],
      settings: storageSettings,
    },
  );
}

/**
 * Registers a client, and shows its id and, once, its secret.
 * @throws OperatorError with everything that is wrong
 */
async function addClient(environment: Environment, wanted: NewClient & { readonly json: boolean }): Promise<ExitCode> {
  const faults = clientFaults(wanted);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const { client, secret } = await withStore(environment, async (store) => {
    const registered = await register(store, wanted, environment.now());
    await recordClient(environment, store, 'client.add', registered.client);
    return registered;
  });
  if (wanted.json) {
    writeJson(environment.stdout, { ...described(client), secret });
    return exitCodes.done;
  }
  const lines = [`client id: ${client.id}`];
  if (secret !== null)
    lines.push(`secret:    ${secret}`, 'The secret is shown this once and kept nowhere: copy it now.');
  const asUser = client.redirectUris.length > 0 ? ' --user LOGIN' : '';
  lines.push(`To try it out: ./logistics-connect token --client ${client.id}${asUser}`);
  environment.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
}

/** Lists the clients, oldest first, disabled ones too; never their secrets. */
async function listClients(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const clients = await withStore(environment, (store) => readClients(store));
  if (json) writeJson(environment.stdout, clients.map(described));
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
  const client = await withStore(environment, async (store) => {
    const disabled = await disable(store, id, environment.now());
    await recordClient(environment, store, 'client.disable', disabled);
    return disabled;
  });
  if (json) writeJson(environment.stdout, described(client));
  else
    environment.stdout.write(
      `Client ${client.id} is disabled since ${minuteText(client.disabledAt)}; its tokens stop within a minute.\n`,
    );
  return exitCodes.done;
}

/** Leaves in the audit trail what was done to a client. */
async function recordClient(
  environment: Environment,
  store: Store,
  action: string,
  { id, activityCodes }: Client,
): Promise<void> {
  await recordCommand(environment, store, { action, target: id, activityCodes });
}

/** What a client is, in words: how it proves who it is, and what is particular about it. */
function kindText({ confidential, service, pkceRequired }: Client): string {
  return [confidential ? 'confidential' : 'public', service ? 'service' : [], pkceRequired ? [] : 'no PKCE']
    .flat()
    .join(', ');
}

/** A client as the command line writes it in JSON. */
function described(client: Client): Readonly<Record<string, unknown>> {
  return { ...client, disabledAt: instantText(client.disabledAt), createdAt: instantText(client.createdAt) };
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
  const client = await withStore(environment, (store) => findClient(store, id));
  if (client === null) throw new OperatorError(`There is no client "${id}".`, 'See `client list`.');
  if (json) writeJson(environment.stdout, described(client));
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

/**
 * Gives a confidential client a new secret, and shows it this once.
 * @throws OperatorError when there is no such client, or it is public
 */
async function rotateClientSecret(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const { client, secret } = await withStore(environment, async (store) => {
    const rotated = await rotateSecret(store, id);
    await recordClient(environment, store, 'client.rotate-secret', rotated.client);
    return rotated;
  });
  if (json) writeJson(environment.stdout, { ...described(client), secret });
  else {
    environment.stdout.write(
      [
        `secret:    ${secret}`,
        textBlock`
          The secret is shown this once and kept nowhere: copy it now. The old one is refused from now on; tokens in
          hand stay valid.
        `,
      ]
        .join('\n')
        .concat('\n'),
    );
  }
  return exitCodes.done;
}

/** @throws OperatorError when there is no such client */
async function removeClient(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const client = await withStore(environment, async (store) => {
    const removed = await remove(store, id);
    await recordClient(environment, store, 'client.remove', removed);
    return removed;
  });
  if (json) writeJson(environment.stdout, described(client));
  else environment.stdout.write(`Client ${client.id} is removed; its tokens stop within a minute.\n`);
  return exitCodes.done;
}
