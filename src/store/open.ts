// Opens storage: picks the engine, brings it to the program's version, and offers the whole as one Store.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { derived } from '../model/derived.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { textBlock } from '../model/text-block.ts';
import type { WorkerLink } from '../model/worker-link.ts';
import { createActivities } from './activities.ts';
import { createActivityRemoval } from './activity-removal.ts';
import { createAuditTrail } from './audit.ts';
import { createClients } from './clients.ts';
import { createDemonstration } from './demonstration.ts';
import { allTables, distribute } from './distribution.ts';
import type { Engine } from './engine.ts';
import { beginHistory, historySecret, historySince, newHistory } from './history.ts';
import { createFeeds } from './feed-messages.ts';
import { createJobLeases } from './job-leases.ts';
import { createCarrierAccounts } from './carrier-accounts.ts';
import { createLabels } from './labels.ts';
import { createLoginAttempts } from './login-attempts.ts';
import { createLists } from './lists.ts';
import { defaultLongReads, type LongReadSettings } from './long-reads.ts';
import { isBegun, isUpToDate, migrate } from './migrate.ts';
import { type ObservedEngine, observedEngine } from './observed-engine.ts';
import { createOidcPayloads } from './oidc-payloads.ts';
import { createOrderDocuments } from './order-documents.ts';
import { createOutbox } from './outbox.ts';
import { createHandovers } from './handovers.ts';
import { createLabelVoids } from './label-voids.ts';
import { createParcelTracking } from './parcel-tracking.ts';
import { createPlatformKeys } from './platform-keys.ts';
import { createQuotaWindows } from './quota-windows.ts';
import { createFeedRemoval } from './feed-removal.ts';
import { createRecordRemoval } from './record-removal.ts';
import { lineageOf } from './lineage.ts';
import { createRecords } from './records.ts';
import type { ReplicaSource, Replicas } from './replicas.ts';
import { createRequestLog } from './request-log.ts';
import { createRetentionRules } from './retention-rules.ts';
import { createSecrets } from './secrets.ts';
import type { Tell } from './shape-preparation.ts';
import { createSigningKeys } from './signing-keys.ts';
import { openSqlite } from './sqlite.ts';
import { sql } from './statement.ts';
import type { Store } from './store.ts';
import { createFeedLines } from './feed-lines.ts';
import { createIdempotencyRecords } from './idempotency-records.ts';
import { createStockImages } from './stock-images.ts';
import { createStockSums } from './stock-sums.ts';
import { type Definitions, rewriteBodies } from './body-rewriting.ts';
import { createInvitations } from './invitations.ts';
import { createSessions } from './sessions.ts';
import { createSecondFactors } from './second-factors.ts';
import { createUsers } from './users.ts';

export interface StorageSettings extends Partial<LongReadSettings> {
  /** Folder of the embedded database; used when there is no `databaseUrl`. */
  readonly dataDir: string;
  /** `postgres://…`, or null for the embedded database. */
  readonly databaseUrl: string | null;
  /** Addresses of replicas of that database, separated by spaces; null or absent: none. */
  readonly databaseReplicaUrls?: string | null;
}

/**
 * Opens storage and brings it to the program's version.
 * @param definitions the resources of the program; stored bodies are brought to their form
 * @param link if this process is one of several workers of a server
 * @throws OperatorError when storage cannot be opened, or was written by a newer program
 */
export async function openStore(
  settings: StorageSettings,
  definitions: Definitions,
  clock: () => number = Date.now,
  link: WorkerLink | null = null,
): Promise<Store> {
  const engine = await openEngine(settings, clock, link);
  const bring =
    settings.databaseUrl === null
      ? (own: Engine) => migrate(own)
      : (own: Engine) => migrateServer(own, settings, clock, definitions.onMigration);
  return createStore(engine, definitions, replicaSources(settings, link), bring);
}

/**
 * Opens a PostgreSQL database that has tables of this program, and brings it to the program's version.
 * @throws OperatorError as `openStore`, and when there are none
 */
export async function openStoreOnServer(
  settings: StorageSettings,
  definitions: Definitions,
  clock: () => number,
): Promise<Store> {
  const engine = await openEngine(settings, clock);
  return createStore(engine, definitions, replicaSources(settings), async (own) => {
    if (!(await isBegun(own)))
      throw new OperatorError(
        'The database that DATABASE_URL names is empty.',
        textBlock`
          Set DATABASE_URL to what the server uses, restore a backup there, or begin with:
          ./logistics-connect activity add CODE NAME
        `,
      );
    await migrateServer(own, settings, clock, definitions.onMigration);
  });
}

/**
 * Longest wait for an answer from a PostgreSQL server to a statement that goes through a whole table, such as an index
 * of a migration: it may take hours, and must not be given up and begun again at each start.
 */
export const wholeTableMs = 24 * 3_600_000;

/** Runs missing steps on a connection of their own, since no other one may be silent for that long. */
async function migrateServer(
  own: Engine,
  settings: StorageSettings,
  clock: () => number,
  tell: Tell | undefined,
): Promise<void> {
  if (await isUpToDate(own)) return;
  const engine = await openEngine(settings, clock, null, wholeTableMs);
  try {
    await migrate(engine, undefined, tell);
  } finally {
    await engine.close();
  }
}

/**
 * Opens the database as it is, whatever its version.
 * @param maxSilenceMs longest wait for an answer from a PostgreSQL server
 * @throws OperatorError when it cannot be opened
 */
