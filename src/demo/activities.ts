// The two client companies of the demonstration warehouse.
import type { Item } from './catalogue.ts';
import type { CompanyPrefix } from './gs1.ts';
import { acmeHomeItems } from './ranges/acme-home.ts';
import { maisonBellocItems } from './ranges/maison-belloc.ts';

/** A client company and its particulars. */
export interface DemoActivity {
  readonly code: string;
  readonly name: string;
  /** For its articles and for the containers in which its orders leave. */
  readonly prefix: CompanyPrefix;
  /** Company prefix for the labels that clients request from the sandbox carrier. */
  readonly labelPrefix: CompanyPrefix;
  /** For the labels of the warehouse itself, so that no number is given twice. */
  readonly parcelPrefix: CompanyPrefix;
  readonly items: () => readonly Item[];
  /** Orders on an ordinary day. */
  readonly ordersADay: number;
  /** Share of the orders placed by shops. */
  readonly business: number;
  readonly channel: string;
}

export const demoActivities: readonly DemoActivity[] = [
  {
    code: 'ACM',
    name: 'Acme Home',
    prefix: '9520001',
    labelPrefix: '9520011',
    parcelPrefix: '9520021',
    items: acmeHomeItems,
    ordersADay: 20,
    business: 0.065,
    channel: 'Web shop',
  },
  {
    code: 'BEL',
    name: 'Maison Belloc',
    prefix: '9520002',
    labelPrefix: '9520012',
    parcelPrefix: '9520022',
    items: maisonBellocItems,
    ordersADay: 16,
    business: 0.12,
    channel: 'Marketplace',
  },
];
