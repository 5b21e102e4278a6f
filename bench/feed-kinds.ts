// What part (i) feeds: the kind of records, how many, in which form, and through which channel.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Multiplied } from './data.ts';

/** What is fed, through which channel, and how many. */
export interface FeedKind {
  /** Records as the interface publishes them, or lines of orders from which a mapping makes articles and orders. */
  readonly what: Multiplied | 'order lines';
  readonly way: 'http' | 'gzip' | 'folder';
  /** Records, or lines of orders. */
  readonly quick: number;
  readonly full: number;
}

export const feedKinds: readonly FeedKind[] = [
  { what: 'movements', way: 'http', quick: 40_000, full: 1_000_000 },
  { what: 'movements', way: 'gzip', quick: 20_000, full: 1_000_000 },
  { what: 'movements', way: 'folder', quick: 40_000, full: 1_000_000 },
  { what: 'orders', way: 'http', quick: 3_000, full: 200_000 },
  { what: 'order lines', way: 'folder', quick: 60_000, full: 1_000_000 },
  { what: 'articles', way: 'http', quick: 6_000, full: 200_000 },
  { what: 'stock', way: 'http', quick: 40_000, full: 1_000_000 },
];

/** The mapping for order lines. */
export const orderLinesMapping = join(import.meta.dirname, '..', 'docs', 'examples', 'mappings', 'online-retail.json');

const linesOfOrder = 20;
const articlesOfLines = 4000;
const countries = ['United Kingdom', 'France', 'Germany', 'EIRE', 'Norway'];

/**
 * Writes a CSV file of order lines: orders of 20 lines each, of 4,000 recurring articles.
 * @returns its name
 */
export async function writeOrderLines(folder: string, count: number): Promise<string> {
  const path = join(folder, 'order-lines.csv');
  const output = createWriteStream(path, { highWaterMark: 1 << 20 });
  output.write('InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\r\n');
  for (let index = 0; index < count; index += 1) {
    const order = Math.floor(index / linesOfOrder);
    // Stepping by a prime visits all articles, so that no order has one twice.
    const article = 10_000 + ((index * 7) % articlesOfLines);
    const at = `${1 + (order % 12)}/${1 + (order % 28)}/25 ${order % 24}:${String(order % 60).padStart(2, '0')}`;
    const cells = [
      ...[500_000 + order, article, `"LANTERN, NUMBER ${article}"`, 1 + (index % 12)],
      ...[at, (1 + (article % 900) / 100).toFixed(2), 12_000 + (order % 6000), countries[order % countries.length]],
    ];
    if (!output.write(`${cells.join(',')}\r\n`)) await once(output, 'drain');
  }
  output.end();
  await finished(output);
  return path;
}
