// The shipping desk at carriers that hang or pour: whoever asks them waits alone, and no answer fills the memory.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parisTime } from '../../src/carriers/paris-time.ts';
import { until } from '../contract/until.ts';
import { assertMemory, assertNoHold, underAttack } from './attack.ts';
import { pour } from './pouring.ts';
import { activities } from './prepared.ts';
import { addKeys, addRows, withStore } from './storage.ts';
import type { Target } from './target.ts';
import { type Answer, ask, postArticles, tally, together } from './wire.ts';

const context = 'hostile';
const desks = 6;
const asksOfDesk = 8;
/** Whose parcels are to be handed over; each has one list. */
const days = 4;

underAttack('the shipping desk', {}, (attack) => {
  attack(
    `a carrier that hangs, asked by ${desks} desks for trials, tests and points, while another client writes`,
    async (target) => {
      const carrier = await openCarrier(() => undefined);
      const keys = await openDesks(target, carrier);
      let ended = 0;
      const asked = together(desks * asksOfDesk, async (index) => {
        const answer = await askDesk(target, index, keys[index % desks] ?? '');
        ended += 1;
        return answer;
      });
      // The token is given once; then everybody hangs.
      await until(async () => carrier.hanging() >= desks * asksOfDesk * 0.75);
      const written: Answer[] = [];
      for (let count = 0; count < 5; count += 1)
        written.push(await postArticles(target, [article(count)], { token: target.database.tokens.victim }));
      const before = ended;
      await carrier.end();
      return { written, before, answers: await asked };
    },
    (measured, { written, before, answers }) => {
      assert.deepEqual(tally(written), { 200: 5 });
      assert.equal(before, 0, 'who writes did not wait for the carrier of others');
      for (const { status, body } of answers) assert.ok([429, 502, 503, 504].includes(status), `${status} ${body}`);
      assertNoHold(measured, 500);
      assertMemory(measured, 200);
    },
    60_000,
  );

  attack(
    `handovers of ${days} days at a carrier that hangs, asked by ${desks} desks, while another client writes`,
    async (target) => {
      const carrier = await openCarrier(() => undefined);
      const keys = await openDesks(target, carrier);
      const madeAt = await addLabelsOfDays(target);
      const statuses: number[] = [];
      const asked = together(desks * asksOfDesk, async (index) => {
        const { date } = parisTime(madeAt - (index % days) * 86_400_000);
        const path = `/platform/shippings/handovers/${context}/gls?day=${date}`;
        const answer = await ask(target, { method: 'POST', path, token: keys[index % desks] ?? '' });
        statuses.push(answer.status);
        return answer;
      });
      // Whoever comes second is told so; the others wait for the carrier.
      await until(() => statuses.length + days >= desks * asksOfDesk);
      const [hanging, refused] = [carrier.hanging(), [...statuses]];
      const written: Answer[] = [];
      for (let count = 10; count < 15; count += 1)
        written.push(await postArticles(target, [article(count)], { token: target.database.tokens.victim }));
      await carrier.end();
      return { hanging, refused, written, answers: await asked };
    },
    (measured, { hanging, refused, written, answers }) => {
      assert.equal(hanging, days, 'the carrier is told of each day once');
      assert.deepEqual([...new Set(refused)], [409]);
      assert.deepEqual(tally(written), { 200: 5 });
      for (const { status, body } of answers) assert.ok([409, 502, 503, 504].includes(status), `${status} ${body}`);
      assertNoHold(measured, 500);
      assertMemory(measured, 200);
    },
    60_000,
  );

  attack(
    'thirty different questions for points at a carrier that answers each with 19 MB',
    async (target) => {
      const carrier = await openCarrier((_request, response) => pour(response, 19_000_000));
      const keys = await openDesks(target, carrier);
      const answers = await together(30, (index) => askForPoints(target, index, keys[index % desks] ?? ''));
      await carrier.end();
      return answers;
    },
    (measured, answers) => {
      for (const { status, body } of answers) assert.ok([429, 502, 503, 504].includes(status), `${status} ${body}`);
      assertMemory(measured, 500);
    },
    60_000,
  );
});

