// The endpoints that write, served over a store and a document storage of the test's own making.
import { Writable } from 'node:stream';
import { describeOperation } from '../../src/api/descriptions/index.ts';
import { articlesBody, submitArticles } from '../../src/api/submit-articles.ts';
import { documentBodyLimits, uploadDocument } from '../../src/api/upload-document.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { createLogger } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import type { Principal } from '../../src/http/route.ts';
import { createServer, defaultLimits } from '../../src/http/server.ts';
import type { Store } from '../../src/store/store.ts';
import { type FormFile, formBoundary, formOf } from '../contract/form.ts';

export interface WriteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface WriteServer {
  readonly articles: (
    items: readonly unknown[],
    headers?: Readonly<Record<string, string>>,
    query?: string,
  ) => Promise<WriteAnswer>;
  readonly upload: (order: string, file: FormFile, headers?: Readonly<Record<string, string>>) => Promise<WriteAnswer>;
  readonly close: () => Promise<void>;
}

const documentSlugs = ['invoice'];

/** Serves one client of the activity NOR. */
export function writeServer(store: Store, documents: DocumentStorage): WriteServer {
  const principal: Principal = {
    kind: 'client',
    clientId: 'shop',
    subject: 'anna',
    activityCodes: ['NOR'],
    readOnly: false,
  };
  const server = createServer({
    mounts: [
      {
        prefix: '/v1',
        routes: [
          {
            ...describeOperation('createArticles', { documentSlugs }),
            method: 'POST',
            path: '/articles',
            operationId: 'createArticles',
            access: 'token',
            rate: 'write',
            body: { ...articlesBody, schema: {}, example: null },
            ...submitArticles({ store }),
          },
          {
            ...describeOperation('attachDocument', { documentSlugs }),
            method: 'POST',
            path: '/orders/{orderId}/docs/{docSlug}',
            operationId: 'attachDocument',
            access: 'token',
            rate: 'label',
            body: { ...documentBodyLimits, schema: {}, example: null },
            ...uploadDocument({ store, documents, documentSlugs, now: Date.now }),
          },
        ],
      },
    ],
    authenticate: () => principal,
    authenticatePlatform: () => principal,
    baseUrl: 'https://api.logistics.example/v1',
    limits: defaultLimits,
    rates: { read: 0, write: 0, label: 0, platform: 0 },
    corsOrigins: [],
    trustProxy: false,
    logger: createLogger('silent', new Writable({ write: (_chunk, _encoding, done) => done() })),
    metrics: createMetrics({ process: false }),
  });
  const post = async (
    url: string,
    payload: string | Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<WriteAnswer> => {
    const {
      statusCode,
      headers: answered,
      body: text,
    } = await server.inject({ method: 'POST', url, payload, headers });
    return { status: statusCode, headers: answered, text, body: Object(JSON.parse(text)) };
  };
  return {
    articles: (items, headers = {}, query = '') =>
      post(`/v1/articles${query}`, JSON.stringify(items), { 'content-type': 'application/json', ...headers }),
    upload: (order, file, headers = {}) =>
      post(`/v1/orders/${order}/docs/invoice`, formOf([file]), {
        'content-type': `multipart/form-data; boundary=${formBoundary}`,
        ...headers,
      }),
    close: () => server.close(),
  };
}
