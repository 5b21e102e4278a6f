// In charge of the stock images of a database: writing them, removing old ones, and how recent they are.
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import type { Engine } from './engine.ts';
import { newestImages } from './freshness.ts';
import { removeOldImages } from './image-removal.ts';
import { draftImage } from './images.ts';
import type { ImageDraft } from './store.ts';

export interface StockImages {
  /** Starts an image of `at` (milliseconds). */
  draft(resource: Resource, activity: string, at: number): Promise<ImageDraft>;
  /** Instant (milliseconds) of the latest stock image that can be seen, by activity; absent where there is none. */
  newest(): Promise<ReadonlyMap<string, number>>;
  /** Removes images older than an instant, never the latest; returns how many. */
  removeOld(resource: Resource, activity: string, before: number): Promise<number>;
}

export function createStockImages(engine: Engine, rendererOf: (resource: Resource) => Renderer): StockImages {
  return {
    draft: (resource, activity, at) => draftImage(engine, resource, rendererOf(resource), activity, at),
    newest: () => newestImages(engine),
    removeOld: (resource, activity, before) => removeOldImages(engine, resource, activity, before),
  };
}
