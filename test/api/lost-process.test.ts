// A process that is killed, or stands still, while it works on a request: the same request is soon carried out by
// another, and once.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { formBoundary, formOf } from '../contract/form.ts';
import { pdf } from '../documents/samples.ts';
import { type HeldStore, startHeldStore } from './held-store.ts';
import { type Prepared, prepare, type ServerProcess, startServer } from './server-process.ts';

/** What a claim lasts that nobody renews, and a second for rounding. */
const longestWait = 16;

describe('a process that is lost while it works on a request with a key', {
  concurrency: true,
  timeout: 180_000,
}, () => {
  it('by being killed: whoever repeats the request as Retry-After says is served within the short life of its claim', async (t) => {
    const world = await makeWorld(t);
    const { server, store, send } = world;
    const first = send(server, 'key').catch(() => null);
    await Promise.race([store.arrived, first]);
    // Longer than a claim lasts: it is renewed, so that this one is still told to wait a second.
    await pause(17_000);
    assert.deepEqual(await told(send(server, 'key')), [409, 1]);
    server.child.signal('SIGKILL');
    assert.equal(await first, null);
    store.goOn();
    const next = await startServer(t, world.prepared);
    const [answer, waited] = await untilDone(() => send(next, 'key'));
    assert.equal(answer.headers.get('idempotency-replayed'), null, 'nothing had been written');
    assert.ok(waited <= longestWait, `${waited} s`);
    const text = await answer.text();
    assert.equal(await (await send(next, 'key')).text(), text);
    assert.equal(await documentsIn(world.prepared, next), 1);
  });

  it('by being stopped: another serves the request, and it writes nothing when it goes on', async (t) => {
    const world = await makeWorld(t);
    const { server, store, send } = world;
    const beside = await startServer(t, world.prepared);
    const first = send(server, 'key');
    await Promise.race([store.arrived, first]);
    server.child.signal('SIGSTOP');
    store.goOn();
    const [answer, waited] = await untilDone(() => send(beside, 'key'));
    assert.ok(waited <= longestWait, `${waited} s`);
    server.child.signal('SIGCONT');
    const late = await first;
    assert.equal(late.status, 409);
    assert.match(await late.text(), /idempotency-in-progress/);
    const again = await send(server, 'key');
    assert.deepEqual(
      [again.status, again.headers.get('idempotency-replayed'), await again.text()],
      [200, 'true', await answer.text()],
    );
    assert.equal(await documentsIn(world.prepared, server), 1);
  });
});

interface World {
  readonly prepared: Prepared;
  readonly server: ServerProcess;
  readonly store: HeldStore;
  /** Sends the same document under a key. */
  readonly send: (server: ServerProcess, key: string) => Promise<Response>;
}

async function makeWorld(t: TestContext): Promise<World> {
  const store = await startHeldStore(t);
  const prepared = await prepare(t, store.variables);
  const body = new Uint8Array(formOf([{ content: pdf('the document') }]));
  const headers = {
    authorization: `Bearer ${prepared.token}`,
    'content-type': `multipart/form-data; boundary=${formBoundary}`,
  };
  return {
    prepared,
    store,
    server: await startServer(t, prepared),
    send: ({ origin }, key) =>
      fetch(origin + prepared.uploads, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': key },
        body,
        signal: AbortSignal.timeout(120_000),
      }),
  };
}

/** Status, and for how many seconds the client is to wait. */
async function told(sent: Promise<Response>): Promise<readonly [number, number]> {
  const { status, headers } = await sent;
  return [status, Number(headers.get('retry-after'))];
}

/** Repeats a request as it is told to. Returns the answer, and the seconds that it was told to wait altogether. */
async function untilDone(send: () => Promise<Response>): Promise<readonly [Response, number]> {
  for (let waited = 0; ; ) {
    const answer = await send();
    if (answer.status === 200) return [answer, waited];
    assert.equal(answer.status, 409, await answer.clone().text());
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 15, String(wait));
    waited += wait;
    await pause(wait * 1000);
  }
}

async function documentsIn({ key }: Prepared, { origin }: ServerProcess): Promise<number> {
  const page: { readonly entries: readonly { readonly kind: string }[] } = Object(
    await (await fetch(`${origin}/platform/outbox`, { headers: { authorization: `Bearer ${key}` } })).json(),
  );
  return page.entries.filter(({ kind }) => kind === 'document').length;
}
