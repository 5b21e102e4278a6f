// The outbox against a model of it: whatever consumers read, acknowledge and ask for, in whatever order, the answers
// are those of the model.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { engines } from '../contract/engines.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { roundsOn } from '../contract/rounds.ts';

const activities = ['NOR', 'SOU'] as const;
type Activity = (typeof activities)[number];
const opens = { north: ['NOR'], south: ['SOU'], both: ['NOR', 'SOU'] } as const;
type Key = keyof typeof opens;

/** Positions are told by how far they lie from where the run began; null: not named. */
type Named = Readonly<Record<Activity, number | null>>;
type Step =
  | { readonly do: 'write'; readonly activity: Activity; readonly count: number }
  | {
      readonly do: 'read';
      readonly who: number;
      readonly key: Key;
      readonly limit: number;
      readonly after: Named | null;
    }
  | { readonly do: 'acknowledge'; readonly who: number; readonly key: Key; readonly position: Named }
  | { readonly do: 'remove' };

for (const engine of engines) {
  describe(`the outbox and its model on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      running = await startApp(engine);
    });
    after(() => running.close());

    it('agree', { timeout: 900_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep(), { minLength: 1, maxLength: 30 }), (steps) => agree(running, steps)),
        { numRuns: roundsOn(engine, 80, 25) },
      );
    });
  });
}

function anyStep(): fc.Arbitrary<Step> {
  const number = fc.option(fc.integer({ min: -1, max: 9 }), { freq: 3 });
  const named = fc.record({ NOR: number, SOU: number });
  const [who, key] = [fc.nat(2), fc.constantFrom<Key>('north', 'south', 'both')];
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        activity: fc.constantFrom(...activities),
        count: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('read' as const),
        who,
        key,
        limit: fc.integer({ min: 1, max: 5 }),
        after: fc.option(named, { freq: 2 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), who, key, position: named }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const) }) },
  );
}

interface Standing {
  delivered: number;
  acknowledged: number;
}
type Positions = Partial<Record<Activity, number>>;

interface Model {
  /** Numbers of entries that are there. */
  readonly entries: Record<Activity, number[]>;
  readonly end: Record<Activity, number>;
  readonly removed: Record<Activity, number>;
  /** By consumer and activity, of those that are known. */
  readonly known: Map<string, Standing>;
}

let names = 0;

async function agree(running: RunningApp, steps: readonly Step[]): Promise<void> {
  const { outbox } = running.app.store;
  for (const { consumer } of await outbox.consumers()) await outbox.forget(consumer);
  const ends = await outbox.ends(activities);
  const base: Record<Activity, number> = { NOR: ends.NOR ?? 0, SOU: ends.SOU ?? 0 };
  const model: Model = { entries: { NOR: [], SOU: [] }, end: { ...base }, removed: { ...base }, known: new Map() };
  names += 1;
  // What earlier runs left goes first, so that the outbox is as empty as the model.
  await outbox.noteDelivered('sweeper', base);
  await outbox.acknowledge('sweeper', base);
  await outbox.removeAcknowledged(Number.MAX_SAFE_INTEGER);
  await outbox.forget('sweeper');
  const removed = await outbox.removedTo(activities);
  for (const activity of activities) model.removed[activity] = removed[activity] ?? 0;
  for (const step of steps) await take(running, model, base, step);
}

async function take(
  running: RunningApp,
  model: Model,
  base: Readonly<Record<Activity, number>>,
  step: Step,
): Promise<void> {
  switch (step.do) {
    case 'write': {
      const items = Array.from({ length: step.count }, () => ({
        activityCode: step.activity,
        articleReference: `A${++names}`,
        longArticleDescription: 'Long',
        shortArticleDescription: 'Short',
      }));
      await running.send('/v1/articles', items, { token: running.tokens.both });
      for (let count = 0; count < step.count; count += 1) model.entries[step.activity].push(++model.end[step.activity]);
      return;
    }
    case 'remove':
      await running.app.store.outbox.removeAcknowledged(Number.MAX_SAFE_INTEGER);
      for (const activity of activities) removeFrom(model, activity);
      return;
    case 'read': {
      const consumer = `consumer-${step.who}`;
      const asked = step.after === null ? {} : positionsOf(step.after, base);
      const query = `consumer=${consumer}&limit=${step.limit}${textOf(asked) === '' ? '' : `&after=${textOf(asked)}`}`;
      const answer = await running.get(`/platform/outbox?${query}`, { token: running.keys[step.key] });
      assert.deepEqual(outcomeOf(answer), expectedRead(model, consumer, step.key, step.limit, asked), query);
      return;
    }
    case 'acknowledge': {
      const consumer = `consumer-${step.who}`;
      const position = positionsOf(step.position, base);
      const answer = await running.send(
        '/platform/outbox/ack',
        { consumer, position: textOf(position) },
        { token: running.keys[step.key] },
      );
      assert.deepEqual(
        outcomeOf(answer),
        expectedAcknowledgement(model, consumer, step.key, position),
        `${consumer} ${textOf(position)}`,
      );
    }
  }
}

function removeFrom({ entries, removed, known }: Model, activity: Activity): void {
  const standings = [...known].filter(([name]) => name.endsWith(activity)).map(([, { acknowledged }]) => acknowledged);
  if (standings.length === 0) return;
  const gone = entries[activity].filter((number) => number <= Math.min(...standings));
  entries[activity].splice(0, gone.length);
  removed[activity] = gone.at(-1) ?? removed[activity];
}

function expectedRead(model: Model, consumer: string, key: Key, limit: number, asked: Positions): unknown {
  const fault = faultOf(model, consumer, key, asked);
  if (fault !== null) return fault;
  if (Object.entries(asked).some(([activity, number]) => number < model.removed[activity as Activity]))
    return 'position-gone';
  const given: string[] = [];
  const next: Positions = {};
  let more = false;
  for (const activity of opens[key]) {
    const start = asked[activity] ?? standingOf(model, consumer, activity).acknowledged;
    const all = model.entries[activity].filter((number) => number > start);
    const own: readonly number[] = more ? [] : all.slice(0, limit - given.length);
    given.push(...own.map((number) => `${activity}:${number}`));
    next[activity] = own.at(-1) ?? start;
    more ||= own.length < all.length;
  }
  for (const activity of opens[key]) {
    const standing = standingOf(model, consumer, activity);
    model.known.set(`${consumer} ${activity}`, {
      ...standing,
      delivered: Math.max(standing.delivered, next[activity] ?? 0),
    });
  }
  return { entries: given, position: textOf(next), more };
}

function expectedAcknowledgement(model: Model, consumer: string, key: Key, position: Positions): unknown {
  if (Object.keys(position).length === 0) return 'invalid-position';
  const fault = faultOf(model, consumer, key, position);
  if (fault !== null) return fault;
  for (const [activity, standing] of Object.entries(position).flatMap(([name]) =>
    opens[key].filter((own) => own === name).map((own) => [own, model.known.get(`${consumer} ${own}`)] as const),
  )) {
    if (standing !== undefined) standing.acknowledged = Math.max(standing.acknowledged, position[activity] ?? 0);
  }
  const standings = opens[key].map(
    (activity) => [activity, standingOf(model, consumer, activity).acknowledged] as const,
  );
  const waiting = standings.reduce(
    (sum, [activity, acknowledged]) => sum + model.entries[activity].filter((number) => number > acknowledged).length,
    0,
  );
  return { acknowledged: textOf(Object.fromEntries(standings)), waiting };
}

/** What is wrong with a position whatever it is for. */
function faultOf(model: Model, consumer: string, key: Key, position: Positions): string | null {
  const named = activities.filter((activity) => position[activity] !== undefined);
  if (named.some((activity) => !opens[key].some((own) => own === activity) || (position[activity] ?? 0) < 0))
    return 'invalid-position';
  if (named.some((activity) => (position[activity] ?? 0) > model.end[activity])) return 'invalid-position';
  return named.some((activity) => (position[activity] ?? 0) > standingOf(model, consumer, activity).delivered)
    ? 'not-delivered'
    : null;
}

function standingOf({ known, removed }: Model, consumer: string, activity: Activity): Standing {
  return known.get(`${consumer} ${activity}`) ?? { delivered: removed[activity], acknowledged: removed[activity] };
}

function positionsOf(named: Named, base: Readonly<Record<Activity, number>>): Positions {
  return Object.fromEntries(
    activities.flatMap((activity) => (named[activity] === null ? [] : [[activity, base[activity] + named[activity]]])),
  );
}

function textOf(positions: Positions): string {
  return activities
    .flatMap((activity) => (positions[activity] === undefined ? [] : [`${activity}:${positions[activity]}`]))
    .join(',');
}

function outcomeOf(answer: Answered): unknown {
  const { type, entries, position, more, acknowledged, waiting } = answer.object();
  if (typeof type === 'string') return type.split('/').at(-1);
  if (!Array.isArray(entries)) return { acknowledged, waiting };
  return { entries: entries.map((entry) => Object(entry).position), position, more };
}
