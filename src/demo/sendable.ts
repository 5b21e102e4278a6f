// Converts records of the warehouse to the form that feeds accept now.
import { articleStockMovement } from '../resources/index.ts';
import type { PlainRecord } from './catalogue.ts';

/** A movement has a lot, which is sent only if feeds accept it. */
const lotField = 'articleLotNumber';
const takesLot = [articleStockMovement.fields, articleStockMovement.unpublished].some((fields) =>
  Object.hasOwn(fields, lotField),
);

/** A record in the form that a feed accepts. @param resource its name */
export function sendable(resource: string, record: PlainRecord): PlainRecord {
  if (takesLot || resource !== articleStockMovement.name) return record;
  const { [lotField]: _lot, ...rest } = record;
  return rest;
}
