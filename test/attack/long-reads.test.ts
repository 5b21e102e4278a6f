// Slow filters of one client: whoever asks for much waits for it alone, and nobody else does.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { articleStockMovement } from '../../src/resources/index.ts';
import { quotedName } from '../../src/store/engine.ts';
import { openEngine } from '../../src/store/open.ts';
import { recordTarget } from '../../src/store/record-tables.ts';
import { sustainedMs, underAttackOfWorkers } from './attack.ts';
import { activities, type Database } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, tally, together } from './wire.ts';
import { plain } from '../contract/database.ts';

/** A filter that no index serves, and that has to look at every record for as long as the language lets it. */
function slowFilter(seed: number): string {
  const comparisons = Array.from({ length: 28 }, (_none, index) => `movementReason==Q${seed}${index}*`);
  return `/v1/articles/movements?filter=${encodeURIComponent(comparisons.join(','))}`;
}

/** Another tenant's filter over fewer records, that takes some milliseconds in quiet. */
const modestFilter = (seed: number): string =>
  `/v1/articles/movements?filter=${encodeURIComponent(`movedQuantity==-${seed + 1}`)}`;

/** The attacker's movements, ten times as many: a filter that no index serves takes half a second. */
async function multiply({ variables }: Database): Promise<void> {
  const engine = await openEngine({ dataDir: variables.DATA_DIR ?? '', databaseUrl: variables.DATABASE_URL ?? null });
  const { table, columns } = recordTarget(articleStockMovement);
  const names = columns.map(({ name }) => quotedName(name));
  const base = 1_000_000;
  // Far behind all that the activity has, and each copy behind the last.
  const moved: Readonly<Record<string, string>> = {
    natural_key: `b.natural_key || ':' || k`,
    change_number: `${base} + b.change_number + k * ${base}`,
    id: `b.id + ${base} + k * ${base}`,
    body:
      `'{"id":' || (b.id + ${base} + k * ${base}) || substr(b.body, ` +
      `${engine.dialect === 'sqlite' ? 'instr' : 'strpos'}(b.body, ','))`,
  };
  const values = columns.map(({ name }) => moved[name] ?? `b.${quotedName(name)}`);
  try {
    // One copy at a time: no write may last longer than half a minute, on a slow machine neither.
    for (let copy = 1; copy <= 9; copy += 1)
      await engine.write((transaction) =>
        transaction.query(
          plain(`insert into ${quotedName(table)} (${names.join(', ')}) select ${values.join(', ')}
            from (select ${copy} as k) n, ${quotedName(table)} b
            where b.owner = '${activities.attacker}' and b.change_number < ${base}`),
        ),
      );
    await engine.write(async (transaction) => {
      const query = (text: string): Promise<unknown> => transaction.query(plain(text));
      await query(
        `update activity set last_change = ${20 * base}, last_id = ${20 * base} where code = '${activities.attacker}'`,
      );
      await query(
        `update revision set last_change = ${20 * base} where owner = '${activities.attacker}' and resource = ` +
          `'${articleStockMovement.name}'`,
      );
    });
    await engine.optimize();
  } finally {
    await engine.close();
  }
}

underAttackOfWorkers(
  'long reads',
  {},
  (attack) => {
    attack(
      'sixty slow filters of one client, while another tenant filters modestly',
      async (target) => {
        const slow: Answer[] = [];
        const asked = together(60, async (index) => slow.push(await ask(target, { path: slowFilter(index) })));
        const modest = await modestReads(target, 6);
        await Promise.race([asked, wait(sustainedMs, undefined, { ref: false })]);
        return { modest, slow };
      },
      ({ slowness }, { modest, slow }) => {
        assert.deepEqual(tally(modest.map(({ answer }) => answer)), { 200: modest.length });
        const slowest = Math.max(...modest.map(({ milliseconds }) => milliseconds));
        assert.ok(
          slowest < 5000 * Math.max(1, slowness / 2),
          `the other tenant's filter took ${slowest.toFixed(0)} ms`,
        );
        // Those that are not read by now have to wait for their turn.
        assert.ok(slow.length > 0, 'no slow filter was answered at all');
        for (const { status, headers } of slow)
          assert.ok(
            status === 200 || headers['retry-after'] !== undefined,
            `a slow filter was answered with ${status}`,
          );
      },
    );

    attack(
      'slow sorts and parents that do not exist',
      async (target) => {
        const paths = [
          '/v1/articles/movements?sort=dateProcessed',
          '/v1/articles/movements?sort=-movementCode,dateProcessed',
          '/v1/orders?sort=deliveryAddressCity',
          '/v1/articles/NOSUCH/movements',
        ];
        const slow = together(80, (index) => ask(target, { path: paths[index % paths.length] ?? '' }));
        const modest = await modestReads(target, 4);
        await Promise.race([slow, wait(sustainedMs, undefined, { ref: false })]);
        return modest;
      },
      (_measured, modest) => {
        assert.deepEqual(tally(modest.map(({ answer }) => answer)), { 200: modest.length });
      },
    );
  },
  { prepare: multiply },
);

interface Read {
  readonly answer: Answer;
  readonly milliseconds: number;
}

/** Reads of another tenant, one after another. */
async function modestReads(target: Target, count: number): Promise<readonly Read[]> {
  const reads: Read[] = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    const answer = await ask(target, { path: modestFilter(index), token: target.database.tokens.victim });
    reads.push({ answer, milliseconds: performance.now() - started });
    await wait(200);
  }
  return reads;
}
