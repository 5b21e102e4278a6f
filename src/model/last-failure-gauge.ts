// When something last failed, as a gauge of a server: the latest of all its processes, also of those that have ended.
import { Gauge, type Registry } from 'prom-client';
import { lastFailureName } from './last-failure.ts';

/**
 * Registers the gauge `prefix_last_failure_timestamp_seconds`; without a failure it has no series.
 * @returns notes a failure of this moment
 */
export function lastFailureGauge<Label extends string>(
  registry: Registry,
  {
    prefix,
    help,
    labelNames,
  }: { readonly prefix: string; readonly help: string; readonly labelNames: readonly Label[] },
): (labels: Readonly<Record<Label, string>>) => void {
  const gauge = new Gauge<Label>({
    name: lastFailureName(prefix),
    ...{ help, labelNames, aggregator: 'max', registers: [registry] },
  });
  // A gauge without labels starts at zero, which would be a failure of 1970.
  if (labelNames.length === 0) gauge.remove();
  return (labels) => gauge.set(labels, Date.now() / 1000);
}
