// Turns settings into a running application, and covers its life from start to end.
import type { FastifyInstance } from 'fastify';
import type { DestinationStream, Logger } from 'pino';
import { type KeyRing, createKeyRing, encryptStoredKeys } from './auth/keys.ts';
import { createCipher } from './auth/cipher.ts';
import { encryptStoredSecrets } from './auth/sign-in-secrets.ts';
import { createTokenIssuer } from './auth/tokens.ts';
import { addressesAt, type Config, type PublicAddresses } from './config.ts';
import { openDocumentStorage } from './documents/open.ts';
import { createFeedTurns, type FeedTurns, feedTurnLimits } from './feeds/feed-turns.ts';
import { createLogger, written } from './http/log.ts';
import { freePort } from './http/port-check.ts';
import { backgroundTasks } from './jobs/background-tasks.ts';
import type { Task } from './jobs/scheduler.ts';
import { shareWaiting } from './model/cooperative-yield.ts';
import type { WorkerLink } from './model/worker-link.ts';
import { definitions } from './resources/index.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import { buildServer } from './app/build-server.ts';
import { watch } from './app/monitoring.ts';
import { shareOf } from './app/worker-share.ts';

/** Replacements for tests. */
interface AppOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Where log lines go; default: standard error. */
  readonly log?: DestinationStream;
  /** Storage that is already open; the application closes it. */
  readonly store?: Store;
  /** Process metrics are collected once per process. */
  readonly processMetrics?: boolean;
  /** If this process is one of several workers of a server. */
  readonly link?: WorkerLink | undefined;
}

/** A running application, or one about to listen. */
export interface App {
  readonly store: Store;
  readonly addresses: PublicAddresses;
  readonly keys: KeyRing;
  readonly issueToken: ReturnType<typeof createTokenIssuer>;
  readonly server: FastifyInstance;
  readonly logger: Logger;
  listen(): Promise<PublicAddresses>;
  /**
   * Runs a further background task.
   * @param make receives a signal that aborts when the application closes, and the turns of all feeds
   */
  runInBackground(make: (stopping: AbortSignal, turns: FeedTurns) => Task): void;
  /**
   * Announces that the server is about to stop: `/readyz` answers 503, and every response ends its connection.
   * Everything else is served as before.
   */
  drain(): void;
  /** Lets running requests end, stops background work, closes storage. */
  close(): Promise<void>;
}

/**
 * Opens storage and builds the application; `listen` starts it.
 * @throws OperatorError when storage cannot be used or the keys cannot be decrypted
 */
export async function createApp(given: Config, options: AppOptions = {}): Promise<App> {
  const now = options.now ?? Date.now;
  const link = options.link ?? null;
  const config = link === null ? given : shareOf(given, link);
  link?.onWaiting(shareWaiting(link.tellWaiting));
  // The public addresses must be known before the server is built.
  const port = config.port === 0 ? await freePort(config.host, 0) : config.port;
  const addresses = addressesAt(config, port);
  const logger = loggerOf(config, options);
  const store = options.store ?? (await openedStore(config, logger, now, link));
  try {
    const cipher = createCipher(config.secretKey, 'The keys', config.secretKeyPrevious);
    await encryptStoredKeys(store, cipher);
    await encryptStoredSecrets(store, cipher);
    const keys = createKeyRing({ store, cipher, now });
    await keys.publicKeys();
    const documents = await openDocumentStorage(config, {
      database: store.epoch,
      failed: (error) => logger.error({ err: error }, 'the document storage does not work'),
    });
    const [draining, stopping] = [new AbortController(), new AbortController()];
    const watching = await watch(config, { store, logger, processMetrics: options.processMetrics ?? false });
    const turns = createFeedTurns(link?.queue('feed-turns', feedTurnLimits));
    const server = await buildServer(config, {
      ...addresses,
      store,
      cipher,
      keys,
      logger,
      documents,
      draining: draining.signal,
      stopping: stopping.signal,
      now,
      metrics: watching.metrics,
      tracing: watching.tracing,
      turns,
      link,
    });
    const tasks = backgroundTasks(config, {
      ...{ store, documents, logger, now, turns },
      registry: watching.metrics.registry,
      stopping: stopping.signal,
    });
    // A single worker runs the background tasks, and reports metrics of storage.
    const stops = link?.isLead === false ? [] : [watching.start(tasks)];
    return {
      store,
      addresses,
      keys,
      server,
      logger,
      issueToken: createTokenIssuer({ store, keys, issuer: addresses.authUrl, audience: addresses.baseUrl }),
      listen: async () => {
        await server.listen({ host: config.host, port });
        return addresses;
      },
      runInBackground: (make) => void stops.push(watching.start([make(stopping.signal, turns)])),
      drain: () => draining.abort(),
      close: async () => {
        stopping.abort();
        await Promise.all([server.close(), ...stops.map((stop) => stop())]);
        await watching.close();
        await store.close();
        await written(logger);
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function loggerOf({ logLevel }: Config, { log, link }: AppOptions): Logger {
  return createLogger(logLevel, log, link?.number);
}

function openedStore(config: Config, logger: Logger, now: () => number, link: WorkerLink | null): Promise<Store> {
  const onRewrite = (resource: string, count: number): void =>
    logger.info({ resource, count }, 'stored bodies are brought to the form of this version');
  const onMigration = (sentence: string): void => logger.info({}, sentence);
  return openStore(config, { ...definitions, onRewrite, onMigration }, now, link);
}
