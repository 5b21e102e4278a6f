// The resources of the interface, in the order in which its endpoints list them.
import { createRenderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import { article } from './article.ts';
import { articleStock } from './article-stock.ts';
import { articleStockMovement } from './article-stock-movement.ts';
import { order } from './order.ts';
import { orderReport } from './order-report.ts';
import { procurement } from './procurement.ts';
import { procurementReport } from './procurement-report.ts';

export const resources: readonly Resource[] = [
  article,
  articleStock,
  articleStockMovement,
  order,
  orderReport,
  procurement,
  procurementReport,
];

/** What storage has to be opened with. */
export const definitions = { resources, rendererOf: createRenderer } as const;

export { article, articleStock, articleStockMovement, order, orderReport, procurement, procurementReport };
