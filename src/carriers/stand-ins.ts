// Every stand-in of a carrier, by the carrier's name; each is loaded when somebody starts it. The sandbox needs none.
import type { StandIn } from './carrier.ts';

const standIns: Readonly<Record<string, (port: number) => Promise<StandIn>>> = {
  mondialrelay: async (port) =>
    (await import('./mondialrelay/stand-in/stand-in.ts')).startMondialRelayStandIn({ port }),
  laposte: async (port) => (await import('./laposte/stand-in.ts')).startLaposteStandIn(port),
  colissimo: async (port) => (await import('./colissimo/stand-in.ts')).startColissimoStandIn(port),
  chronopost: async (port) => (await import('./chronopost/stand-in.ts')).startChronopostStandIn(port),
  dpd: async (port) => (await import('./dpd/stand-in.ts')).startDpdStandIn(port),
  gls: async (port) => (await import('./gls/stand-in.ts')).startGlsStandIn(port),
  ups: async (port) => (await import('./ups/stand-in.ts')).startUpsStandIn(port),
  dhl: async (port) => (await import('./dhl/stand-in.ts')).startDhlStandIn(port),
  karrio: async (port) => (await import('./karrio/stand-in.ts')).startKarrioStandIn(port),
};

/** Names of all carriers that have one. */
export const standInNames: readonly string[] = Object.keys(standIns);

/**
 * Starts the stand-in of a carrier on the loopback address.
 * @param port 0: any free one
 * @returns null where the carrier has none; rejects where the port cannot be had
 */
export async function startStandIn(name: string, port: number): Promise<StandIn | null> {
  return Object.hasOwn(standIns, name) ? ((await standIns[name]?.(port)) ?? null) : null;
}
