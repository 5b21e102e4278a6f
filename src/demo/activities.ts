// The two client companies of the demonstration warehouse.
import { acmeHomeItems } from './acme-home.ts';
import { biovitalItems } from './biovital.ts';
import type { Item } from './catalogue.ts';
import type { CompanyPrefix } from './gs1.ts';

/** A client company and what is particular to it. */
export interface DemoActivity {
  readonly code: string;
  readonly name: string;
  readonly prefix: CompanyPrefix;
  /**
   * GS1 company prefix of its labels at the sandbox carrier; no parcel of the order reports may have the number of one
   * of them.
   */
  readonly labelPrefix: string;
  readonly items: () => readonly Item[];
  /** Share of the orders that shops place. */
  readonly business: number;
  readonly channel: string;
}

export const demoActivities: readonly DemoActivity[] = [
  {
    code: 'ACM',
    name: 'Acme Home',
    prefix: '9520001',
    labelPrefix: '9520011',
    items: acmeHomeItems,
    business: 0.065,
    channel: 'Web shop',
  },
  {
    code: 'BIO',
    name: 'Biovital',
    prefix: '9520002',
    labelPrefix: '9520012',
    items: biovitalItems,
    business: 0.06,
    channel: 'Marketplace',
  },
];

/** Orders of one activity in the days of history. */
export const ORDERS = 1500;
