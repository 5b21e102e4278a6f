// The tasks with a page for developers, in the order in which a program meets them.
import type { TextName } from '../texts/en.ts';

export const taskNames = ['token', 'page', 'sync', 'retry', 'ship'] as const;

export type TaskName = (typeof taskNames)[number];

export const taskTitles: Readonly<Record<TaskName, TextName>> = {
  token: 'getToken',
  page: 'readPages',
  sync: 'keepCopy',
  retry: 'tryAgain',
  ship: 'makeLabel',
};

export function isTaskName(name: string): name is TaskName {
  return (taskNames as readonly string[]).includes(name);
}
