// A process of its own that rewrites records of the victim over and over, as a feed or retention would, until its
// standard input ends.
import { setTimeout as wait } from 'node:timers/promises';
import { removeOldStockImages } from '../../src/jobs/retention.ts';
import { createChecker } from '../../src/model/check.ts';
import { article, articleStock, definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { activities, rewritten, stockRow } from './prepared.ts';

/** As many as a page of those who walk: what comes between the two statements of a page fills it. */
const atOnce = 10;
const activity = activities.victim;
const context = { activity, activityName: `${activity} Trading` };
const store = await openStore(
  { dataDir: process.env.DATA_DIR ?? '', databaseUrl: process.env.DATABASE_URL ?? null },
  definitions,
);
const state = { over: false };
process.stdin.resume().once('end', () => {
  state.over = true;
});
process.stdout.write('ready\n');

const work: Readonly<Record<string, (round: number) => Promise<void>>> = {
  articles: rewriteArticles,
  stock: (round) => publishImage(round),
  retention: retainOne,
};
const rewrite = work[process.argv[2] ?? ''] ?? rewriteArticles;
for (let round = 0; !state.over; round += 1) {
  await rewrite(round);
  await wait(20);
}
await store.close();

/** Some articles at a time, each with a new description; what they are sorted by stays. */
async function rewriteArticles(round: number): Promise<void> {
  const check = createChecker(article);
  const records = Array.from({ length: atOnce }, (_none, index) => {
    const articleReference = `A${(round * atOnce + index) % rewritten}`;
    return checked(
      check(
        {
          ...article.example,
          activityCode: activity,
          activityName: context.activityName,
          articleReference,
          customField3: `round ${round}`,
        },
        context,
      ),
    );
  });
  await store.records.write(article, activity, records);
}

/**
 * A whole image of fewer rows, each later than the last; those of a later month (from 0) later than all of an earlier
 * one.
 */
async function publishImage(round: number, month = 2): Promise<void> {
  const check = createChecker(articleStock);
  const at = new Date(Date.UTC(2026, month, 1) + round * 60_000).toISOString();
  const draft = await store.images.draft(articleStock, activity, Date.parse(at));
  await draft.write(
    Array.from({ length: 300 }, (_none, index) => checked(check(stockRow(activity, index, at), context))),
  );
  await draft.publish();
}

/**
 * An image newer than any, and then a round of retention that keeps nothing else, while walks are in the image before;
 * then time for some to come to their end.
 */
async function retainOne(round: number): Promise<void> {
  await publishImage(round, 3);
  await wait(10);
  await removeOldStockImages(store, [articleStock], () => 0, Date.now());
  await wait(300);
}

function checked(outcome: ReturnType<ReturnType<typeof createChecker>>) {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.reasons));
  return outcome.record;
}
