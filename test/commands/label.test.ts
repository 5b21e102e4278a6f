// Labels on the command line: what is listed without names and addresses, and how the doubt about one is ended.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import type { NewLabel } from '../../src/store/labels.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

interface Listed {
  readonly label: string;
  readonly activity: string;
  readonly context: string;
  readonly carrier: string;
  readonly state: string;
  readonly expeditionNumber: string | null;
  readonly nDossier: string | null;
  readonly createdAt: string;
}

const noon = Date.UTC(2026, 10, 23, 12);
const states = ['made', 'refused', 'unknown', 'asked'] as const;

/** A place with a label of each state, the newest last; a minute apart. */
async function placeWithLabels(
  t: TestContext,
): Promise<{ readonly place: Place; readonly ids: Readonly<Record<(typeof states)[number], string>> }> {
  const place: Place = { folder: temporaryFolder(t), now: () => noon + 3_600_000 };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  for (const context of ['paris', 'lyon'])
    await succeed(place, 'carrier-account', 'add', '--context', context, '--carrier', 'sandbox', '--activity', 'ACM');
  const ids = { made: uuidv7(), refused: uuidv7(), unknown: uuidv7(), asked: uuidv7() };
  const store = await openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
  const account = await store.carrierAccounts.find(['ACM'], 'paris', 'sandbox');
  assert.ok(account !== null);
  for (const [index, state] of states.entries()) {
    const label: NewLabel = {
      activity: 'ACM',
      id: ids[state],
      accountId: account.id,
      context: 'paris',
      carrier: 'sandbox',
      expeditionNumber: state === 'made' ? 'P1' : null,
      state,
      fingerprint: 'f',
      nDossier: `D-${index}`,
      request: '{"destAddr1":"Camille Moreau"}',
      operationId: uuidv7(),
      clientId: 'shop',
      createdAt: noon + index * 60_000,
    };
    await store.records.submit([], (unit) => unit.putLabel(label, []));
  }
  await store.close();
  return { place, ids };
}

describe('label list', () => {
  it('refuses a limit that is none', async (t) => {
    for (const limit of ['0', '-1', '1e3', '', '100001'])
      assert.equal((await run({ folder: temporaryFolder(t) }, 'label', 'list', '--limit', limit)).code, 2, limit);
  });

  it('lists labels with their state, newest first, and nobody’s name', async (t) => {
    const { place, ids } = await placeWithLabels(t);
    const listed = await json<Listed[]>(place, 'label', 'list');
    assert.deepEqual(
      listed.map(({ label, state, nDossier }) => [label, state, nDossier]),
      states.map((state, index) => [ids[state], state, `D-${index}`]).toReversed(),
    );
    const text = await succeed(place, 'label', 'list');
    assert.deepEqual(text.split('\n')[4]?.split('\t'), [
      '2026-11-23T12:00Z',
      'ACM',
      'paris',
      'sandbox',
      'made',
      'P1',
      'D-0',
      ids.made,
    ]);
    for (const output of [JSON.stringify(listed), text]) assert.ok(!output.includes('Camille'));
  });

  it('lists those of one context, as many as are asked for, or those of which nobody knows', async (t) => {
    const { place, ids } = await placeWithLabels(t);
    assert.deepEqual(await json<Listed[]>(place, 'label', 'list', '--context', 'lyon'), []);
    await succeed(place, 'activity', 'add', 'BLU', 'Blue');
    for (const [activity, labels, accounts] of [
      ['ACM', 4, 2],
      ['BLU', 0, 0],
    ] as const) {
      assert.equal((await json<Listed[]>(place, 'label', 'list', '--activity', activity)).length, labels);
      assert.equal((await json<unknown[]>(place, 'carrier-account', 'list', '--activity', activity)).length, accounts);
    }
    for (const command of ['label', 'carrier-account'])
      assert.match((await run(place, command, 'list', '--activity', 'XXX')).stderr, /XXX/);
    assert.equal((await json<Listed[]>(place, 'label', 'list', '--limit', '2')).length, 2);
    assert.deepEqual(
      (await json<Listed[]>(place, 'label', 'list', '--unknown')).map(({ label }) => label),
      [ids.asked, ids.unknown],
    );
    assert.equal(
      (await succeed({ ...place, now: () => noon }, 'label', 'list', '--unknown')).split('\n').length,
      4,
      'one that was asked for when the server was killed is there at once',
    );
  });
});

