// The transactions of the client interface: records, documents, outbox, audit and stored answer are written together or
// not at all.
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { appendAudit } from './audit.ts';
import { type Counters, lockCounters } from './counters.ts';
import { queueAdvance } from './demo-advances.ts';
import { askInput } from './demonstration.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { addLabels, putLabel, putMadeLabel, reserveLabel } from './label-writes.ts';
import { documentBody, putDocument } from './order-documents.ts';
import { appendEntries } from './outbox.ts';
import { type Pipeline, withPipeline } from './pipelined-statements.ts';
import type { NewAuditEntry } from './audit-contract.ts';
import type { WriteUnit } from './store.ts';
import { storeAnswer } from './idempotency-records.ts';
import { storedBodies, storedKeys } from './stored-bodies.ts';
import { putRecords } from './write-records.ts';

/**
 * Runs `work` in one transaction that holds the counters of these activities. They are locked in the order of their
 * codes, so that two transactions never deadlock; an activity of which nothing was written keeps its numbers and dates.
 * @throws OperatorError when there is no such activity
 */
export async function submit<T>(
  engine: Engine,
  rendererOf: (resource: Resource) => Renderer,
  activities: readonly string[],
  work: (unit: WriteUnit) => Promise<T>,
): Promise<T> {
  const run = (transaction: WriteTransaction): Promise<T> =>
    withPipeline(async (pipeline) => {
      const held = new Map<string, Held>();
      for (const activity of [...new Set(activities)].toSorted()) {
        const counters = await lockCounters(transaction, activity);
        held.set(activity, { counters, before: counters.lastChange() });
      }
      const audits: NewAuditEntry[] = [];
      const result = await work(writeUnit({ transaction, rendererOf, pipeline, held, audits }));
      for (const { counters, before } of held.values())
        if (counters.lastChange() !== before) pipeline.add(counters.save());
      for (const audit of audits) await appendAudit(transaction, audit);
      return result;
    });
  return engine.write(run);
}

/** The counters of an activity, and its last change number before this transaction. */
interface Held {
  readonly counters: Counters;
  readonly before: number;
}

interface Running {
  readonly transaction: WriteTransaction;
  readonly pipeline: Pipeline;
  readonly rendererOf: (resource: Resource) => Renderer;
  readonly held: ReadonlyMap<string, Held>;
  readonly audits: NewAuditEntry[];
}

function writeUnit({ transaction, pipeline, rendererOf, held, audits }: Running): WriteUnit {
  const countersOf = (activity: string): Counters => {
    const counters = held.get(activity)?.counters;
    if (counters === undefined) throw new Error(`the transaction does not hold activity ${activity}`);
    return counters;
  };
  return {
    storedKeys: (resource, activity, naturalKeys) => storedKeys(transaction, resource, activity, naturalKeys),
    storedBodies: async function* (resource, activity, naturalKeys) {
      for await (const bodies of storedBodies(transaction, resource, activity, naturalKeys)) {
        countersOf(activity).requireTime();
        yield bodies;
      }
    },
    write: async (resource, activity, records, operationId, keep) => {
      const counters = countersOf(activity);
      const { results, written } = await putRecords(
        {
          transaction,
          pipeline,
          counters,
          resource,
          render: rendererOf(resource),
          activity,
          message: null,
          ...(keep && { keep }),
        },
        records,
      );
      // Immediately, so that a second write of the same article in this transaction finds the entry of the first.
      appendEntries(
        transaction,
        pipeline,
        written.map((changeNumber) => ({
          activity,
          changeNumber,
          kind: 'article',
          body: null,
          operationId,
          createdAt: counters.now,
        })),
      );
      return results;
    },
    addDocument: async (given) => {
      const counters = countersOf(given.activity);
      let changeNumber = 0;
      const take = (): number => (changeNumber = counters.takeChange());
      const { document, outcome } = await putDocument(transaction, given, {
        changeNumber: take,
        now: counters.now,
      });
      if (outcome === 'new') {
        appendEntries(transaction, pipeline, [
          {
            activity: given.activity,
            changeNumber,
            kind: 'document',
            body: documentBody(document),
            operationId: given.operationId,
            createdAt: counters.now,
          },
        ]);
      }
      return { document, outcome };
    },
    reserveLabel: (label, midnight, reservation) => reserveLabel(transaction, label, midnight, reservation),
    putLabel: (label, files, numbers) => putLabel(transaction, label, files, numbers),
    addLabels: (activity, labels) => addLabels(transaction, activity, labels),
    putMadeLabel: (label, files, aliases) => putMadeLabel(transaction, label, files, aliases),
    askAdvance: (...asked) => queueAdvance(transaction, ...asked),
    askInput: (...asked) => askInput(transaction, ...asked),
    audit: async (entry) => void audits.push(entry),
    storeAnswer: (claim, answer, label) => storeAnswer(transaction, claim, answer, label),
  };
}
