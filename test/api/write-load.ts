// Clients that write without a pause, remember what they were answered, and ask again with the same key where they were
// not.
import { setTimeout as pause } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import { type FormFile, formBoundary, formOf } from '../contract/form.ts';
import { pdf } from '../documents/samples.ts';

/** One write of a client. */
interface Operation {
  readonly key: string;
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  /**
   * What it must leave: references of articles in their order, or the content of a document; neither where it is
   * refused.
   */
  readonly references: readonly string[];
  readonly content: Buffer | null;
}

export interface Acknowledged {
  readonly operation: Operation;
  /** The answer: an OperationResult. */
  readonly text: string;
  readonly operationId: string;
  readonly passed: readonly string[];
}

export interface Load {
  readonly acknowledged: Acknowledged[];
  /** Sent, and not answered with 200 so far. */
  readonly pending: Set<Operation>;
  /** Writes to a server until it is gone or `stop` is aborted, from several sides. */
  readonly run: (origin: string, stop: AbortSignal) => Promise<void>;
  /** Sends what is pending again, once. Returns what was answered with anything but 200. */
  readonly repeat: (origins: readonly string[]) => Promise<readonly string[]>;
  /** Sends one operation. Null: there was no answer. */
  readonly send: (
    origin: string,
    operation: Operation,
  ) => Promise<{ readonly status: number; readonly text: string; readonly replayed: boolean } | null>;
}

const sides = 6;

export function createLoad({ token, uploads }: { readonly token: string; readonly uploads: string }): Load {
  const acknowledged: Acknowledged[] = [];
  const pending = new Set<Operation>();
  let count = 0;
  const send: Load['send'] = async (origin, { key, path, type, body }) => {
    try {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'idempotency-key': key };
      const answer = await fetch(origin + path, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(60_000),
      });
      return { status: answer.status, text: await answer.text(), replayed: answer.headers.has('idempotency-replayed') };
    } catch {
      return null;
    }
  };
  const settle = (operation: Operation, text: string): void => {
    const { operationId, passed }: { operationId: string; passed: readonly string[] } = JSON.parse(text);
    pending.delete(operation);
    acknowledged.push({ operation, text, operationId, passed });
  };
  return {
    acknowledged,
    pending,
    send,
    run: async (origin, stop) => {
      await Promise.all(
        Array.from({ length: sides }, async () => {
          while (!stop.aborted) {
            count += 1;
            const operation = randomInt(2) === 0 ? newArticles(count) : newDocument(count, uploads);
            pending.add(operation);
            const answer = await send(origin, operation);
            if (answer === null) return;
            if (answer.status === 200) settle(operation, answer.text);
          }
        }),
      );
    },
    repeat: async (origins) => {
      const left = [...pending].values();
      const refused: string[] = [];
      await Promise.all(
        Array.from({ length: sides }, async () => {
          for (const operation of left) {
            // Connections that were cut are noticed one by one: a client that is told 503 tries again.
            let answer = await send(origins[randomInt(origins.length)] ?? '', operation);
            for (let attempt = 1; answer?.status === 503 && attempt < 20; attempt += 1) {
              await pause(100);
              answer = await send(origins[randomInt(origins.length)] ?? '', operation);
            }
            if (answer?.status === 200) settle(operation, answer.text);
            else
              refused.push(`${operation.path} was answered with ${answer?.status ?? 'nothing'}: ${answer?.text ?? ''}`);
          }
        }),
      );
      return refused;
    },
  };
}

/** New articles, articles that all write to, and now and then one that is refused. */
function newArticles(count: number): Operation {
  const references = [
    ...Array.from({ length: 1 + randomInt(8) }, (_, index) => `N${count}-${index}`),
    `SHARED-${randomInt(3)}`,
  ];
  const items = references.map((articleReference) => ({
    activityCode: 'NOR',
    articleReference,
    longArticleDescription: `Written by ${count}`,
    shortArticleDescription: 'Short',
  }));
  const refused = randomInt(3) === 0 ? [{ activityCode: 'NOR', articleReference: `R${count}` }] : [];
  return {
    key: `articles-${count}`,
    path: '/v1/articles',
    type: 'application/json',
    body: Buffer.from(JSON.stringify([...items, ...refused])),
    references,
    content: null,
  };
}

/** New documents, documents that all send, and now and then one that is refused. */
function newDocument(count: number, uploads: string): Operation {
  const kind = randomInt(6);
  const content =
    kind === 0
      ? Buffer.alloc(0)
      : kind < 3
        ? pdf(`common ${randomInt(5)}`)
        : pdf(`${count}`.padEnd(randomInt(300_000), ' '));
  const file: FormFile = { content };
  return {
    key: `document-${count}`,
    path: uploads,
    type: `multipart/form-data; boundary=${formBoundary}`,
    body: formOf([file]),
    references: [],
    content: kind === 0 ? null : content,
  };
}
