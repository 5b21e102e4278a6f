// The roles that operators and keys may have.
export const allRoles = ['outbox', 'feed', 'stock', 'shipping', 'audit', 'operations', 'administration'] as const;
export type Role = (typeof allRoles)[number];

export function isRole(name: string): name is Role {
  return (allRoles as readonly string[]).includes(name);
}
