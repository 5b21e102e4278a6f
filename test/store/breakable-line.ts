// A line to a server that a test can break and silence, with TLS where it is asked for.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

export interface Line {
  readonly port: number;
  /** Ends all connections, as a server that crashes does. */
  readonly breakOff: () => void;
  /** Lets nothing through any more on the connections that there are. */
  readonly fallSilent: () => void;
  /** Lets everything through on new connections; those that fell silent stay so. */
  readonly speak: () => void;
  readonly close: () => void;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** One that nobody vouches for. */
export function makeCertificate(): Certificate | 'none' {
  const { status, stdout } = spawnSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '1', '-keyout', '-'],
    { encoding: 'utf8' },
  );
  const [key] = /-----BEGIN PRIVATE KEY-----[\s\S]*-----END PRIVATE KEY-----/.exec(status === 0 ? stdout : '') ?? [];
  const [cert] = /-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----/.exec(status === 0 ? stdout : '') ?? [];
  return key === undefined || cert === undefined ? 'none' : { key, cert };
}

/** Tells the client that it may begin TLS, once it has asked (manual, section 55.2.11). */
async function secured(client: Socket, certificate: Certificate): Promise<Duplex> {
  // It may be broken before it asks.
  await once(client, 'readable').catch(() => undefined);
  client.read(8);
  client.write('S');
  return new TLSSocket(client, { isServer: true, ...certificate });
}

/** A line to a port of this machine, which has no TLS itself. */
export async function startLine(to: number, secure: Certificate | null = null): Promise<Line> {
  const [ends, sockets] = [new Set<Duplex>(), new Set<Socket>()];
  let silent = false;
  const line = createServer(async (near) => {
    const far = connect(to, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    const client = secure === null ? near : await secured(near, secure);
    for (const [end, other] of [
      [client, far],
      [far, client],
    ] as const) {
      ends.add(end);
      end.on('error', () => undefined).on('close', () => ends.delete(end));
      if (!silent) end.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const address = line.address();
  assert.ok(typeof address === 'object' && address !== null);
  const breakOff = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    breakOff,
    fallSilent: () => {
      silent = true;
      for (const end of ends) end.unpipe().pause();
    },
    speak: () => {
      silent = false;
    },
    close: () => {
      breakOff();
      line.close();
    },
  };
}
