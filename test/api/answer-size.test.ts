// What a small request can make an answer, and what is kept of it: reasons are listed up to a bound, and the rest is
// counted.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { maxArticles } from '../../src/api/submit-articles.ts';
import { readLabelRequest } from '../../src/shipping/label-request.ts';
import { jsonObject } from '../../src/platform/json-object.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Reason } from '../../src/model/record.ts';
import { refuseUnknownParameters } from '../../src/model/parameters.ts';
import { queryPairs } from '../../src/http/query.ts';
import { engines, provenWithoutServer } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { rowsIn } from '../contract/database.ts';
import { storedAnswerTable } from '../../src/store/tables/writes.ts';

/** What an answer may have, with the names of its items. */
const maxAnswerBytes = 1_048_576;

const named = (count: number, name: (index: number) => string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]));
const least = { activityCode: 'NOR', longArticleDescription: 'Long', shortArticleDescription: 'Short' };
const items = (item: (index: number) => unknown): readonly unknown[] =>
  Array.from({ length: maxArticles }, (_, index) => item(index));

/** Bodies, each of which was answered by many times its length. */
const hostile: Readonly<Record<string, string>> = {
  'a hundred unknown names in each item': JSON.stringify(
    items((index) => ({ ...least, articleReference: `A${index}`, ...named(100, (name) => `x${name}`) })),
  ),
  'fifteen hundred unknown names in each item': JSON.stringify(items(() => named(1500, (name) => `x${name}`))),
  'names that JSON escapes': JSON.stringify(items(() => named(50, (name) => `${'\u0001'.repeat(60)}${name}`))),
  'names of quotes and backslashes': JSON.stringify(items(() => named(100, (name) => `${'"\\'.repeat(30)}${name}`))),
  'names of wide characters': JSON.stringify(items(() => named(100, (name) => `${'\uffee'.repeat(58)}${name}`))),
  'wrong elements of a list': JSON.stringify(
    items((index) => ({ ...least, articleReference: `A${index}`, barcodes: Array.from({ length: 1000 }, () => 1) })),
  ),
  'what is read-only': JSON.stringify(
    items((index) => ({
      ...least,
      articleReference: `A${index}`,
      barcodes: Array.from({ length: 90 }, () => ({ id: 'x' })),
    })),
  ),
  // Found while the items are read, and while they are compared with what is stored.
  'unknown names in some items, and ids of others in the rest': JSON.stringify(
    items((index) =>
      index < 100
        ? { ...least, articleReference: `A${index}`, ...named(100, (name) => `x${name}`) }
        : {
            ...least,
            articleReference: `A${index}`,
            barcodes: Array.from({ length: 60 }, (_none, code) => ({
              id: `11111111-1111-4111-8111-${String(code).padStart(12, '0')}`,
              code: `${index}-${code}`,
            })),
          },
    ),
  ),
  'properties that occur twice, of long names': `[${items((index) => {
    const name = '\\u0001'.repeat(64);
    return `{"articleReference":"A${index}","${name}":1,"${name}":2}`;
  }).join()}]`,
  'properties that occur twice, deep inside': `[${items(() => {
    const opening = `{"${'\\u0001'.repeat(60)}":`;
    return `${opening.repeat(20)}{"a":1,"a":2}${'}'.repeat(20)}`;
  }).join()}]`,
};

// What is listed is decided before an engine is asked.
for (const engine of engines.slice(0, 1)) {
  describe(`an answer to articles on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => (running = await startApp(engine)));
    after(() => running.close());
    const send = (body: string, query: string, headers: Record<string, string> = {}): Promise<Answered> =>
      running.send(`/v1/articles${query}`, zstdCompressSync(body), {
        headers: { 'content-encoding': 'zstd', ...headers },
      });

    for (const [what, body] of Object.entries(hostile)) {
      it(`has at most a megabyte of reasons, whatever the request: ${what}`, async () => {
        const answer = await send(body, '?dryRun=true');
        assert.equal(answer.status, 200, answer.body.slice(0, 500));
        assert.ok(answer.bytes.length <= maxAnswerBytes, `${answer.bytes.length} bytes`);
        const errors: Readonly<Record<string, readonly Reason[]>> = JSON.parse(answer.body).errors;
        assert.equal(Object.keys(errors).length, maxArticles);
        for (const reasons of Object.values(errors)) {
          // Every item says at least one thing of itself, and how many more there are where some are not listed.
          assert.notEqual(reasons[0]?.code, 'more-errors');
          const more = reasons.filter(({ code }) => code === 'more-errors');
          assert.ok(more.length === 0 || (more.length === 1 && reasons.at(-1) === more[0]));
        }
      });
    }

    it('counts what it does not list, by item and in all', async () => {
      const answer = await send(hostile['a hundred unknown names in each item'] ?? '', '?dryRun=true');
      const errors: Readonly<Record<string, readonly Reason[]>> = JSON.parse(answer.body).errors;
      const counted = Object.values(errors).map((reasons) => {
        const more = reasons.at(-1)?.code === 'more-errors' ? (reasons.at(-1)?.count ?? 0) : 0;
        return { listed: reasons.length - Number(more > 0), more };
      });
      for (const { listed, more } of counted) assert.equal(listed + more, 100);
      const inAll = counted.reduce((sum, { more }) => sum + more, 0);
      assert.ok(inAll > 0);
      assert.match(
        errors[`NOR/A${maxArticles - 1}`]?.at(-1)?.detail ?? '',
        new RegExp(
          `^There are 99 more errors in this record, and ${inAll} in all records together that are not listed\\.`,
        ),
      );
    });

    it('is not cut where it says what a large request with ordinary faults needs', async () => {
      const faulty = items((index) => ({
        ...least,
        articleReference: `B${index}`,
        shortArticleDescription: 'x'.repeat(40),
        netWeightPerUVC: -1,
        articleType: 9,
      }));
      const answer = await send(JSON.stringify(faulty), '?dryRun=true');
      for (const reasons of Object.values(JSON.parse(answer.body).errors))
        assert.deepEqual(Array.isArray(reasons) && reasons.length, 3);
    });

    it('is kept under a key in a small part of its length, and comes back as it was', async () => {
      const key = randomUUID();
      const body = hostile['fifteen hundred unknown names in each item'] ?? '';
      const first = await send(body, '', { 'idempotency-key': key });
      const again = await send(body, '', { 'idempotency-key': key });
      assert.equal(again.headers['idempotency-replayed'], 'true');
      assert.equal(again.body, first.body);
      assert.ok(first.bytes.length <= maxAnswerBytes, `${first.bytes.length} bytes`);
      const [row] = await rowsIn(running.app.store, storedAnswerTable);
      assert.ok(String(row?.answer).length <= maxAnswerBytes / 10, `${String(row?.answer).length} characters are kept`);
    });
  });
}

describe('a problem', { skip: provenWithoutServer }, () => {
  const sizeOf = (work: () => unknown): number => {
    try {
      work();
    } catch (error) {
      if (error instanceof Problem) return Buffer.byteLength(JSON.stringify([error.detail, error.extra]));
      throw error;
    }
    return assert.fail('nothing was refused');
  };
  const hostileNames = ['\u0001', '"', '\uffee', 'x'];
  it('lists a bounded number of unknown parameters and counts the others', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `p${index}`);
    assert.throws(
      () =>
        refuseUnknownParameters(
          ['limit'],
          names.map((name) => [name, '']),
        ),
      (error: unknown) => {
        assert.ok(error instanceof Problem);
        assert.equal(Object.keys(error.extra.errors ?? {}).length, 21);
        assert.deepEqual(error.extra.errors?.[''], ['There are 1980 more parameters that are not known.']);
        return true;
      },
    );
    assert.ok(
      sizeOf(() =>
        refuseUnknownParameters(
          ['limit'],
          names.map((name) => [name.repeat(50), '']),
        ),
      ) < 8000,
    );
  });

  it('shows the beginning of a parameter that cannot be decoded', () => {
    assert.ok(sizeOf(() => queryPairs(`${'%'.repeat(8000)}=1`)) < 1000);
  });

  for (const character of hostileNames) {
    const names = `names of ${JSON.stringify(character)}`;
    it(`does not grow with the faults of a label request or an acknowledgement (${names})`, () => {
      const body = Buffer.from(JSON.stringify(named(1000, (index) => `${character.repeat(50)}${index}`)));
      assert.ok(sizeOf(() => readLabelRequest(body, {})) < 65_536);
      assert.ok(sizeOf(() => jsonObject(body, { consumer: 'required' })) < 65_536);
      const twice = Buffer.from(
        `{${Array.from({ length: 1000 }, (_, index) => `"x${index}":1,"x${index}":2`).join()}}`,
      );
      assert.ok(sizeOf(() => readLabelRequest(twice, {})) < 65_536);
      assert.ok(sizeOf(() => jsonObject(twice, { consumer: 'required' })) < 65_536);
    });
  }
});
