// Requests as large as the documented limits allow, made and sent as tests need them.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Answered, RunningApp } from '../contract/running-app.ts';

export const mebibytes = 1_048_576;
/** An article of the activity NOR with what every article needs. */
export const item = (articleReference: string, more: object): object => ({
  activityCode: 'NOR',
  articleReference,
  longArticleDescription: 'Long',
  shortArticleDescription: 'Short',
  ...more,
});
export const listOf = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_none, index) => make(index));
export const barcodes = (count: number, prefix: string): readonly object[] =>
  listOf(count, (index) => ({ code: `${prefix}${index}`, barcodeUnit: 'UVC' }));
/** Logistical variants with barcodes of their own. */
export const variants = (count: number, each: number): readonly object[] =>
  listOf(count, (index) => ({ logisticalVariantCode: `V${index}`, barcodes: barcodes(each, `V${index}-`) }));

/** Sends articles in a compressed body within the limit of bytes. */
export function send(running: RunningApp, items: readonly object[], query = ''): Promise<Answered> {
  const body = JSON.stringify(items);
  assert.ok(body.length <= 10 * mebibytes, `${body.length} bytes`);
  return running.send(`/v1/articles${query}`, gzipSync(body, { level: 1 }), {
    headers: { 'content-encoding': 'gzip' },
  });
}

/** Once more where this machine is so busy that the write took longer than it may, and was undone. */
export async function taken(running: RunningApp, items: readonly object[]): Promise<Answered> {
  for (let time = 1; ; time += 1) {
    const answer = await send(running, items);
    if (answer.status !== 503 || time === 5) return answer;
    assert.match(String(answer.object().detail), /Send fewer records, or shorter ones, at a time/);
  }
}
