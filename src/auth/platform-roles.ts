// The roles of platform keys and operators: what they may do at the platform interface.

/**
 * In display order: read the outbox and its documents, send records, reconcile stock, look after labels, read the audit
 * trail, monitor and try the service, manage access.
 */
export const platformRoles = ['outbox', 'feed', 'stock', 'shipping', 'audit', 'operations', 'administration'] as const;
export type PlatformRole = (typeof platformRoles)[number];

/** Roles that concern the service as a whole, so that nobody can have them for only some activities. */
export const wideRoles: readonly PlatformRole[] = ['administration'];

/** The roles among some names, each once, in order; unknown names are left out. */
export function knownRoles(names: readonly string[]): readonly PlatformRole[] {
  return platformRoles.filter((role) => names.includes(role));
}

/** The faults of role names, as sentences. */
export function roleFaults(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !platformRoles.some((known) => known === name));
  if (unknown.length === 0) return [];
  const named = unknown.map((name) => `"${name}"`).join(', ');
  return [`There is no role ${named}: the roles are ${platformRoles.join(', ')}.`];
}
