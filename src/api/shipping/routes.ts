// The shipping part of the client interface, in the interface's order, and the files of labels.
import type { Route } from '../../http/route.ts';
import { createLabelRoute, type LabelDependencies } from './create-label.ts';
import { labelFileRoute } from './label-files.ts';
import { readLabelRoute } from './read-label.ts';
import { readTrackingRoute } from './read-tracking.ts';

/** The routes of interface 4.12 to 4.14. */
export function shippingRoutes(dependencies: LabelDependencies): readonly Route[] {
  return [
    createLabelRoute(dependencies),
    readLabelRoute(dependencies),
    readTrackingRoute(dependencies),
    labelFileRoute(dependencies),
  ];
}
