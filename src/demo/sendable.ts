// Brings records of the warehouse into the form that feeds take now.
import { articleStockMovement } from '../resources/index.ts';
import type { PlainRecord } from './catalogue.ts';

/** A movement knows its lot; it is told where feeds take that. */
const lotField = 'articleLotNumber';
const takesLot = [articleStockMovement.fields, articleStockMovement.unpublished].some((fields) =>
  Object.hasOwn(fields, lotField),
);

/** A record as a feed takes it. @param resource its name */
export function sendable(resource: string, record: PlainRecord): PlainRecord {
  if (takesLot || resource !== articleStockMovement.name) return record;
  const { [lotField]: _lot, ...rest } = record;
  return rest;
}
