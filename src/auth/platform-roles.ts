// What may be done at the platform interface: the roles of platform keys and of operators.

/**
 * In the order in which they are shown: take the outbox and the documents in it, send records in, reconcile stock, look
 * after labels, read the audit trail, watch and try the service, decide who may do what.
 */
export const platformRoles = ['outbox', 'feed', 'stock', 'shipping', 'audit', 'operations', 'administration'] as const;
export type PlatformRole = (typeof platformRoles)[number];

/** Those that concern the service as a whole, and so nobody may have for some activities alone. */
export const wideRoles: readonly PlatformRole[] = ['administration'];

/** The roles among some names, each once, in their order; what is none is left out. */
export function knownRoles(names: readonly string[]): readonly PlatformRole[] {
  return platformRoles.filter((role) => names.includes(role));
}

/** What is wrong with names of roles, as sentences. */
export function roleFaults(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !platformRoles.some((known) => known === name));
  if (unknown.length === 0) return [];
  const named = unknown.map((name) => `"${name}"`).join(', ');
  return [`There is no role ${named}: the roles are ${platformRoles.join(', ')}.`];
}
