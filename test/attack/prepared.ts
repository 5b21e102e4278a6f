// The database that every attack is made on: some tenants, their clients and records, made once in a run and copied for
// each server.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type App, createApp } from '../../src/app.ts';
import { addClient } from '../../src/auth/clients.ts';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import { addUser } from '../../src/auth/users.ts';
import { readConfig } from '../../src/config.ts';
import { createChecker } from '../../src/model/check.ts';
import type { Resource } from '../../src/model/resource.ts';
import { article, articleStock, articleStockMovement, order } from '../../src/resources/index.ts';
import { goodPassword } from '../commands/fixture.ts';

type EngineName = 'SQLite' | 'PostgreSQL';

/** SQLite, or the server that `TEST_DATABASE_URL` names. */
export const engine: EngineName = process.env.TEST_DATABASE_URL === undefined ? 'SQLite' : 'PostgreSQL';

/** Activity by role. The codes of `twin` and `twins` are such that one is the beginning of the other. */
export const activities = { victim: 'VIC', attacker: 'EVL', twin: 'AB', twins: 'AB1' } as const;
export type Role = keyof typeof activities;

/** Addresses that nobody listens on; tokens are for them, whatever port a server has. */
export const addresses = {
  BASE_URL: 'https://api.logistics.example/v1',
  AUTH_URL: 'https://login.logistics.example',
} as const;

/** Under which the attacker ships with the sandbox. */
export const shippingContext = 'evil';
export const redirectUri = 'http://127.0.0.1/callback';
export const password = goodPassword;

interface Grants {
  readonly tokens: Readonly<Record<Role | 'reader', string>>;
  readonly keys: Readonly<Record<'victim' | 'attacker', string>>;
  /** Platform keys that may send. */
  readonly feedKeys: Readonly<Record<Role, string>>;
  /** A public client of the attacker's activity. */
  readonly clientId: string;
  /** Of each of them. */
  readonly clientIds: Readonly<Record<Role, string>>;
}

/** A copy of the prepared database, for one server or several. */
export interface Database extends Grants {
  /** Settings that lead there. */
  readonly variables: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/**
 * Records of each activity: a filter without an index reads all of the attacker's movements. As many more changes as
 * `twin` has, its code and revision are those of `twins` where they are joined without a mark between them: AB at 111,
 * AB1 at 11.
 */
export const counts = {
  movements: 40_000,
  victimMovements: 8_000,
  twinMovements: { twin: 110, twins: 10 },
  orders: 300,
  stock: 2_000,
} as const;

/** Articles that a writer changes over and over: few, so that a walk is faster than what is written before it. */
export const rewritten = 30;

/**
 * Makes a copy of the database; the original is made when the first copy is wanted, and lasts as long as this process.
 */
export async function copyDatabase(): Promise<Database> {
  original ??= prepare();
  const { folder, name, grants } = await original;
  const copy = mkdtempSync(join(tmpdir(), 'attack-'));
  cpSync(folder, copy, { recursive: true });
  if (name === null) {
    const remove = async (): Promise<void> => rmSync(copy, { recursive: true, force: true });
    return { ...grants, folder: copy, variables: { ...addresses, DATA_DIR: join(copy, 'data') }, remove };
  }
  const copyName = `lc_attack_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${copyName} template ${name}`);
  return {
    ...grants,
    folder: copy,
    variables: { ...addresses, DATA_DIR: join(copy, 'data'), DATABASE_URL: urlOf(copyName) },
    remove: async () => {
      rmSync(copy, { recursive: true, force: true });
      await administer(`drop database ${copyName} with (force)`);
    },
  };
}

/** Removes the original; whoever runs last calls it, and once too often does no harm. */
export async function removeOriginal(): Promise<void> {
  const made = await original;
  original = undefined;
  if (made === undefined) return;
  rmSync(made.folder, { recursive: true, force: true });
  if (made.name !== null) await administer(`drop database if exists ${made.name} with (force)`);
}

interface Original {
  readonly folder: string;
  readonly name: string | null;
  readonly grants: Grants;
}

let original: Promise<Original> | undefined;

