// Texts that are costly to read: combining marks, whose canonical order takes as long as the square of their number.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { launcher } from '../commands/fixture.ts';
import { assertMemory, assertProcessor, underAttack } from './attack.ts';
import { activities, movement, shippingContext } from './prepared.ts';
import { ask, postArticles, together } from './wire.ts';

/** Marks of two classes in turn: each has to be moved past all that went before. */
const marks = (count: number): string => `a${'\u0301\u0323'.repeat(count / 2)}`;

underAttack('costly texts', {}, (attack) => {
  const article = (text: string) => ({
    activityCode: activities.attacker,
    articleReference: 'MARKS',
    longArticleDescription: text,
    shortArticleDescription: 'Short',
  });

  attack(
    'one text of 256,000 combining marks in a few bytes of zstd',
    async (target) => {
      const body = zstdCompressSync(JSON.stringify([article(marks(256_000))]));
      assert.ok(body.length < 1000);
      return postArticles(target, body, { headers: { 'content-encoding': 'zstd' } });
    },
    (measured, { status, body }) => {
      assert.equal(status, 200);
      assert.equal(JSON.parse(body.toString()).status, 422);
      assertProcessor(measured, 1);
      assertMemory(measured, 500);
    },
  );

  attack(
    'nine items of such a text',
    (target) => {
      const body = zstdCompressSync(JSON.stringify(Array.from({ length: 9 }, () => article(marks(256_000)))));
      return postArticles(target, body, { headers: { 'content-encoding': 'zstd' } });
    },
    (measured) => {
      assertProcessor(measured, 2);
      assertMemory(measured, 500);
    },
  );

  attack(
    'every field as long as the longest, all of them marks',
    (target) => {
      // Below the length that any field has: what the check of lengths lets through.
      const names = [
        'longArticleDescription',
        ...Array.from({ length: 9 }, (_none, index) => `customField${index + 3}`),
      ];
      const fields = Object.fromEntries(names.map((name) => [name, marks(250)]));
      return postArticles(
        target,
        Array.from({ length: 400 }, (_none, index) => ({ ...article(''), ...fields, articleReference: `M${index}` })),
        { path: '/v1/articles?dryRun=true' },
      );
    },
    (measured) => {
      assertProcessor(measured, 2);
    },
  );

  attack(
    'a label request of 60,000 marks',
    (target) =>
      together(3, () =>
        ask(target, {
          method: 'POST',
          path: `/v1/shippings/labels/${shippingContext}/sandbox`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ destAddr1: marks(21_000), instruction: marks(10_000) }),
        }),
      ),
    (measured) => {
      assertProcessor(measured, 1);
    },
  );

  attack(
    'marks in filters, in the path, and in the name of a file',
    async (target) => {
      const text = encodeURIComponent(marks(1200));
      const short = encodeURIComponent(marks(250));
      const paths = [
        `/v1/articles/movements?filter=${encodeURIComponent('articleReference=="')}${text}%22`,
        `/v1/articles/${text}/movements`,
        `/v1/articles/movements?filter=${Array.from({ length: 4 }, () => `gradeCode==${short}`).join(';')}`,
        `/v1/articles?articleReference=${text}`,
      ];
      await together(100, (index) => ask(target, { path: paths[index % paths.length] ?? '' }));
      const file = (name: string) =>
        `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ` +
        'application/pdf\r\n\r\n%PDF-1.4\r\n--b--\r\n';
      await together(20, () =>
        ask(target, {
          method: 'POST',
          path: '/v1/orders/EVL-1/docs/invoice',
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
          body: file(`${marks(3000)}.pdf`),
        }),
      );
    },
    (measured) => {
      assertProcessor(measured, 2);
    },
  );

  attack(
    'an import with such a line',
    async ({ database }) => {
      const file = join(database.folder, 'marks.ndjson');
      writeFileSync(file, `${JSON.stringify({ ...movement(1), gradeCode: marks(256_000) })}\n`);
      const started = performance.now();
      const env = { PATH: process.env.PATH, HOME: database.folder, ...database.variables };
      const { status, stderr } = spawnSync(launcher, ['import', 'movements', file, '--activity', activities.attacker], {
        env,
        encoding: 'utf8',
        timeout: 30_000,
      });
      return { status, stderr, seconds: (performance.now() - started) / 1000 };
    },
    (_measured, { status, stderr, seconds }) => {
      assert.ok(seconds < 15, `the import took ${seconds} s`);
      assert.notEqual(status, null, stderr);
    },
  );
});