interface HostileCarrier {
  readonly url: string;
  /** Requests that have no answer. */
  readonly hanging: () => number;
  readonly end: () => Promise<void>;
}

/** Gives tokens, and anything else as it is told to. */
async function openCarrier(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<HostileCarrier> {
  let hanging = 0;
  const server: Server = createServer((request, response) => {
    request.resume();
    const isToken = request.url?.startsWith('/oauth2/') === true;
    if (isToken) {
      response.setHeader('content-type', 'application/json');
      response.end('{"access_token":"token","token_type":"Bearer","expires_in":3600}');
      return;
    }
    hanging += 1;
    response.once('close', () => {
      hanging -= 1;
    });
    answer(request, response);
  });
  // An attack that fails leaves it behind.
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hanging: () => hanging,
    end: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Accounts at the carrier, and keys that may ship with them. */
async function openDesks({ database }: Target, { url }: HostileCarrier): Promise<readonly string[]> {
  const settings = { clientId: 'id', clientSecret: 'secret', contactId: '1', baseUrl: url };
  const account = { activity: activities.attacker, context, carrier: 'gls', settings, secrets: null, sender: {} };
  await withStore(database, ({ carrierAccounts }) => carrierAccounts.put({ ...account, dailyLimit: null }, Date.now()));
  const keys = await addKeys(database, desks, ['shipping'], [activities.attacker]);
  // A key is looked up when it comes for the first time.
  await wait(50);
  return keys;
}

/**
 * Labels of some days that are on no list, as many of each as one list takes.
 * @returns when those of the last day were made
 */
async function addLabelsOfDays({ database }: Target): Promise<number> {
  const madeAt = Date.now();
  const request = JSON.stringify({ modeCol: 'PICKUP', modeLiv: 'PARCEL' });
  await addRows(database, {
    ...{ table: 'shipping_label', count: days * 200, from: `, carrier_account account where account.carrier = 'gls'` },
    columns: {
      ...{ id: "'desk-' || k", owner: `'${activities.attacker}'`, account_id: 'account.id' },
      ...{ context: 'account.context', carrier: 'account.carrier', expedition_number: "'N' || k", state: "'made'" },
      ...{ fingerprint: "'F' || k", request: `'${request}'`, operation_id: "'desk-' || k", client_id: "'attacker'" },
      created_at: `${madeAt} - (k % ${days}) * 86400000`,
    },
  });
  return madeAt;
}

const trial = JSON.stringify({
  ...{ modeCol: 'PICKUP', modeLiv: 'PARCEL', outputType: 'PdfUrl', weight: '1000', nbPackage: '1' },
  ...{
    expAddr1: 'Evil Trading',
    expAddr2: '4 rue des Entrepots',
    expZip: '59810',
    expCity: 'Lesquin',
    expCountry: 'FR',
  },
  ...{ destAddr1: 'Erika Muster', destAddr2: 'Marktplatz 52', destZip: '94419', destCity: 'Reisbach' },
  destCountry: 'DE',
});

/** A trial, a test of the account, or a question for points. */
function askDesk(target: Target, index: number, token: string): Promise<Answer> {
  const kind = Math.floor(index / desks) % 4;
  const headers = { 'content-type': 'application/json' };
  const post = { method: 'POST', token } as const;
  if (kind === 0) return ask(target, { ...post, path: `/platform/shippings/accounts/${context}/gls/test` });
  if (kind === 3) return askForPoints(target, index, token);
  return ask(target, { ...post, path: `/platform/shippings/dry-runs/${context}/gls`, headers, body: trial });
}

function askForPoints(target: Target, index: number, token: string): Promise<Answer> {
  const place = `destCountry=DE&destZip=${10_000 + index}&destCity=Berlin&destAddr2=Hauptstrasse`;
  return ask(target, { path: `/platform/shippings/points/${context}/gls?${place}`, token });
}

function article(index: number): object {
  return {
    activityCode: activities.victim,
    articleReference: `DESK-${index}`,
    longArticleDescription: 'Long',
    shortArticleDescription: 'Short',
  };
}
