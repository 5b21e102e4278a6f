// The commands `client show`, `client rotate-secret` and `client remove`: one registered client.
import { textBlock } from '../model/text-block.ts';
import { findClient, removeClient as remove, rotateSecret } from '../auth/clients.ts';
import { OperatorError } from '../model/operator-error.ts';
import { described, recordClient } from './client.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from './environment.ts';
import { withStore } from './storage.ts';
import { minuteText, writeTable } from './table.ts';

interface Chosen {
  readonly id: string;
  readonly json: boolean;
}

/**
 * Shows one client; never its secret.
 * @throws OperatorError when there is no such client
 */
export async function showClient(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const client = await withStore(environment, (store) => findClient(store.db, id));
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
        ['kind', client.confidential ? 'confidential' : 'public'],
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
export async function rotateClientSecret(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const { client, secret } = await withStore(environment, async (store) => {
    const rotated = await rotateSecret(store.db, id);
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
export async function removeClient(environment: Environment, { id, json }: Chosen): Promise<ExitCode> {
  const client = await withStore(environment, async (store) => {
    const removed = await remove(store.db, id);
    await recordClient(environment, store, 'client.remove', removed);
    return removed;
  });
  if (json) writeJson(environment.stdout, described(client));
  else environment.stdout.write(`Client ${client.id} is removed; its tokens stop within a minute.\n`);
  return exitCodes.done;
}
