// The command `import`: what it refuses, where refused lines go, and how it ends.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { json, type Place, run, runProgram, start, succeed, temporaryFolder } from './fixture.ts';

const article = (reference: string): string =>
  `${JSON.stringify({
    articleReference: reference,
    longArticleDescription: `Article ${reference}`,
    shortArticleDescription: reference,
  })}\n`;
const wrong = '{"articleReference":"BAD","longArticleDescription":7}\n';
const toAcme = ['--activity', 'ACM'] as const;

interface Summary {
  readonly read: number;
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly written: boolean;
  readonly refusedFile: string | null;
}

async function placeWith(t: TestContext, content: string): Promise<Place & { readonly file: string }> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  const file = join(place.folder, 'articles.ndjson');
  writeFileSync(file, content);
  return { ...place, file };
}

describe('import refuses', () => {
  it('an activity that does not exist, and names those that do', async (t) => {
    const place = await placeWith(t, article('A1'));
    const { code, stderr } = await run(place, 'import', 'articles', 'articles.ndjson', '--activity', 'acm');
    assert.equal(code, 1);
    assert.match(stderr, /There is no activity acm\. There are ACM\. Add it/);
  });

  it('a file that is not there, a folder, and text that is no JSON', async (t) => {
    const place = await placeWith(t, 'reference;name\nA1;One\n');
    for (const [file, said] of [
      ['nothing.ndjson', /There is no file .*nothing\.ndjson/],
      ['data', /is a folder/],
      ['articles.ndjson', /holds no JSON/],
    ] as const) {
      const { code, stdout, stderr } = await run(place, 'import', 'articles', file, ...toAcme);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, said);
    }
  });

  it('to write refused lines over the file itself, by whatever name', async (t) => {
    const place = await placeWith(t, article('A1'));
    symlinkSync(place.file, join(place.folder, 'link'));
    for (const refused of ['articles.ndjson', './articles.ndjson', 'link']) {
      const { code, stderr } = await run(
        place,
        'import',
        'articles',
        'articles.ndjson',
        ...toAcme,
        '--refused',
        refused,
      );
      assert.equal(code, 2);
      assert.match(stderr, /would replace .*articles\.ndjson itself/);
    }
    assert.equal(readFileSync(place.file, 'utf8'), article('A1'));
  });

  it('a whole file for one line with --strict: exit code 1, nothing written', async (t) => {
    const place = await placeWith(t, article('A1') + wrong);
    const { code, stdout } = await run(place, 'import', 'articles', 'articles.ndjson', ...toAcme, '--strict');
    assert.equal(code, 1);
    assert.match(stdout, /Nothing was written\./);
    assert.equal(
      (await json<Summary>({ ...place, stdin: article('A1') }, 'import', 'articles', '-', ...toAcme)).new,
      1,
    );
  });
});

