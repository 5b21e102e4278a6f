// Decides whether traces and metrics are sent at all: the library is loaded only then, because it costs start-up time
// and memory.
import type { Registry } from 'prom-client';
import type { Tracing } from '../model/tracing.ts';
import { exporterOf, type TelemetrySettings } from './signals.ts';

/** Active telemetry, until it is closed. */
export interface Telemetry {
  /** Null: tracing is off. */
  readonly tracing: Tracing | null;
  /** Sends what is left, within some seconds; never fails. */
  readonly close: () => Promise<void>;
}

/** What telemetry needs from the program. */
export interface TelemetryParts {
  /** The metrics of the process, as in `/metrics`. */
  readonly registry: Registry;
  readonly version: string;
  /** Called with what could not be sent, and why. */
  readonly onFault: (fault: string) => void;
}

/** Starts sending what the settings ask for. */
export async function openTelemetry(settings: TelemetrySettings, parts: TelemetryParts): Promise<Telemetry> {
  const exporters = { traces: exporterOf(settings, 'traces'), metrics: exporterOf(settings, 'metrics') };
  if (exporters.traces === 'none' && exporters.metrics === 'none')
    return { tracing: null, close: () => Promise.resolve() };
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry(settings, exporters, parts);
}
