// An application that ships: contexts of two activities, one of them at a carrier that does what a test says.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import assert from 'node:assert/strict';
import { createAccountCipher } from '../../../src/auth/account-cipher.ts';
import { addClient } from '../../../src/auth/clients.ts';
import { samplePdf } from '../../../simulators/sample-label.ts';
import { order } from '../../../src/resources/index.ts';
import type { AuditEntry } from '../../../src/store/audit-contract.ts';
import type { EngineUnderTest } from '../../contract/engines.ts';
import { type Answered, type Requests, type RunningApp, startApp } from '../../contract/running-app.ts';
import { rowsIn } from '../../contract/database.ts';
import { addPreparedUser } from '../../contract/prepared-secrets.ts';
import { carrierAccountTable, shippingLabelTable } from '../../../src/store/tables/shipping.ts';

/** A request to the carrier. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly authorization: string;
}

/** What the carrier does: an answer in JSON, no answer ever, or a connection that ends without one. */
export type Reply = { readonly status: number; readonly body: unknown } | 'silence' | 'hang up';

export type Script = (asked: Asked) => Reply | Promise<Reply>;

/** A carrier behind Karrio's interface. */
export interface ScriptedCarrier {
  readonly url: string;
  readonly asked: () => readonly Asked[];
  /** How many shipments it was asked to make. */
  readonly shipments: () => number;
  /** Does as the script says until the next one; null: makes, finds and tracks whatever it is asked for. */
  readonly play: (script: Script | null) => void;
  readonly close: () => Promise<void>;
}

export interface Shipping {
  readonly running: RunningApp;
  readonly carrier: ScriptedCarrier;
  /** Now, milliseconds; a test may move it. */
  readonly clock: { now: number };
  /** Requests of a client of NOR, of SOU, and of one that may only read. */
  readonly north: Requests;
  readonly south: Requests;
  readonly reader: Requests;
  /** The same as `north`, to another process. */
  readonly northBeside: () => Promise<Requests>;
  /** A context of NOR at the scripted carrier; its name. */
  readonly context: (about?: {
    readonly dailyLimit?: number;
    readonly activity?: string;
    readonly sender?: Readonly<Record<string, string>>;
    readonly carrier?: string;
    readonly settings?: Readonly<Record<string, string>>;
    readonly name?: string;
    readonly secrets?: string;
  }) => Promise<string>;
  readonly audit: (context: string) => Promise<readonly AuditEntry[]>;
  readonly close: () => Promise<void>;
}

export const apiKey = 'key_hush_0123456789abcdef';
export const pdf = samplePdf(['A label of a test']);

/** A request that the sandbox and the scripted carrier take. */
export const wish = {
  modeCol: 'CCC',
  modeLiv: 'HOM',
  expAddr1: 'North Trading',
  expAddr2: '4 rue des Entrepôts',
  expCity: 'Lesquin',
  expZip: '59810',
  expCountry: 'FR',
  destAddr1: 'Camille Moreau',
  destAddr2: '6 place des Vosges',
  destCity: 'Paris',
  destZip: '75004',
  destCountry: 'FR',
  destTel1: '+33600000000',
  weight: '1200',
  nbPackage: '1',
} as const;

/** Without the sender, whom the context presets. */
export const {
  expAddr1: _name,
  expAddr2: _street,
  expCity: _city,
  expZip: _zip,
  expCountry: _country,
  ...wishWithoutSender
} = wish;
export const sender = {
  expAddr1: 'North Trading',
  expAddr2: '4 rue des Entrepôts',
  expCity: 'Lesquin',
  expZip: '59810',
  expCountry: 'FR',
  expTel1: '+33320000000',
} as const;

const secretKey = 'pebble lantern orchard seventeen willow';
/** A Monday morning. */
export const start = Date.UTC(2026, 10, 23, 9);

