// A PostgreSQL server behind a line that counts how often it is asked.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { openPostgres } from '../../src/store/postgres.ts';
import type { EngineUnderTest } from '../contract/engines.ts';

export interface CountedServer {
  readonly engine: EngineUnderTest;
  /** Round trips so far: how often a client has waited for the end of what it sent. */
  readonly roundTrips: () => number;
  readonly close: () => void;
}

/** What a client ends with that it waits for the answer of: Sync, and a simple query (manual, section 55.7). */
const awaited: ReadonlySet<number> = new Set([0x53, 0x51]);

export async function startCountedServer(server: EngineUnderTest): Promise<CountedServer> {
  const address = new URL(process.env.TEST_DATABASE_URL ?? '');
  const sockets = new Set<Socket>();
  let count = 0;
  const line = createServer((near) => {
    const far = connect(Number(address.port), address.hostname);
    const heard = messageReader((kind) => {
      if (awaited.has(kind)) count += 1;
    });
    near.on('data', heard);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const own = line.address();
  assert.ok(typeof own === 'object' && own !== null);
  const { port } = own;
  return {
    engine: {
      ...server,
      create: async (clock) => {
        const database = await server.create(clock);
        const url = new URL(database.url ?? '');
        url.host = `127.0.0.1:${port}`;
        return { ...database, open: (longReads) => openPostgres(url.href, undefined, longReads) };
      },
    },
    roundTrips: () => count,
    close: () => {
      for (const socket of sockets) socket.destroy();
      line.close();
    },
  };
}

/** Tells the kind of each message of a client; the first one, which opens the connection, has none. */
function messageReader(tell: (kind: number) => void): (arrived: Buffer) => void {
  let held = Buffer.alloc(0);
  let kindBytes = 0;
  return (arrived) => {
    held = Buffer.concat([held, arrived]);
    for (;;) {
      if (held.length < kindBytes + 4) return;
      const length = kindBytes + held.readUInt32BE(kindBytes);
      if (held.length < length) return;
      if (kindBytes === 1) tell(held[0] ?? 0);
      held = held.subarray(length);
      kindBytes = 1;
    }
  };
}
