// Writes records: batches of a feed, and what a client writes in one transaction.
import type { Incoming } from '../model/record.ts';
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import type { Engine } from './engine.ts';
import type { WriteResult, WriteUnit } from './store.ts';
import { writeRecords } from './write-records.ts';
import { submit } from './write-unit.ts';

export interface Records {
  /**
   * Writes a batch (at most 1000) in one transaction, in order, each change with its own change number; withdrawals
   * among the records are changes too (`writeRecords`).
   */
  write(resource: Resource, activity: string, records: readonly Incoming[]): Promise<readonly WriteResult[]>;
  /**
   * Runs `work` in one transaction that holds the write locks of these activities: reads see the current state, other
   * writes wait.
   * @throws OperatorError when there is no such activity
   */
  submit<T>(activities: readonly string[], work: (unit: WriteUnit) => Promise<T>): Promise<T>;
}

export function createRecords(engine: Engine, rendererOf: (resource: Resource) => Renderer): Records {
  return {
    write: (resource, activity, records) => writeRecords(engine, resource, rendererOf(resource), activity, records),
    submit: (activities, work) => submit(engine, rendererOf, activities, work),
  };
}
