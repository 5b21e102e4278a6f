// The role that each page for operators needs, by the first part of its address: without it the platform interface
// would refuse what the page asks for.
export const pageRoles = {
  health: 'operations',
  feeds: 'feed',
  messages: 'feed',
  lines: 'feed',
  outbox: 'operations',
  reconciliation: 'stock',
  accounts: 'shipping',
  labels: 'shipping',
  audit: 'audit',
  activities: 'administration',
  users: 'administration',
  clients: 'administration',
  keys: 'administration',
  requests: 'operations',
  demonstration: 'operations',
} as const;

export type OperatorPageName = keyof typeof pageRoles;
export type PageRole = (typeof pageRoles)[OperatorPageName];

export function isOperatorPage(name: string): name is OperatorPageName {
  return Object.hasOwn(pageRoles, name);
}

/** The first page that somebody with these roles may open; null: none. */
export function firstPage(roles: readonly string[]): OperatorPageName | null {
  return (
    Object.keys(pageRoles)
      .filter(isOperatorPage)
      .find((name) => roles.includes(pageRoles[name])) ?? null
  );
}
