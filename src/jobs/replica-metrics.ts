// Metrics of the replicas that lists are read from.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReplicaState } from '../store/replicas.ts';
import type { Store } from '../store/store.ts';

/** Metrics of the replicas, collected at each scrape; none if there are no replicas. */
export function createReplicaMetrics(registry: Registry, replicas: Store['replicas']): void {
  const states = (): readonly ReplicaState[] => replicas?.states() ?? [];
  const ofServer = { labelNames: ['server'] as const, registers: [registry] };
  new Gauge({
    name: 'logistics_replica_used',
    help: '1: pages are read from this replica. 0: it is away, no standby, or of another database.',
    aggregator: 'min',
    ...ofServer,
    collect() {
      for (const { server, isUsed } of states()) this.set({ server }, isUsed ? 1 : 0);
    },
  });
  new Gauge({
    name: 'logistics_replica_lag_seconds',
    help: 'How old the last write is that this replica has; 0 where it follows, and has all that it was sent.',
    aggregator: 'max',
    ...ofServer,
    collect() {
      this.reset();
      for (const { server, lagSeconds } of states()) if (lagSeconds !== null) this.set({ server }, lagSeconds);
    },
  });
  const pages = new Counter({
    name: 'logistics_pages_read_total',
    help: 'Pages of lists by the server that they were read from; primary: no replica had come so far.',
    ...ofServer,
    collect() {
      pages.reset();
      for (const { server, pages: count } of states()) pages.inc({ server }, count);
      if (replicas !== null) pages.inc({ server: 'primary' }, replicas.pagesOfPrimary());
    },
  });
}
