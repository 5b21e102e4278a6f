// The command `client`: the programs that may ask for tokens.
import {
  addClient as register,
  type Client,
  clientFaults,
  disableClient as disable,
  listClients as readClients,
  type NewClient,
} from '../auth/clients.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Store } from '../store/store.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

/**
 * Registers a client, and shows its id and, once, its secret.
 * @throws OperatorError with everything that is wrong
 */
export async function addClient(
  environment: Environment,
  wanted: NewClient & { readonly json: boolean },
): Promise<ExitCode> {
  const faults = clientFaults(wanted);
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was added.');
  const { client, secret } = await withStore(environment, async (store) => {
    const registered = await register(store.db, wanted, environment.now());
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
  lines.push(`To try it out: ./logistics-connect token --client ${client.id} --user LOGIN`);
  environment.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
}

/** Lists the clients, oldest first, disabled ones too; never their secrets. */
export async function listClients(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const clients = await withStore(environment, (store) => readClients(store.db));
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
        client.confidential ? 'confidential' : 'public',
        minuteText(client.createdAt),
        minuteText(client.disabledAt),
        client.redirectUris.join(' '),
      ]),
    );
  }
  return exitCodes.done;
}

/** @throws OperatorError when there is no such client */
export async function disableClient(
  environment: Environment,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<ExitCode> {
  const client = await withStore(environment, async (store) => {
    const disabled = await disable(store.db, id, environment.now());
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
export async function recordClient(
  environment: Environment,
  store: Store,
  action: string,
  { id, activityCodes }: Client,
): Promise<void> {
  await recordCommand(environment, store, { action, target: id, activityCodes });
}

/** A client as the command line writes it in JSON. */
export function described(client: Client): Readonly<Record<string, unknown>> {
  return { ...client, disabledAt: instantText(client.disabledAt), createdAt: instantText(client.createdAt) };
}
