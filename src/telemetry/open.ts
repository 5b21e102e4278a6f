// In charge of whether traces and metrics are sent at all: the library that does it is loaded only then, for it costs
// time at the start and memory.
import type { Registry } from 'prom-client';
import type { Tracing } from '../model/tracing.ts';
import { exporterOf, type TelemetrySettings } from './signals.ts';

/** What is sent somewhere, until it is closed. */
export interface Telemetry {
  /** Null: nothing is traced. */
  readonly tracing: Tracing | null;
  /** Sends what is left, within some seconds; never fails. */
  readonly close: () => Promise<void>;
}

/** What telemetry is about, and who hears of its troubles. */
export interface TelemetryParts {
  /** The metrics of the process, those of `/metrics`. */
  readonly registry: Registry;
  readonly version: string;
  /** Is told what could not be sent, and why. */
  readonly onFault: (fault: string) => void;
}

/** Begins to send what the settings ask for. */
export async function openTelemetry(settings: TelemetrySettings, parts: TelemetryParts): Promise<Telemetry> {
  const exporters = { traces: exporterOf(settings, 'traces'), metrics: exporterOf(settings, 'metrics') };
  if (exporters.traces === 'none' && exporters.metrics === 'none')
    return { tracing: null, close: () => Promise.resolve() };
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry(settings, exporters, parts);
}
