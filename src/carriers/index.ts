// Every carrier that the program knows, by the name in the path; each is loaded when somebody first ships with it.
import type { Carrier } from './carrier.ts';

const carriers: Readonly<Record<string, () => Promise<Carrier>>> = {
  sandbox: async () => (await import('./sandbox/index.ts')).sandbox,
  mondialrelay: async () => (await import('./mondialrelay/mondialrelay.ts')).mondialrelay,
  laposte: async () => (await import('./laposte/laposte.ts')).laposte,
  colissimo: async () => (await import('./colissimo/colissimo.ts')).colissimo,
  chronopost: async () => (await import('./chronopost/chronopost.ts')).chronopost,
  dpd: async () => (await import('./dpd/dpd.ts')).dpd,
  gls: async () => (await import('./gls/gls.ts')).gls,
  ups: async () => (await import('./ups/ups.ts')).ups,
  dhl: async () => (await import('./dhl/dhl.ts')).dhl,
  karrio: async () => (await import('./karrio/karrio.ts')).karrio,
};

/** Names of all carriers. */
export const carrierNames: readonly string[] = Object.keys(carriers);

/** Carriers that receive a customs declaration, or an invoice of the goods: those with rules for customs. */
export const declaringCarriers: readonly string[] = ['colissimo', 'chronopost', 'gls', 'ups', 'dhl', 'karrio'];

/** The carrier of this name, or null. */
export async function loadCarrier(name: string): Promise<Carrier | null> {
  return Object.hasOwn(carriers, name) ? ((await carriers[name]?.()) ?? null) : null;
}
