// The stock images of a database: writes them, removes old ones, and tells how recent they are.
import type { Renderer } from '../model/render.ts';
import type { Resource } from '../model/resource.ts';
import type { Engine } from './engine.ts';
import { newestImages } from './freshness.ts';
import { removeOldImages } from './image-removal.ts';
import { draftImage } from './images.ts';
import type { ImageDraft } from './store.ts';

export interface StockImages {
  /** Starts an image at the instant `at` (milliseconds). */
  draft(resource: Resource, activity: string, at: number): Promise<ImageDraft>;
  /** Instant (milliseconds) of the latest visible stock image, by activity; activities without one are absent. */
  newest(): Promise<ReadonlyMap<string, number>>;
  /**
   * Removes images older than an instant (null: none), but never the latest; returns how many. Removes also what a
   * killed process has left of images that nobody can see.
   */
  removeOld(resource: Resource, activity: string, before: number | null): Promise<number>;
}

export function createStockImages(engine: Engine, rendererOf: (resource: Resource) => Renderer): StockImages {
  return {
    draft: (resource, activity, at) => draftImage(engine, resource, rendererOf(resource), activity, at),
    newest: () => newestImages(engine),
    removeOld: (resource, activity, before) => removeOldImages(engine, resource, activity, before),
  };
}
