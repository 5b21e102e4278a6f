// An identity provider that misbehaves, in ten ways: each is a provider of its own, at a path of the same server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { activities } from './prepared.ts';
import { pour } from './pouring.ts';

/** How a provider misbehaves; the last two do not, but for what they say. */
const misbehaviours = [
  ...(['metadata-pour', 'keys-pour', 'token-pour', 'metadata-drip', 'keys-hang', 'token-drip'] as const),
  ...(['metadata-elsewhere', 'token-elsewhere', 'other-keys', 'many-groups'] as const),
] as const;
export type Misbehaviour = (typeof misbehaviours)[number];

export interface HostileProvider {
  /** The value of IDENTITY_PROVIDERS. */
  readonly setting: string;
  /** Requests at the place to which redirections lead. */
  readonly followed: () => number;
  readonly end: () => Promise<void>;
}

const poured = 100_000_000;
const clientId = 'logistics';
const group = 'lc-evil';

export async function openHostileProvider(): Promise<HostileProvider> {
  const [own, foreign] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
  const keys = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] };
  let followed = 0;
  const signed = async (issuer: string, nonce: string, kind: Misbehaviour): Promise<string> => {
    const others = Array.from(
      { length: kind === 'many-groups' ? 10_000 : 0 },
      (_none, index) => `team ${index} of all`,
    );
    return new SignJWT({ nonce, groups: [...others, group], preferred_username: kind })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setSubject(`somebody of ${kind}`)
      .setAudience(clientId)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(kind === 'other-keys' ? foreign.privateKey : own.privateKey);
  };
  const server = createServer(async (request, response) => {
    const [, name = '', ...rest] = new URL(request.url ?? '/', 'http://provider').pathname.split('/');
    if (name === 'elsewhere') followed += 1;
    const kind = misbehaviours.find((one) => one === name);
    if (kind === undefined) return void response.writeHead(404).end();
    const place = { '.well-known': 'metadata', keys: 'keys', token: 'token' }[rest[0] ?? ''] ?? 'none';
    const fields = new URLSearchParams(await text(request));
    if (kind === `${place}-pour`) return pour(response, poured);
    if (kind === `${place}-drip`) return drip(response);
    if (kind === `${place}-hang`) return;
    const origin = originOf(request);
    if (kind === `${place}-elsewhere`) return void response.writeHead(307, { location: `${origin}/elsewhere` }).end();
    const issuer = `${origin}/${kind}`;
    const documents: Readonly<Record<string, () => object | Promise<object>>> = {
      metadata: () => metadataOf(issuer),
      keys: () => keys,
      // The code is the nonce, so that nobody has to remember it.
      token: async () => ({
        ...{ access_token: 'none', token_type: 'Bearer' },
        id_token: await signed(issuer, fields.get('code') ?? '', kind),
      }),
    };
    const document = await documents[place]?.();
    if (document === undefined) return void response.writeHead(404).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(document));
  });
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const setting = misbehaviours.map((kind) => ({
    ...{ name: kind, title: kind, issuer: `${origin}/${kind}`, clientId, clientSecret: 'secret', algorithm: 'ES256' },
    groups: { [group]: { activities: [activities.attacker] } },
  }));
  return {
    setting: JSON.stringify(setting),
    followed: () => followed,
    end: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function originOf({ socket }: IncomingMessage): string {
  return `http://127.0.0.1:${socket.localPort}`;
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

/** A byte now and then, for as long as somebody listens. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 200);
  response.once('close', () => clearInterval(timer));
}
