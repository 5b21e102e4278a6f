// The outbox by the pages for operators: what waits, for whom, page by page. Tests of the suite of `operator.test.ts`.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { tokenFor } from '../contract/running-app.ts';
import { lookAt, openAs, type OperatorSuite, phone } from './operator-suite.ts';

export function outboxFlows(suite: () => OperatorSuite): void {
  it('the outbox: what waits is shown page by page, and looking moves no position', async (t) => {
    await waitingFlow(t, suite());
  });
}

async function waitingFlow(t: TestContext, suite: OperatorSuite): Promise<void> {
  const { app, origin } = suite;
  const token = await tokenFor(app, ['BEL']);
  const articles = Array.from({ length: 60 }, (_, index) => ({
    ...{ activityCode: 'BEL', activityName: 'Maison Belloc', articleReference: `WAITS-${100 + index}` },
    ...{ shortArticleDescription: 'Lamp', longArticleDescription: 'A lamp' },
  }));
  const written = await fetch(`${origin}/v1/articles`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(articles),
  });
  assert.equal(written.status, 200, await written.clone().text());
  await app.store.outbox.noteDelivered('lyon', { BEL: 0 });
  const before = JSON.stringify(await app.store.outbox.positions('lyon', ['BEL']));

  const { page, watched } = await openAs(t, suite, 'ops', 'outbox');
  await page.getByRole('link', { name: /entries of BEL: lyon$/ }).click();
  await page.getByRole('heading', { name: 'Waiting in BEL: lyon', level: 1 }).waitFor();
  await page.getByText('50 records, more below').waitFor();
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByRole('cell', { name: 'WAITS-159' }).waitFor();
  await lookAt(page, 'operator-waiting-desktop', 800);
  await page.reload();
  await page.getByRole('cell', { name: 'WAITS-100' }).waitFor();
  await page.goto(`${origin}/#/operator/outbox/waiting?activity=BEL&consumer=nobody-known`);
  await page.getByText('Nobody of this name takes the outbox of this activity.').waitFor();
  assert.equal(JSON.stringify(await app.store.outbox.positions('lyon', ['BEL'])), before);

  const small = await openAs(t, suite, 'ops', 'outbox/waiting?activity=BEL', phone);
  await small.page.getByRole('heading', { name: /^En attente dans BEL/ }).waitFor();
  await small.page.getByRole('cell', { name: 'WAITS-100' }).waitFor();
  await lookAt(small.page, 'operator-waiting-phone', 844);
  await app.store.outbox.forget('lyon');
  assert.deepEqual(small.watched.complaints, []);
  assert.deepEqual(
    watched.complaints.filter((complaint) => !/status of 404/.test(complaint)),
    [],
  );
}
