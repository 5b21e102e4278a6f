// Names of the console's lists, in menu order.

export const listNames = ['articles', 'stock', 'movements', 'orders', 'order-reports', 'procurements'] as const;

export type ListName = (typeof listNames)[number];

export function isListName(name: string): name is ListName {
  return (listNames as readonly string[]).includes(name);
}