/** Starts it; `north` and `south` are contexts at the sandbox, `north` at the other carriers too. */
export async function startShipping(
  engine: EngineUnderTest,
  settings: Readonly<Record<string, string>> = {},
): Promise<Shipping> {
  const clock = { now: start };
  const carrier = await startCarrier();
  const running = await startApp(engine, { SECRET_KEY: secretKey, ...settings }, () => clock.now);
  const { app } = running;
  const cipher = createAccountCipher({ secretKey, dataDir: running.documentsFolder, databaseUrl: null });
  const secrets = await cipher.encrypt(JSON.stringify({ apiKey }));
  let contexts = 0;
  const context: Shipping['context'] = async ({
    activity = 'NOR',
    sender: preset = {},
    carrier: name = 'karrio',
    dailyLimit = null,
    settings: more = {},
    name: given,
    secrets: own,
  } = {}) => {
    const named = given ?? `context-${++contexts}`;
    const told = name === 'karrio' ? { baseUrl: carrier.url, carrierName: 'chronopost', ...more } : more;
    await running.app.store.carrierAccounts.put(
      {
        activity,
        context: named,
        carrier: name,
        settings: told,
        secrets: own ?? (name === 'karrio' ? secrets : null),
        sender: preset,
        dailyLimit,
      },
      clock.now,
    );
    return named;
  };
  await context({ name: 'north', carrier: 'sandbox', sender });
  await context({ name: 'bare', carrier: 'sandbox' });
  await context({ name: 'south', carrier: 'sandbox', activity: 'SOU', settings: { companyPrefix: '9520009' } });
  await context({ name: 'north' });
  await context({ name: 'south', activity: 'SOU' });
  await context({ name: 'north', carrier: 'laposte', secrets: await cipher.encrypt(JSON.stringify({ apiKey })) });
  for (const [activity, activityName] of [
    ['NOR', 'North Trading'],
    ['SOU', 'South Trading'],
  ] as const) {
    await running.load(order, activity, [
      { ...order.example, activityCode: activity, activityName, orderUniqueID: `OF-${activity}` },
    ]);
  }
  const [north, south, reader] = [
    await tokenMaker(running, clock, 'NOR', false),
    await tokenMaker(running, clock, 'SOU', false),
    await tokenMaker(running, clock, 'NOR', true),
  ];
  return {
    running,
    carrier,
    clock,
    context,
    north: withToken(running, north),
    south: withToken(running, south),
    reader: withToken(running, reader),
    northBeside: async () => withToken(await running.beside(), north),
    audit: async (name) =>
      (
        await app.store.audit.read({
          activityCodes: null,
          operationId: null,
          action: 'label.create',
          actor: null,
          since: null,
          until: null,
          after: null,
          newestFirst: false,
          limit: 1000,
        })
      ).filter(({ target }) => target?.startsWith(`${name}/`)),
    close: async () => {
      await running.close();
      await carrier.close();
    },
  };
}

/** Where labels of a context are. */
export function labels(context: string, carrier = 'karrio'): string {
  return `/v1/shippings/labels/${context}/${carrier}`;
}

/** Where parcels of a context are tracked. */
export function tracking(context: string, number: string, carrier = 'karrio'): string {
  return `/v1/shippings/tracking/${context}/${carrier}/${number}`;
}

/** Asserts status and kind of a problem, and gives its members. */
export function problem(answer: Answered, status: number, slug: string): Record<string, unknown> {
  assert.equal(answer.status, status, answer.body);
  const members = answer.object();
  assert.match(String(members.type), new RegExp(`/problems/${slug}$`), answer.body);
  return members;
}

/** Sends a request that must leave everything as it is. */
export async function untouched(world: Shipping, ask: () => Promise<Answered>): Promise<Answered> {
  const before = await traces(world);
  const answer = await ask();
  assert.deepEqual(await traces(world), before, 'nothing is made, noted or asked, and no number is taken');
  return answer;
}

