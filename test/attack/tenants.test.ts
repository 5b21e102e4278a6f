// Tenants whose names look alike: none may ever be given what is another's, whatever is asked, in whatever order.
import assert from 'node:assert/strict';
import { underAttackOfWorkers } from './attack.ts';
import { activities } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, postArticles } from './wire.ts';

type Twin = 'twin' | 'twins';
const twins: readonly Twin[] = ['twin', 'twins'];

underAttackOfWorkers('tenants that look alike', {}, (attack) => {
  attack(
    'every revision of AB and AB1, each page asked for often enough to be remembered',
    async (target) => {
      const mixed: string[] = [];
      const tags = new Map<string, Twin>();
      for (let round = 0; round < 40; round += 1) {
        for (const twin of twins) await write(target, twin, round);
        for (const path of ['/v1/articles', '/v1/articles?limit=1', '/v1/articles?sort=-articleReference']) {
          for (const twin of [...twins, ...twins, ...twins]) {
            const answer = await ask(target, { path, token: target.database.tokens[twin] });
            mixed.push(...foreignIn(answer, twin, `${path} in round ${round}`));
            const activity = tags.get(`${path} ${answer.headers.etag}`) ?? twin;
            if (activity !== twin) mixed.push(`${path} in round ${round}: both have the tag ${answer.headers.etag}`);
            tags.set(`${path} ${answer.headers.etag}`, twin);
            const other = twin === 'twin' ? 'twins' : 'twin';
            const unchanged = await ask(target, {
              path,
              token: target.database.tokens[other],
              headers: { 'if-none-match': answer.headers.etag ?? '' },
            });
            if (unchanged.status === 304)
              mixed.push(`${path} in round ${round}: the tag of ${twin} is good for ${other}`);
          }
        }
      }
      return mixed;
    },
    (_measured, mixed) => assert.deepEqual(mixed.slice(0, 5), []),
  );

  attack(
    'cursors and links of one in the hands of the other',
    async (target) => {
      const own = await ask(target, { path: '/v1/articles/movements?limit=7', token: target.database.tokens.twin });
      const cursor = new URL(/<([^>]+)>/.exec(own.headers.link ?? '')?.[1] ?? '').search;
      const stolen = await ask(target, {
        path: `/v1/articles/movements${cursor}`,
        token: target.database.tokens.twins,
      });
      const ids = (answer: Answer): readonly unknown[] =>
        answer.status === 200 ? JSON.parse(answer.body.toString()).map(({ id }: { readonly id: unknown }) => id) : [];
      const rest = await ask(target, { path: `/v1/articles/movements${cursor}`, token: target.database.tokens.twin });
      return { stolen: ids(stolen), rest: ids(rest), keys: await sameKey(target) };
    },
    (_measured, { stolen, rest, keys }) => {
      assert.equal(rest.length > 0, true);
      assert.deepEqual(
        stolen.filter((id) => rest.includes(id)),
        [],
      );
      assert.deepEqual(keys, []);
    },
  );
});

/** One idempotency key of two clients: each gets the answer of its own request. */
async function sameKey(target: Target): Promise<readonly string[]> {
  const headers = { 'idempotency-key': '"the-same"' };
  const body = (twin: Twin) => [record(twin, 'KEY')];
  for (const twin of twins) {
    const answer = await postArticles(target, body(twin), { token: target.database.tokens[twin], headers });
    if (
      answer.status !== 200 ||
      (!answer.body.toString().includes(`${activities[twin]}/`) && !answer.body.toString().includes('KEY'))
    )
      return [`${twin}: ${answer.status} ${answer.body}`];
    if (answer.headers['idempotency-replayed'] === 'true') return [`${twin} was given the other's answer`];
  }
  return [];
}

function record(twin: Twin, articleReference: string): Readonly<Record<string, unknown>> {
  return {
    activityCode: activities[twin],
    articleReference,
    longArticleDescription: `of ${twin}`,
    shortArticleDescription: 'Short',
  };
}

async function write(target: Target, twin: Twin, round: number): Promise<void> {
  const answer = await postArticles(
    target,
    [record(twin, `R${round % 7}`)].map((one) => ({ ...one, shortArticleDescription: `Round ${round}` })),
    { token: target.database.tokens[twin] },
  );
  assert.equal(JSON.parse(answer.body.toString()).status, 200, answer.body.toString());
}

function foreignIn(answer: Answer, twin: Twin, what: string): readonly string[] {
  if (answer.status !== 200) return [`${what}: ${answer.status}`];
  const records: readonly { readonly activityCode?: unknown }[] = JSON.parse(answer.body.toString());
  return records
    .filter(({ activityCode }) => activityCode !== activities[twin])
    .map(({ activityCode }) => `${what}: ${twin} got a record of ${activityCode}`);
}