describe('label settle', () => {
  for (const [name, options] of [
    ['neither end', []],
    ['both ends', ['--made', 'P2', '--lost']],
    ['a number that is none', ['--made', 'P 2']],
    ['an empty number', ['--made', '']],
  ] as const) {
    it(`refuses ${name}`, async (t) => {
      assert.equal((await run({ folder: temporaryFolder(t) }, 'label', 'settle', uuidv7(), ...options)).code, 2);
    });
  }

  it('refuses a label that is not there, one whose end is known, and the number of another parcel', async (t) => {
    const { place, ids } = await placeWithLabels(t);
    for (const [id, options, said] of [
      [uuidv7(), ['--lost'], /There is no label .*label list --unknown/],
      [ids.made, ['--lost'], /its state is made/],
      [ids.refused, ['--made', 'P9'], /its state is refused/],
      [ids.unknown, ['--made', 'P1'], /P1 is the number of another parcel at sandbox/],
    ] as const) {
      const { code, stderr } = await run(place, 'label', 'settle', id, ...options);
      assert.equal(code, 1);
      assert.match(stderr, said);
    }
  });

  it('leaves no other spelling of the number at the carrier to another activity', async (t) => {
    const { place, ids } = await placeWithLabels(t);
    const opened = () => openStore({ dataDir: join(place.folder, 'data'), databaseUrl: null }, definitions);
    let store = await opened();
    const label = await store.labels.byId(ids.unknown);
    assert.ok(label !== null);
    await store.records.submit([], (unit) => unit.putLabel({ ...label, carrier: 'dhl' }, []));
    await store.close();
    await succeed(place, 'label', 'settle', ids.unknown, '--made', '340434310428091701');
    store = await opened();
    const others = { activity: 'BLU', carrier: 'dhl' };
    assert.equal(await store.labels.isMadeByOthers(others, '00340434310428091701'), true);
    await store.close();
  });

  it('ends the doubt either way, once, and leaves an audit entry; the doctor warns until then', async (t) => {
    const { place, ids } = await placeWithLabels(t);
    const doctor = async (): Promise<string> => (await run({ ...place, variables: { PORT: '0' } }, 'doctor')).stdout;
    assert.match(
      await doctor(),
      /warning {2}labels +There are 2 labels of which nobody knows.*\n +→ .*label list --unknown/,
    );
    assert.deepEqual(await json(place, 'label', 'settle', ids.unknown, '--made', 'P2'), {
      label: ids.unknown,
      context: 'paris',
      carrier: 'sandbox',
      state: 'made',
      expeditionNumber: 'P2',
    });
    assert.match(await doctor(), /There is a label of which nobody knows/);
    assert.match(
      await succeed({ ...place, now: () => noon }, 'label', 'settle', ids.asked, '--lost'),
      /There is no parcel: the client can send the request again/,
    );
    assert.doesNotMatch(await doctor(), /nobody knows/);
    assert.equal((await run(place, 'label', 'settle', ids.asked, '--lost')).code, 1);
    assert.deepEqual(
      (await json<Listed[]>(place, 'label', 'list')).map(({ state, expeditionNumber }) => [state, expeditionNumber]),
      [
        ['refused', null],
        ['made', 'P2'],
        ['refused', null],
        ['made', 'P1'],
      ],
    );
    const audited = await succeed(place, 'audit', '--action', 'label.settle', '--json');
    assert.match(audited, /"expeditionNumber":"P2"/);
    assert.equal(audited.trim().split('\n').length, 2);
  });
});

describe('label void', () => {
  it('refuses a label that is not there, one that was not made, and one that is not taken back', async (t) => {
    const { place, ids } = await placeWithLabels(t);
    for (const [id, what] of [
      ['019b2f3e-7c1a-7d20-9c55-3a1f0e6b7d42', /There is no label/],
      [ids.refused, /was made here/],
      [ids.unknown, /was made here/],
      [ids.made, /knows only parcels whose label was made here/],
    ] as const) {
      const { code, stderr } = await run(place, 'label', 'void', id);
      assert.equal(code, 1, id);
      assert.match(stderr, what);
    }
    assert.deepEqual(
      (await json<Listed[]>(place, 'label', 'list')).map(({ state }) => state),
      states.toReversed(),
    );
  });

  it('notes a destroyed label as not used, once, with an audit entry', async (t) => {
    const { place, ids } = await placeWithLabels(t);
    assert.match(await succeed(place, 'label', 'void', ids.made, '--unused'), /^The label P1 is void\. .*not used/);
    const again = await json<{ state: string; voidedAt: string }>(place, 'label', 'void', ids.made);
    assert.equal(again.state, 'voided');
    assert.equal(
      (await json<Listed[]>(place, 'label', 'list')).find(({ label }) => label === ids.made)?.state,
      'voided',
    );
    const audited = await succeed(place, 'audit', '--action', 'label.void');
    assert.equal(audited.trim().split('\n').length, 2);
  });
});

describe('carrier list', () => {
  it('says what each carrier can do, and what to do where one has no way', async (t) => {
    const text = await succeed({ folder: temporaryFolder(t) }, 'carrier', 'list');
    assert.match(text, /^CARRIER\tLABELS\tLABELS AGAIN\tTRACKING\tACCOUNT TEST\tPOINTS\tDRY RUN\tVOID\tEND OF DAY$/m);
    assert.match(text, /^chronopost\tyes\t-\tyes\tyes\tyes\t-\tyes\t-$/m);
    assert.match(text, /^colissimo\tyes\tyes\tyes\tyes\tyes\tyes\t-\tyes$/m);
    assert.match(text, /^Colissimo, void: Colissimo has no request that takes a label back\./m);
  });

  it('says the same as the page of all carriers', async (t) => {
    const page = readFileSync(new URL('../../docs/carriers/README.md', import.meta.url), 'utf8');
    const listed = await json<{ carrier: string; capabilities: { name: string; offered: boolean }[] }[]>(
      { folder: temporaryFolder(t) },
      'carrier',
      'list',
    );
    for (const { carrier, capabilities } of listed) {
      const cells =
        page
          .split('\n')
          .find((line) => line.startsWith(`| [\`${carrier}\`]`))
          ?.split(' | ') ?? [];
      const can = (name: string): boolean => capabilities.find((one) => one.name === name)?.offered === true;
      assert.equal(/^yes/.test(cells[2] ?? ''), can('labels again'), carrier);
      assert.equal(/^yes/.test(cells[3] ?? ''), can('tracking'), carrier);
      assert.equal(/^yes/.test(cells[6] ?? ''), can('void'), carrier);
      assert.equal(/^yes/.test(cells[7] ?? ''), can('end of day'), carrier);
    }
  });
});