async function traces({
  running: {
    app: { store },
  },
  carrier,
}: Shipping) {
  const accounts = await rowsIn(store, carrierAccountTable, {}, { by: ['context', 'carrier'] });
  const labels = await rowsIn(store, shippingLabelTable);
  return { accounts, labels: labels.length, asked: carrier.asked().length };
}

/** The value of an output of a label. */
export function output(answer: Answered, name = 'PdfUrl'): string {
  assert.equal(answer.status, 200, answer.body);
  const { outputs } = answer.object();
  const found: unknown = Array.isArray(outputs) ? outputs.find((each) => Object(each).name === name) : undefined;
  assert.ok(found !== undefined, answer.body);
  return String(Object(found).value);
}

/** The expedition number of a label. */
export function numberOf(answer: Answered): string {
  assert.equal(answer.status, 200, answer.body);
  return String(answer.object().expeditionNumber);
}

/** Path of a link of ours. */
export function pathOf(link: string): string {
  assert.match(link, /^https:\/\/api\.logistics\.example\/v1\/shippings\/files\/[\w-]{43}$/);
  return new URL(link).pathname;
}

async function tokenMaker(
  { app }: RunningApp,
  clock: { readonly now: number },
  activity: string,
  readOnly: boolean,
): Promise<() => Promise<string>> {
  const name = `${activity.toLowerCase()}-${readOnly ? 'reader' : 'shop'}`;
  const { client } = await addClient(
    app.store,
    { name, redirectUris: ['http://127.0.0.1/callback'], activityCodes: [activity], readOnly, confidential: false },
    clock.now,
  );
  const user = await addPreparedUser(
    app.store,
    { login: name, password: 'pebble lantern orchard seventeen', activityCodes: [activity], operator: false },
    clock.now,
  );
  return async () => (await app.issueToken({ client, user, now: clock.now })).accessToken;
}

function withToken(requests: Requests, token: () => Promise<string>): Requests {
  return {
    get: async (path, options = {}) => requests.get(path, { token: await token(), ...options }),
    send: async (path, body, options = {}) => requests.send(path, body, { token: await token(), ...options }),
    upload: async (path, file, options = {}) => requests.upload(path, file, { token: await token(), ...options }),
  };
}

/** Starts the carrier alone. */
export async function startCarrier(): Promise<ScriptedCarrier> {
  const asked: Asked[] = [];
  let script: Script | null = null;
  let made = 0;
  const usual: Script = ({ method, path, body }) => {
    if (path === '/v1/shipments' && method === 'POST')
      return { status: 201, body: shipment(`KR${String(++made).padStart(8, '0')}`) };
    if (path.startsWith('/v1/shipments?'))
      return {
        status: 200,
        body: { results: [shipment(new URL(path, 'http://carrier').searchParams.get('tracking_number') ?? '')] },
      };
    return {
      status: 200,
      body: {
        messages: [],
        tracking: {
          status: 'in_transit',
          events: [{ date: '2026-11-23', time: '08:15', description: 'Collected', location: 'Lille' }],
          tracking_number: body,
        },
      },
    };
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const one: Asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        body,
        authorization: request.headers.authorization ?? '',
      };
      asked.push(one);
      reply(response, await (script ?? usual)(one));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: () => asked,
    shipments: () => asked.filter(({ method, path }) => method === 'POST' && path === '/v1/shipments').length,
    play: (next) => {
      script = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What Karrio answers to the making of a shipment, its label in it. */
export function shipment(number: string): Record<string, unknown> {
  return {
    id: `shp_${number}`,
    status: 'created',
    tracking_number: number,
    label_type: 'PDF',
    created_at: '2026-11-23T08:00:00Z',
    meta: { tracking_numbers: [number] },
    shipping_documents: [{ category: 'label', format: 'PDF', base64: pdf.toString('base64') }],
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function reply(response: ServerResponse, answer: Reply): void {
  if (answer === 'silence') return;
  if (answer === 'hang up') response.socket?.destroy();
  else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
}
