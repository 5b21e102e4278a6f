// Every administration table; the tables of records follow from the definitions in `src/resources`.
import type { TableShape } from '../record-tables.ts';
import { tableShape } from '../table.ts';
import * as access from './access.ts';
import * as activities from './activities.ts';
import * as demonstration from './demonstration.ts';
import * as feeds from './feeds.ts';
import * as processes from './processes.ts';
import * as shipping from './shipping.ts';
import * as writes from './writes.ts';

/** The shapes of all of them, by name. */
export const administrationTables: readonly TableShape[] = [
  access,
  activities,
  demonstration,
  feeds,
  processes,
  shipping,
  writes,
]
  .flatMap((room) => Object.values(room))
  .map(tableShape)
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));
