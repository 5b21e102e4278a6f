// What the page of a record shows besides its fields, by list; loaded with the first record of that list.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { AnyRecord } from './list/list-source.ts';
import type { ListName } from './list/list-names.ts';

/** Receives the record of the page. */
type RecordDetails = LazyExoticComponent<ComponentType<{ readonly record: AnyRecord }>>;

export const recordDetails: Readonly<Partial<Record<ListName, RecordDetails>>> = {
  orders: lazy(() => import('./order/order-details.tsx')),
  articles: lazy(() => import('./article/article-details.tsx')),
  procurements: lazy(() => import('./procurement/procurement-details.tsx')),
};
