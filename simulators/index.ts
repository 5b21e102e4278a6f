// Every simulator of a carrier, by the carrier's name; each is loaded when it is started. The sandbox needs none.
import type { Simulator } from './server.ts';

const simulators: Readonly<Record<string, (port: number) => Promise<Simulator>>> = {
  mondialrelay: async (port) => (await import('./mondialrelay/mondialrelay.ts')).startMondialRelaySimulator({ port }),
  laposte: async (port) => (await import('./laposte.ts')).startLaposteSimulator(port),
  colissimo: async (port) => (await import('./colissimo/colissimo.ts')).startColissimoSimulator(port),
  chronopost: async (port) => (await import('./chronopost/chronopost.ts')).startChronopostSimulator(port),
  dpd: async (port) => (await import('./dpd/dpd.ts')).startDpdSimulator(port),
  gls: async (port) => (await import('./gls.ts')).startGlsSimulator(port),
  ups: async (port) => (await import('./ups.ts')).startUpsSimulator(port),
  dhl: async (port) => (await import('./dhl.ts')).startDhlSimulator(port),
  karrio: async (port) => (await import('./karrio.ts')).startKarrioSimulator(port),
};

/** Names of all carriers that have a simulator. */
export const simulatorNames: readonly string[] = Object.keys(simulators);

/**
 * Starts the simulator of a carrier on the loopback address.
 * @param port 0: any free one
 * @returns null if the carrier has none; rejects if the port is not available
 */
export async function startSimulator(name: string, port: number): Promise<Simulator | null> {
  return Object.hasOwn(simulators, name) ? ((await simulators[name]?.(port)) ?? null) : null;
}
