// Files of the warehouse that are cut, doubled, or come twice, beside a server that goes on serving.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { launcher } from '../commands/fixture.ts';
import { rounds } from '../contract/rounds.ts';
import { underAttack } from './attack.ts';
import { activities, engine, movement, stockRow } from './prepared.ts';
import type { Target } from './target.ts';
import { ask } from './wire.ts';

const ndjson = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

type Row = Readonly<Record<string, unknown>>;

/** A file whose last row has a letter of two bytes, cut between them. */
function insideCharacter(rows: readonly Row[], text: (rows: readonly Row[]) => string): Buffer {
  const bytes = Buffer.from(text([...rows, { ...rows[0], articleReference: 'LAST', articleLotNumber: 'é' }]));
  return bytes.subarray(0, bytes.lastIndexOf(0xc3) + 1);
}

const cuts: Readonly<Record<string, (rows: readonly Row[]) => string | Buffer>> = {
  'inside a character': (rows) => insideCharacter(rows, JSON.stringify),
  'inside a character of a line': (rows) => insideCharacter(rows, ndjson),
  'text after the array': (rows) => `${JSON.stringify(rows)}${JSON.stringify(rows).slice(0, 40)}`,
  'a second array': (rows) => JSON.stringify(rows).repeat(2),
  'without the bracket': (rows) => JSON.stringify(rows).slice(0, -1),
  'inside a record': (rows) => JSON.stringify(rows).slice(0, -20),
  'inside a line': (rows) => ndjson(rows).slice(0, -20),
  'zeros at the end': (rows) => Buffer.concat([Buffer.from(ndjson(rows)), Buffer.alloc(4096)]),
};

interface Imported {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

const own = activities.attacker;
const image = (day: number, count: number): readonly Readonly<Record<string, unknown>>[] =>
  Array.from({ length: count }, (_none, index) =>
    stockRow(own, index, `2026-03-${String(day).padStart(2, '0')}T04:00:00.000Z`),
  );

underAttack(
  'imports',
  {},
  (attack) => {
    attack(
      'files of stock that show any sign of a cut',
      async (target) => {
        const faults: string[] = [];
        for (const [index, [name, cut]] of Object.entries(cuts).entries()) {
          const { code } = await importFile(target, 'stock', cut(image(index + 1, 10)));
          const dates = await stockDates(target);
          if (code === 0) faults.push(`${name}: the import says that all is well`);
          if (dates.some((date) => date.startsWith(`2026-03-0${index + 1}`)))
            faults.push(`${name}: rows became visible`);
        }
        return faults;
      },
      (_measured, faults) => assert.deepEqual(faults, []),
    );

    attack(
      'one member twice, and no reference of an article',
      async (target) => {
        const { id: _id, ...record } = { id: null, ...movement(1) };
        const twice = JSON.stringify({ ...record, gradeCode: 'first' }).replace(
          '"gradeCode":"first"',
          '"gradeCode":"first","gradeCode":"second"',
        );
        return {
          twice: await importFile(target, 'movements', `${twice}\n`),
          none: await importFile(target, 'movements', ndjson([{ ...record, articleReference: null }])),
        };
      },
      (_measured, { twice, none }) => {
        assert.notEqual(twice.code, 0, twice.output);
        assert.equal(none.code, 0, none.output);
      },
    );

    attack(
      'a large image of stock that comes again and again',
      async (target) => {
        const count = Math.max(10_000, rounds(20_000));
        const files = [image(10, count), image(11, count), image(11, count)].map(ndjson);
        const imports: Imported[] = [];
        for (const file of files) imports.push(await importFile(target, 'stock', file));
        return { imports, dates: await stockDates(target) };
      },
      (_measured, { imports: [first, second, again], dates }) => {
        for (const one of [first, second, again]) assert.equal(one?.code, 0, one?.output);
        assert.deepEqual([...new Set(dates)], ['2026-03-11T04:00:00.000Z']);
        const bound = 5 * ((first?.seconds ?? 0) + (second?.seconds ?? 0));
        assert.ok(
          (again?.seconds ?? Infinity) < bound,
          `the image that was there already took ${again?.seconds} s, the others ${first?.seconds} and ` +
            `${second?.seconds}`,
        );
      },
    );

    if (engine === 'PostgreSQL') {
      attack(
        'a database whose transactions are repeatable reads by default',
        async (target) => {
          const url = new URL(target.database.variables.DATABASE_URL ?? '');
          const client = new Client(url.href);
          await client.connect();
          await client.query(
            `alter database ${url.pathname.slice(1)} set default_transaction_isolation = 'repeatable read'`,
          );
          await client.end();
          // Two at once, in the same activity: each waits for the other's counters.
          const files = [0, 1].map((part) =>
            ndjson(Array.from({ length: 3000 }, (_none, index) => ({ ...movement(100_000 + part * 10_000 + index) }))),
          );
          return Promise.all(files.map((file, index) => importFile(target, 'movements', file, index)));
        },
        (_measured, imports) =>
          assert.deepEqual(
            imports.map(({ code, output }) => (code === 0 ? '' : output)),
            ['', ''],
          ),
      );
    }
  },
  { ownServer: true },
);

async function importFile(
  { database }: Target,
  resource: string,
  content: string | Buffer,
  part = 0,
): Promise<Imported> {
  const path = join(database.folder, `records-${part}.ndjson`);
  writeFileSync(path, content);
  const started = performance.now();
  const env = { PATH: process.env.PATH, HOME: database.folder, ...database.variables };
  const child = spawn(launcher, ['import', resource, path, '--activity', own], {
    env,
    cwd: database.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'close');
  return { code, output: (await outputs).join(''), seconds: (performance.now() - started) / 1000 };
}

async function stockDates(target: Target): Promise<readonly string[]> {
  const answer = await ask(target, { path: '/v1/articles/stock?limit=100' });
  const rows: readonly { readonly stockImageExtractionDate: string }[] = JSON.parse(answer.body.toString());
  return rows.map(({ stockImageExtractionDate }) => stockImageExtractionDate);
}
