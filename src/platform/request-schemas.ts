// Schemas and example of clients' recent requests, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { instant, orNull, record, text, uuid, whole } from './schema-parts.ts';

/** Schemas by name. */
export const requestSchemas: Readonly<Record<string, Json>> = {
  RequestPage: record('Requests.', {
    requests: {
      type: 'array',
      maxItems: 100,
      description: 'Newest first.',
      items: record('A request of a client that is known.', {
        id: uuid('Where it stands in the list.'),
        requestId: text('`X-Request-Id` of the answer.'),
        at: instant('When it was answered.'),
        client: text('Id of the client or key, or of the user who asked as an operator.'),
        subject: orNull('User on whose behalf the client asked; name of the key.'),
        method: text('Method.', 10),
        target: text('Path and query as they came, the first 1000 characters.', 1000),
        route: orNull('Pattern of the path; null: it is unknown.'),
        status: whole('Status of the answer; 499: the client closed the connection before there was one.'),
        problem: orNull('Last part of the type of the problem that was answered.', 60),
        detail: orNull('What the problem said, the first 1000 characters.', 1000),
        milliseconds: whole('How long it took.'),
        bytes: whole('Length of the answer.'),
        further: whole('Requests of the same client since its one before that are not in the list.'),
      }),
    },
    after: orNull('Where the answer ends, for `after`; null where there is no more.', 36),
  }),
};

export const requestsExample = {
  requests: [
    {
      id: '019c8ef1-1a01-7d00-8000-5b7d9c0e1f20',
      requestId: 'shop-4711',
      at: '2026-03-02T14:05:09.120Z',
      client: 'shop-7x0k2m9qpe',
      subject: '019b9c3e-5c00-7a41-8d2f-6b1e0f3a9c01',
      method: 'GET',
      target: '/v1/orders?filter=orderID==7',
      route: '/v1/orders',
      status: 400,
      problem: 'invalid-filter',
      detail: "There is no property 'orderID'.",
      milliseconds: 1,
      bytes: 412,
      further: 0,
    },
  ],
  after: null,
} as const;