async function prepare(): Promise<Original> {
  const folder = mkdtempSync(join(tmpdir(), 'attack-original-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'data'));
  const name = engine === 'SQLite' ? null : `lc_attack_${randomBytes(6).toString('hex')}`;
  if (name !== null) await administer(`create database ${name} encoding 'UTF8' template template0`);
  const variables = {
    ...addresses,
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'silent',
    ...(name === null ? {} : { DATABASE_URL: urlOf(name) }),
  };
  const app = await createApp(readConfig(variables, folder));
  try {
    const grants = await grant(app);
    await app.store.carrierAccounts.put(
      {
        activity: activities.attacker,
        context: shippingContext,
        carrier: 'sandbox',
        settings: {},
        secrets: null,
        sender: {},
        dailyLimit: null,
      },
      Date.now(),
    );
    await fill(app);
    return { folder, name, grants };
  } finally {
    await app.close();
  }
}

async function grant(app: App): Promise<Grants> {
  const clients = new Map<string, string>();
  const tokenOf = async (role: string, code: string, readOnly: boolean): Promise<string> => {
    const now = Date.now();
    const given = { name: role, redirectUris: [redirectUri], activityCodes: [code], readOnly, confidential: false };
    const { client } = await addClient(app.store, given, now);
    const user = await addUser(app.store, { login: role, password, activityCodes: [code], operator: false }, now);
    clients.set(role, client.id);
    return (await app.issueToken({ client, user, now })).accessToken;
  };
  const keyOf = async (
    code: string,
    roles: readonly ('outbox' | 'audit' | 'feed' | 'shipping')[] = ['outbox', 'audit', 'shipping'],
  ): Promise<string> =>
    (await addPlatformKey(app.store, { name: code.toLowerCase(), activityCodes: [code], roles }, Date.now())).text;
  for (const code of Object.values(activities)) await app.store.activities.add(code, `${code} Trading`);
  const tokens = {
    victim: await tokenOf('victim', activities.victim, false),
    attacker: await tokenOf('attacker', activities.attacker, false),
    twin: await tokenOf('twin', activities.twin, false),
    twins: await tokenOf('twins', activities.twins, false),
    reader: await tokenOf('reader', activities.attacker, true),
  };
  return {
    tokens,
    keys: { victim: await keyOf(activities.victim), attacker: await keyOf(activities.attacker) },
    feedKeys: {
      victim: await keyOf(activities.victim, ['feed']),
      attacker: await keyOf(activities.attacker, ['feed']),
      twin: await keyOf(activities.twin, ['feed']),
      twins: await keyOf(activities.twins, ['feed']),
    },
    clientId: clients.get('attacker') ?? '',
    clientIds: {
      victim: clients.get('victim') ?? '',
      attacker: clients.get('attacker') ?? '',
      twin: clients.get('twin') ?? '',
      twins: clients.get('twins') ?? '',
    },
  };
}

async function fill(app: App): Promise<void> {
  await load(app, articleStockMovement, activities.attacker, counts.movements, movement);
  await load(app, articleStockMovement, activities.victim, counts.victimMovements, movement);
  for (const role of ['twin', 'twins'] as const)
    await load(app, articleStockMovement, activities[role], counts.twinMovements[role], movement);
  for (const role of ['attacker', 'victim'] as const) {
    const own = activities[role];
    const named = { activityCode: own, activityName: `${own} Trading` };
    await load(app, order, own, counts.orders, (index) => ({
      ...order.example,
      ...named,
      orderUniqueID: `${own}-${index}`,
      internalId: index,
    }));
    await load(app, article, own, counts.orders, (index) => ({
      ...article.example,
      ...named,
      articleReference: `A${index}`,
    }));
    await load(app, articleStock, own, counts.stock, (index) => stockRow(own, index, '2026-01-01T00:00:00.000Z'));
  }
}

/** One row of a stock image. */
export function stockRow(
  activityCode: string,
  index: number,
  stockImageExtractionDate: string,
): Readonly<Record<string, unknown>> {
  return {
    ...articleStock.example,
    activityCode,
    articleReference: `A${index}`,
    stockImageExtractionDate,
    totalStockQuantity: index,
  };
}

/** One movement of some hundred articles. */
export function movement(index: number): Readonly<Record<string, unknown>> {
  const { id: _id, dateCreation: _created, dateLastUpdate: _updated, ...example } = articleStockMovement.example;
  const at = (offset: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000 + offset).toISOString();
  return {
    ...example,
    articleReference: `A${index % 400}`,
    movedQuantity: index,
    movementTimestamp: at(0),
    dateProcessed: at(5000),
  };
}

type MakeRecord = (index: number) => Readonly<Record<string, unknown>>;

/** Writes records as a feed would. */
async function load(
  { store }: App,
  resource: Resource,
  activity: string,
  count: number,
  record: MakeRecord,
): Promise<void> {
  const check = createChecker(resource);
  const checked = (index: number) => {
    const outcome = check(record(index), { activity, activityName: `${activity} Trading` });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.reasons));
    return outcome.record;
  };
  const draft =
    resource.storage === 'records'
      ? null
      : await store.images.draft(resource, activity, Date.parse('2026-01-01T00:00:00.000Z'));
  for (let from = 0; from < count; from += batch) {
    const records = Array.from({ length: Math.min(batch, count - from) }, (_none, index) => checked(from + index));
    if (draft === null) await store.records.write(resource, activity, records);
    else await draft.write(records);
  }
  await draft?.publish();
}

const batch = 1000;

function urlOf(database: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  url.pathname = `/${database}`;
  return url.href;
}

async function administer(text: string): Promise<void> {
  const client = new Client(process.env.TEST_DATABASE_URL);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
