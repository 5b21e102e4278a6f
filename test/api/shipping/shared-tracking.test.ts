// Requests for the tracking of one parcel that come at the same time, on every engine: the carrier is asked once, and
// all get what it says.
import assert from 'node:assert/strict';
import { noDesk } from '../../carriers/drive.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readTracking } from '../../../src/api/shipping/read-tracking.ts';
import { createCipher } from '../../../src/auth/cipher.ts';
import { type Carrier, CarrierError, type CarrierRequest } from '../../../src/carriers/carrier.ts';
import { createHost } from '../../../src/carriers/host.ts';
import { createDiskStorage } from '../../../src/documents/disk.ts';
import type { Answer, AuditedFailure, Call } from '../../../src/http/route.ts';
import { Problem } from '../../../src/model/problem.ts';
import type { Tracking } from '../../../src/model/shipping.ts';
import type { Store } from '../../../src/store/store.ts';
import { type EngineUnderTest, engines, storeOn } from '../../contract/engines.ts';

const tracking: Tracking = {
  status: '81',
  wording1: 'Collected',
  wording2: '',
  relayWording: '',
  relayNumber: '',
  steps: [],
};
const askers = 6;

for (const engine of engines) {
  describe(`tracking that many ask for at once on ${engine.name}`, { skip: engine.skip }, () => {
    let database: Awaited<ReturnType<EngineUnderTest['create']>>;
    let store: Store;
    const folder = mkdtempSync(join(tmpdir(), 'shared-tracking-'));
    before(async () => {
      database = await engine.create();
      store = await storeOn(await database.open());
      await store.activities.add('NOR', 'North Trading');
      await store.carrierAccounts.put(
        {
          activity: 'NOR',
          context: 'north',
          carrier: 'gated',
          settings: {},
          secrets: null,
          sender: {},
          dailyLimit: null,
        },
        Date.now(),
      );
    });
    after(async () => {
      await store.close();
      await database.remove();
      rmSync(folder, { recursive: true });
    });

    /** All of them ask, and only then does the carrier answer. */
    const askTogether = async (
      numbers: readonly string[],
      reply: () => Tracking,
      more: Partial<Carrier> = {},
    ): Promise<{
      readonly outcomes: readonly (Answer | AuditedFailure | Problem)[];
      readonly questions: readonly string[];
    }> => {
      const gate = Promise.withResolvers<void>();
      const questions: string[] = [];
      let underWay = 0;
      const carrier = { ...gatedCarrier(gate.promise, questions, reply), ...more };
      const { handle } = readTracking({
        store,
        now: Date.now,
        cipher: createCipher(null),
        onFault: () => undefined,
        callCarrier: createHost({ onCall: () => undefined }),
        baseUrl: 'https://api.logistics.example/v1',
        labelRetentionDays: 90,
        documents: createDiskStorage({ folder, database: store.epoch, failed: () => undefined }),
        loadCarrier: async () => {
          underWay += 1;
          return carrier;
        },
      });
      const asked = numbers.map(async (number) => {
        try {
          return await handle(callOf(number));
        } catch (error) {
          if (error instanceof Problem) return error;
          throw error;
        }
      });
      while (underWay < numbers.length) await nextTurn();
      await nextTurn();
      gate.resolve();
      return { outcomes: await Promise.all(asked), questions };
    };

    it('asks the carrier once, and gives all the same answer', async () => {
      const { outcomes, questions } = await askTogether(
        Array.from({ length: askers }, () => 'X1'),
        () => tracking,
      );
      assert.deepEqual(questions, ['X1']);
      for (const outcome of outcomes) assert.equal('body' in outcome && outcome.body, JSON.stringify(tracking));
    });

    it('asks no carrier that cannot be asked: the parcel is unknown', async () => {
      const { outcomes, questions } = await askTogether(['X3'], () => tracking, { track: null });
      assert.deepEqual(questions, []);
      const [outcome] = outcomes;
      assert.ok(outcome instanceof Problem);
      assert.equal(outcome.slug, 'resource-not-found');
      assert.match(outcome.detail, /cannot be asked for tracking/);
    });

    it('asks once for each parcel', async () => {
      const { questions } = await askTogether(['A1', 'A2', 'A1', 'A2'], () => tracking);
      assert.deepEqual(questions.toSorted(), ['A1', 'A2']);
    });

    it('shares a failure too, and asks anew afterwards', async () => {
      const failing = (): never => {
        throw new CarrierError('unavailable', 'The carrier cannot be reached.');
      };
      const { outcomes, questions } = await askTogether(
        Array.from({ length: askers }, () => 'X2'),
        failing,
      );
      assert.deepEqual(questions, ['X2']);
      for (const outcome of outcomes) assert.equal('slug' in outcome && outcome.slug, 'carrier-unavailable');
      const { outcomes: later } = await askTogether(['X2'], () => tracking);
      assert.ok(later.every((outcome) => 'body' in outcome));
    });
  });
}

/** Notes each question, and answers when the gate is open. */
function gatedCarrier(gate: Promise<void>, questions: string[], reply: () => Tracking): Carrier {
  const noRequests: readonly CarrierRequest[] = [];
  return {
    desk: noDesk,
    name: 'gated',
    title: 'The gated carrier',
    settings: [],
    outputs: {},
    origins: () => [],
    check: () => [],
    createLabel: null,
    fetchLabel: null,
    probe: null,
    track: async function* ({ expeditionNumber }) {
      yield* noRequests;
      questions.push(expeditionNumber);
      await gate;
      return reply();
    },
  };
}

function callOf(number: string): Call {
  const noBody = (): never => assert.fail('there is no body');
  return {
    method: 'GET',
    path: `/v1/shippings/tracking/north/gated/${number}`,
    queryText: '',
    query: [],
    params: { context: 'north', carrier: 'gated', id: number },
    requestId: 'r',
    address: '127.0.0.1',
    standAside: () => undefined,
    confirmAccess: async () => undefined,
    isGone: () => false,
    gone: AbortSignal.any([]),
    turn: async () => false,
    body: noBody,
    bodyStream: noBody,
    bodyArrived: noBody,
    principal: { kind: 'client', clientId: 'shop', subject: 'anna', activityCodes: ['NOR'], readOnly: false },
    header: () => undefined,
  };
}