describe('import', () => {
  it('writes the good lines and keeps the others: exit code 3', async (t) => {
    const place = await placeWith(t, article('A1') + wrong + article('A2'));
    const { code, stdout } = await run(place, 'import', 'articles', 'articles.ndjson', ...toAcme);
    assert.equal(code, 3);
    assert.match(stdout, /3 read, 2 new, 0 changed, 0 unchanged, 1 refused/);
    const refused = `${place.file}.refused.ndjson`;
    assert.ok(stdout.includes(refused));
    assert.equal(JSON.parse(readFileSync(refused, 'utf8')).line, 2);
  });

  it('takes what no standard allows with a warning that is counted, and refuses it with --strict', async (t) => {
    const odd = { ...JSON.parse(article('A2')), barcodes: [{ code: '4006381333930' }], countryOfOriginCode: 'fr' };
    const place = await placeWith(t, `${article('A1')}${JSON.stringify(odd)}\n`);
    const strict = await run(place, 'import', 'articles', 'articles.ndjson', ...toAcme, '--strict');
    assert.deepEqual([strict.code, /1 refused/.test(strict.stdout)], [1, true]);
    assert.match(readFileSync(`${place.file}.refused.ndjson`, 'utf8'), /bad-country.*bad-check-digit/);
    const { code, stdout } = await run(place, 'import', 'articles', 'articles.ndjson', ...toAcme);
    assert.equal(code, 0);
    assert.match(stdout, /2 new, .* 0 refused, 1 taken with a warning\n/);
    assert.match(stdout, /warning, line 2: code has 13 digits.*4006381333931 would be right/);
    const again = await json<object>(place, 'import', 'articles', 'articles.ndjson', ...toAcme);
    assert.partialDeepStrictEqual(again, { unchanged: 2, refused: 0, warned: 1 });
  });

  it('makes an image without rows of an empty file, where the date is given', async (t) => {
    const place = await placeWith(t, '[]');
    const stock = (...more: readonly string[]) => run(place, 'import', 'stock', 'articles.ndjson', ...toAcme, ...more);
    assert.match((await stock()).stdout, /holds no records\. If the activity has no stock.*--extraction-date/);
    const { code, stdout } = await stock('--extraction-date', '2026-03-02T05:00+01:00');
    assert.equal(code, 0);
    assert.match(stdout, /image of 2026-03-02T04:00:00\.000Z: 0 rows, new/);
    for (const [options, said] of [
      [['--extraction-date', 'monday'], /takes a date-time that is not in the future/],
      [['--extraction-date', '2999-01-01T00:00:00Z'], /takes a date-time that is not in the future/],
    ] as const) {
      const refused = await stock(...options);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, said);
    }
    const articles = await run(
      place,
      'import',
      'articles',
      'articles.ndjson',
      ...toAcme,
      '--extraction-date',
      '2026-03-02',
    );
    assert.equal(articles.code, 2);
    assert.match(articles.stderr, /is for stock/);
  });

  it('changes nothing the second time: exit code 0, summary as JSON', async (t) => {
    const place = await placeWith(t, article('A1') + article('A2'));
    const first = await json<Summary>(place, 'import', 'articles', place.file, ...toAcme);
    const second = await json<Summary>(place, 'import', 'articles', place.file, ...toAcme);
    assert.deepEqual(
      [first.new, first.unchanged, second.new, second.unchanged, second.refusedFile],
      [2, 0, 0, 2, null],
    );
  });

  it('reads standard input; refused lines go to a file named by the resource, or where --refused says', async (t) => {
    const place = await placeWith(t, '');
    assert.equal((await run({ ...place, stdin: wrong }, 'import', 'articles', '-', ...toAcme)).code, 3);
    assert.ok(existsSync(join(place.folder, 'articles.refused.ndjson')));
    for (const [option, file] of [
      ['--refused', 'mine.ndjson'],
      // The name of before.
      ['--rejected', 'mine-too.ndjson'],
    ] as const) {
      const { code } = await run({ ...place, stdin: wrong }, 'import', 'articles', '-', ...toAcme, option, file);
      assert.equal(code, 3, option);
      assert.ok(existsSync(join(place.folder, file)), option);
    }
  });

  it('says nothing on standard error with --json', async (t) => {
    const place = await placeWith(t, article('A1'));
    assert.equal((await run(place, 'import', 'articles', place.file, ...toAcme, '--json')).stderr, '');
  });

  it('ends cleanly when it is interrupted while it waits for standard input', async (t) => {
    const place = await placeWith(t, '');
    const stop = new AbortController();
    const stdin = new PassThrough();
    const running = run({ ...place, stdin, signal: stop.signal }, 'import', 'articles', '-', ...toAcme);
    stdin.write(article('A1'));
    setImmediate(() => stop.abort());
    const { code, stderr } = await running;
    assert.equal(code, 130);
    assert.match(stderr, /Interrupted: .* Import the file again to complete it\.\n$/);
  });

  it('says of a stock image that it does not appear when it is interrupted', async (t) => {
    const place = await placeWith(t, '');
    const stop = new AbortController();
    const stdin = new PassThrough();
    const running = run({ ...place, stdin, signal: stop.signal }, 'import', 'stock', '-', ...toAcme);
    stdin.write('{"stockImageExtractionDate":"2026-01-02T04:00:00Z","articleReference":"A1","totalStockQuantity":1}\n');
    setImmediate(() => stop.abort());
    const { code, stderr } = await running;
    assert.equal(code, 130);
    assert.match(
      stderr,
      /Interrupted: the stock image does not appear, and the one before stays\. Import the file again\.\n$/,
    );
  });
});

describe('the import process', () => {
  it('ends with 130 on Ctrl-C, and completes when it is run again', async (t) => {
    const place = await placeWith(t, '');
    const child = start(t, place, 'import', 'articles', '-', ...toAcme);
    for (let index = 0; index < 4000; index += 1) child.write(article(`R${index}`));
    // Plain progress lines are rare: the database tells that writing has begun.
    while (!(await run(place, 'activity', 'list')).stdout.split('\t').at(-2)?.endsWith('Z')) await pause(20);
    child.signal('SIGINT');
    const { code, stdout, stderr } = await child.ended;
    assert.equal(code, 130, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /Interrupted/);
    const all = Array.from({ length: 4000 }, (_, index) => article(`R${index}`)).join('');
    const again = await json<Summary>({ ...place, stdin: all }, 'import', 'articles', '-', ...toAcme);
    assert.ok(again.unchanged > 0, 'what was written before the interruption stayed');
    assert.equal(again.new + again.unchanged, 4000);
  });

  it('shares the database with another one that writes at the same time', async (t) => {
    const place = await placeWith(t, '');
    const lines = (prefix: string): string =>
      Array.from({ length: 3000 }, (_, index) => article(`${prefix}${index}`)).join('');
    const runs = await Promise.all(
      ['L', 'R'].map((prefix) =>
        runProgram(
          t,
          { ...place, stdin: lines(prefix) },
          'import',
          'articles',
          '-',
          ...toAcme,
          '--json',
          '--refused',
          `${prefix}.ndjson`,
        ),
      ),
    );
    for (const { code, stdout, stderr } of runs) {
      assert.equal(code, 0, stderr);
      const summary: Summary = JSON.parse(stdout);
      assert.equal(summary.new, 3000);
    }
  });
});
