// Where who sends feeds can put text: bodies of each form and coding, what a request says of its message, the record
// that mends a refused line, and what is asked for of messages and lines.
import assert from 'node:assert/strict';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { article, articleStock, articleStockMovement, order } from '../../../src/resources/index.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { feed } from '../feed-wire.ts';
import { activities } from '../prepared.ts';
import type { Target } from '../target.ts';
import type { Asked } from '../wire.ts';
import type { Surface } from './search.ts';
import { inQuery, type RequestSurface } from './surfaces.ts';

/** Characters: what a feed costs grows with its records, and it gives way between them. */
const most = 100_000;

/** The first refused line of the attacker, which `refuseLine` makes. */
const refusedLine = `${activities.attacker}:1:1`;

/** Sends the record that is mended over and over. To be called before any other feed. */
export async function refuseLine(target: Target): Promise<void> {
  const { status, body } = await feed(target, 'articles', '{}\n');
  const { refusedLines } = JSON.parse(String(body));
  assert.deepEqual([status, refusedLines[0]?.id], [200, refusedLine]);
}

const item = itemOf(article);
const withdrawal = '{"withdraw":{"articleReference":"A1"}}';

const found: readonly Omit<RequestSurface, 'isOfFeed'>[] = [
  bodies('feed, lines of articles', 'articles', [item, `${item}\n${item}\n{}`, `${withdrawal}\n${item}`]),
  bodies('feed, lines of movements', 'movements', [itemOf(articleStockMovement), '{}\n{}\n[]']),
  bodies('feed, array of orders', 'orders', [`[${itemOf(order)}]`, '[{},{}]']),
  bodies('feed, array of stock', 'stock', [
    `[${itemOf(articleStock)}]`,
    '[{"withdraw":{"stockImageExtractionDate":"2026-01-01T00:00:00Z"}}]',
  ]),
  bodies('feed, checked before it is taken', 'articles?strict=true', [item, `${item}\n{}`]),
  bodies('feed in zstd', 'articles', [`${item}\n`], (text) => [zstdCompressSync(text), 'zstd']),
  bodies('feed in gzip', 'orders', [`[${itemOf(order)}]`], (text) => [gzipSync(text), 'gzip']),
  {
    name: 'feed, what its request says',
    most: 7500,
    seeds: ['a', 'run-2026-03-02', 'a&sequence=1', '\u{1f69a}&feed=b&strict=true'],
    request: (text) => sent(`articles?messageId=${encodeURIComponent(text.toWellFormed()).slice(0, 7500)}`, withdrawal),
  },
  {
    name: 'record that mends a line',
    most: 500_000,
    seeds: [item, '{}', withdrawal],
    request: (text) => ({
      method: 'POST',
      path: `/platform/feeds/lines/${encodeURIComponent(refusedLine)}/edit`,
      headers: { 'content-type': 'application/json' },
      body: text,
    }),
  },
  inQuery('lines after', '/platform/feeds/lines', 'after', [refusedLine, 'EVL:99999999999999999999:1']),
  inQuery('messages of a feed', '/platform/feeds/messages', 'feed', ['main', '-']),
  inQuery('lineage', `/platform/lineage?resource=articles&activity=${activities.attacker}`, 'articleReference', [
    'A1',
    '\u{1f69a}',
  ]),
];

export const feedSurfaces: readonly RequestSurface[] = found.map((each) => ({ ...each, isOfFeed: true }));

/** A record that is taken, without the ids and dates that the service gives. */
function itemOf({ example }: Resource): string {
  const { id: _id, dateCreation: _created, dateLastUpdate: _updated, ...record }: Record<string, unknown> = example;
  const own = { activityCode: activities.attacker, activityName: `${activities.attacker} Trading` };
  return JSON.stringify({ ...record, ...('activityCode' in record && own) });
}

type Coded = readonly [body: string | Buffer, coding: string | null];

function bodies(
  name: string,
  path: string,
  seeds: Surface['seeds'],
  code: (text: string) => Coded = (text) => [text, null],
): Omit<RequestSurface, 'isOfFeed'> {
  return { name, most, seeds, request: (text) => sent(path, ...code(text)) };
}

function sent(path: string, body: string | Buffer, coding: string | null = null): Asked {
  const headers = {
    'content-type': 'application/x-ndjson',
    ...(coding !== null && { 'content-encoding': coding }),
  };
  return { method: 'POST', path: `/platform/feeds/${path}`, headers, body };
}