export async function openEngine(
  settings: StorageSettings,
  clock: () => number = Date.now,
  link: WorkerLink | null = null,
  maxSilenceMs?: number,
): Promise<Engine> {
  const { maxLongReads = defaultLongReads.maxLongReads, maxLongReadSeconds = defaultLongReads.maxLongReadSeconds } =
    settings;
  const longReads = { maxLongReads, maxLongReadSeconds };
  if (settings.databaseUrl === null) return openSqlite(databaseFile(settings), clock, longReads, link);
  // Loaded on demand: the driver takes memory that the embedded engine does not need.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(settings.databaseUrl, maxSilenceMs, longReads, link);
}

/** A replica that does not answer within this time is left out, and the primary is asked. */
const maxReplicaSilenceMs = 5000;
const maxLongReplicaSilenceMs = 45_000;

/** The replicas named in the settings; each has its own places for long reads. */
export function replicaSources(settings: StorageSettings, link: WorkerLink | null = null): readonly ReplicaSource[] {
  const { databaseUrl, databaseReplicaUrls = null } = settings;
  const { maxLongReads = defaultLongReads.maxLongReads, maxLongReadSeconds = defaultLongReads.maxLongReadSeconds } =
    settings;
  if (databaseUrl === null || databaseReplicaUrls === null) return [];
  return databaseReplicaUrls.split(/\s+/).map((url, index) => ({
    server: URL.parse(url)?.host ?? `replica ${index + 1}`,
    open: async (lost) => {
      const { openPostgres } = await import('./postgres.ts');
      const ownPlaces: WorkerLink | null = link && {
        ...link,
        queue: (name, limits) => link.queue(`${name} of replica ${index + 1}`, limits),
      };
      return observedEngine(
        await openPostgres(
          url,
          maxReplicaSilenceMs,
          { maxLongReads, maxLongReadSeconds },
          ownPlaces,
          maxLongReplicaSilenceMs,
          lost === undefined ? {} : { lost },
        ),
      );
    },
  }));
}

/** File of the embedded database, whether or not it exists. */
export function databaseFile(settings: Pick<StorageSettings, 'dataDir'>): string {
  return join(settings.dataDir, 'logistics-connect.db');
}

/** The parts of the PostgreSQL driver that replicas need are loaded only if there are any. */
async function replicasOf(engine: Engine, sources: readonly ReplicaSource[], epoch: string): Promise<Replicas> {
  const { createReplicas, shapeOf } = await import('./replicas.ts');
  return createReplicas(sources, { epoch, shape: await shapeOf(engine) });
}

/**
 * Makes a Store from an engine: brings it to the program's version, and closes it again if that fails.
 * @param bring runs the steps that its database lacks
 */
export async function createStore(
  opened: Engine,
  definitions: Definitions,
  sources: readonly ReplicaSource[] = [],
  bring: (engine: Engine) => Promise<unknown> = (engine) => migrate(engine),
): Promise<Store> {
  const engine = observedEngine(opened);
  try {
    await bring(engine);
    if (engine.isDistributed) await distribute(engine, allTables(definitions.resources));
    await rewriteBodies(engine, definitions);
    const secrets = createSecrets(engine);
    const epoch = await secrets.obtain('epoch', () => randomBytes(9).toString('base64url'));
    const history = await secrets.obtain(historySecret, newHistory);
    const pepper = await secrets.obtain('quota', () => randomBytes(32).toString('base64url'));
    return storeOf(
      engine,
      sources.length === 0 ? null : await replicasOf(engine, sources, epoch),
      { epoch, history, historySince: await historySince(engine), secrets, quotas: createQuotaWindows(engine, pepper) },
      definitions.resources,
      derived(definitions.rendererOf),
    );
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function storeOf(
  engine: ObservedEngine,
  replicas: Replicas | null,
  own: Pick<Store, 'epoch' | 'history' | 'historySince' | 'secrets' | 'quotas'>,
  resources: readonly Resource[],
  rendererOf: (resource: Resource) => Renderer,
): Store {
  return {
    engine,
    ...own,
    activities: createActivities(engine),
    activityRemoval: createActivityRemoval(engine, resources),
    users: createUsers(engine),
    secondFactors: createSecondFactors(engine),
    invitations: createInvitations(engine),
    sessions: createSessions(engine),
    clients: createClients(engine),
    platformKeys: createPlatformKeys(engine),
    signingKeys: createSigningKeys(engine),
    oidcPayloads: createOidcPayloads(engine),
    loginAttempts: createLoginAttempts(engine),
    beginHistory: (entryOf) => beginHistory(engine, entryOf),
    lists: createLists(engine, undefined, replicas),
    stockSums: createStockSums(engine),
    records: createRecords(engine, rendererOf),
    images: createStockImages(engine, rendererOf),
    lineageOf: (resource, activity, named, reader) => lineageOf(engine, resource, activity, named, reader),
    feedLines: createFeedLines(engine),
    feeds: createFeeds(engine, rendererOf, resources),
    outbox: createOutbox(engine),
    audit: createAuditTrail(engine),
    idempotency: createIdempotencyRecords(engine),
    demonstration: createDemonstration(engine),
    documents: createOrderDocuments(engine),
    carrierAccounts: createCarrierAccounts(engine),
    labels: createLabels(engine),
    labelVoids: createLabelVoids(engine),
    handovers: createHandovers(engine),
    tracking: createParcelTracking(engine),
    requestLog: createRequestLog(engine),
    retentionRules: createRetentionRules(engine),
    recordRemoval: createRecordRemoval(engine, resources),
    feedRemoval: createFeedRemoval(engine),
    jobLeases: () => createJobLeases(engine, randomBytes(9).toString('base64url')),
    replicas,
    longReads: engine.longReads,
    refusedConnections: engine.refusedConnections ?? null,
    tellSlowStatements: engine.tellSlow,
    optimize: engine.optimize,
    ping: async () => void (await engine.read(sql`select 1`)),
    close: async () => {
      await replicas?.close();
      await engine.close();
    },
  };
}
