// A running service for tests of the client: its tokens, its orders, and a proxy that loses answers.
import assert from 'node:assert/strict';
import { createServer, connect as connectTo, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { order } from '../../src/resources/index.ts';
import { type Client, createClient } from '../../packages/client/src/index.ts';
import type { ConnectionOptions } from '../../packages/client/src/index.ts';
import { registerClient, registerUser, type Service } from '../auth/flow.ts';

/** A token that sees the activity BBB. */
export async function tokenOf(service: Service): Promise<string> {
  const { client } = await registerClient(service);
  const user = await registerUser(service);
  return (await service.app.issueToken({ client, user, now: Date.now() })).accessToken;
}

/** The client of somebody who sees the activity BBB. */
export async function clientOf(service: Service, options: Partial<ConnectionOptions> = {}): Promise<Client> {
  return createClient({ baseUrl: service.baseUrl, token: await tokenOf(service), ...options });
}

/** A key for what the warehouse side does with feeds and stock. */
export async function keyOf({ app }: Service): Promise<string> {
  const wanted = { name: 'wms', activityCodes: ['BBB'], roles: ['feed', 'stock', 'audit', 'outbox'] };
  return (await addPlatformKey(app.store, wanted, Date.now())).text;
}

/** Has the warehouse side send an order of BBB with this reference. */
export async function sendOrder(service: Service, orderUniqueID: string): Promise<void> {
  const { id: _id, dateCreation: _created, dateLastUpdate: _updated, ...known } = Object(order.example);
  const record = { ...known, activityCode: undefined, activityName: undefined, orderUniqueID };
  await sendFeed(service, 'orders', [record]);
}

/** Sends records of BBB as the warehouse side does, and says what became of them. */
export async function sendFeed(
  service: Service,
  resource: string,
  records: readonly object[],
): Promise<Readonly<Record<string, unknown>>> {
  const address = `${new URL(service.baseUrl).origin}/platform/feeds/${resource}?activity=BBB`;
  const answer = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${await keyOf(service)}`, 'content-type': 'application/x-ndjson' },
    body: records.map((record) => JSON.stringify(record)).join('\n'),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return Object(JSON.parse(text));
}

/** An article of BBB as a shop creates it. */
export function articleLike(articleReference: string) {
  return {
    activityCode: 'BBB',
    articleReference,
    longArticleDescription: `Desk lamp ${articleReference}`,
    shortArticleDescription: 'Desk lamp',
  };
}

/**
 * A proxy in front of a service that lets requests through and cuts connections instead of giving their answers, so
 * many times.
 * @returns the port to ask instead, and how many connections were cut
 */
export async function losingProxy(
  t: TestContext,
  service: Service,
  losses: number,
): Promise<{ readonly origin: string; readonly lost: () => number }> {
  let lost = 0;
  const open = new Set<Socket>();
  const proxy = createServer((asking) => {
    const answering = connectTo(service.port, '127.0.0.1');
    open.add(asking);
    asking.on('error', () => answering.destroy());
    answering.on('error', () => asking.destroy());
    asking.on('close', () => {
      open.delete(asking);
      answering.destroy();
    });
    asking.pipe(answering);
    answering.on('data', (bytes) => {
      if (lost >= losses) asking.write(bytes);
      else {
        lost += 1;
        asking.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const each of open) each.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, lost: () => lost };
}
