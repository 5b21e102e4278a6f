// What the page of health says of the service: it is well only where everything was looked at.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Health } from '../../packages/client/src/index.ts';
import { attentionOf, type Reading, verdictOf } from '../../packages/console/src/operator/health/attention.ts';

const health: Health = {
  ...{ at: '2026-11-28T10:00:00.000Z', version: '1.0.0', storage: { engine: 'sqlite', milliseconds: 1 } },
  ...{ activities: [], unfinished: [], labelsUnknown: null, tasks: null, service: null },
};
const says = {
  say: (name: string) => name,
  ...{ number: String, instant: String, bytes: String, resource: String },
  addressOf: (parts: readonly string[], parameters: Readonly<Record<string, string>> = {}) =>
    `#/${parts.join('/')}?${new URLSearchParams(parameters)}`,
};
const known = (readings: Partial<Record<'health' | 'consumers' | 'feeds', Reading>>) => ({
  ...{ health, consumers: [], feeds: [], hasMoreFeeds: false },
  readings: { health: 'read', consumers: 'read', feeds: 'read', ...readings } as const,
});

describe('the page of health', () => {
  for (const [readings, verdict, told] of [
    [{}, 'well', []],
    [{ feeds: 'forbidden' }, 'well-as-seen', []],
    [{ consumers: 'pending' }, 'pending', []],
    [{ feeds: 'pending' }, 'pending', []],
    [{ consumers: 'pending', feeds: 'forbidden' }, 'pending', []],
    [{ consumers: 'failed' }, 'attention', ['outboxUnread']],
    [{ feeds: 'failed', consumers: 'pending' }, 'attention', ['missingUnread']],
    [{ health: 'failed', feeds: 'forbidden' }, 'attention', ['healthUnread']],
  ] as const)
    it(`where ${JSON.stringify(readings)}, finds ${verdict}`, () => {
      const all = known(readings);
      const found = attentionOf(all, says);
      assert.deepEqual(
        found.map(({ text }) => text),
        told,
      );
      assert.equal(verdictOf(all, found), verdict);
    });

  it('names failures for an hour, whatever was counted since the start', () => {
    const service = (minutes: number) => {
      const failedAt = new Date(Date.parse(health.at) - minutes * 60_000).toISOString();
      return {
        ...{ startedAt: '2026-01-01T00:00:00.000Z', processes: 1, running: 0, waiting: 0, shed: 0, disks: [] },
        ...{ requests: [{ status: '5xx', count: 1, seconds: 1 }], problems: [], lastFailureAt: failedAt },
        taskFailures: [{ failure: 'sweep', count: 1, lastAt: failedAt }],
        carrierCalls: [{ host: 'carrier', calls: 2, failed: 1, seconds: 1, lastFailureAt: failedAt }],
      };
    };
    const told = (minutes: number) =>
      attentionOf({ ...known({}), health: { ...health, service: service(minutes) } }, says).map(({ text }) => text);
    assert.deepEqual(told(59), ['someRequestsFailed', 'taskFailed', 'carrierFailed']);
    assert.deepEqual(told(61), []);
  });

  it('names feeds with missing messages, and that there are more of them', () => {
    const feed = { activityCode: 'ACM', resource: 'orders', feed: 'main', receivedAt: health.at, lastSequence: 9 };
    const all = { ...known({}), feeds: [{ ...feed, missing: [[2, 4]], lastMessage: null }], hasMoreFeeds: true };
    assert.deepEqual(
      attentionOf(all, says).map(({ text, address }) => [text, address]),
      [
        ['missingMessages', '#/operator/messages?activity=ACM&resource=orders&feed=main'],
        ['missingElsewhere', '#/operator/feeds?missing=true'],
      ],
    );
  });
});
