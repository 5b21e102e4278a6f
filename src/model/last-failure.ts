// When something last failed: what its metrics are called, of which the latest of all processes counts.

const suffix = 'last_failure_timestamp_seconds';

/** The name of the gauge, Unix seconds, that tells when what `prefix` names last failed. */
export function lastFailureName(prefix: string): string {
  return `${prefix}_${suffix}`;
}

/** Whether a metric is one of these: unlike other gauges, it stays true when its process has ended. */
export function isLastFailure(name: unknown): boolean {
  return typeof name === 'string' && name.endsWith(suffix);
}
