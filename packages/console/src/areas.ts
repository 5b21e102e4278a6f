// The areas of the console, each loaded when one of its pages is first opened, and the menu entries that lead there.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { taskNames, taskTitles } from './developers/tasks.ts';
import type { IconName } from './icons.tsx';
import { listNames } from './list/list-names.ts';
import { type OperatorPageName, pageRoles, type PageRole } from './operator/page-roles.ts';
import type { SignInKind } from './session.ts';
import type { TextName } from './texts/en.ts';

/** The address of a page: the parts of its path without the name of the area. */
export interface AreaProps {
  readonly parts: readonly string[];
  /** Why the sign-in from which the browser has returned failed; null: it succeeded, or there was none. */
  readonly fault: string | null;
}

/** An entry of the menu. */
export interface Way {
  readonly name: TextName;
  readonly icon: IconName;
  /** Parts of the address; the entry is also marked on pages below it. */
  readonly parts: readonly string[];
  /** An operator's role without which the page only says that it is missing; absent: none is needed. */
  readonly role?: PageRole;
  /** Only if the server has a demonstration. */
  readonly ofDemonstration?: true;
}

export interface Area {
  /** First part of the addresses of its pages; empty: the area for all other addresses. */
  readonly path: string;
  /** Title of its entries in the menu; null: none. */
  readonly title: TextName | null;
  readonly ways: readonly Way[];
  /** The sign-in that its pages require; null: none. */
  readonly needs: SignInKind | null;
  /** The entry shown while nobody has signed in for it. */
  readonly door: Way | null;
  readonly Pages: LazyExoticComponent<ComponentType<AreaProps>>;
}

const clientArea: Area = {
  path: '',
  title: null,
  ways: [
    { name: 'overview', icon: 'overview', parts: [] },
    ...listNames.map((name): Way => ({ name, icon: name, parts: [name] })),
    { name: 'ship', icon: 'ship', parts: ['ship'] },
  ],
  needs: 'client',
  door: { name: 'signIn', icon: 'overview', parts: [] },
  Pages: lazy(async () => ({ default: (await import('./areas/client.tsx')).ClientPages })),
};

const operatorArea: Area = {
  path: 'operator',
  title: 'forOperators',
  ways: [
    operatorWay('health', 'health', 'health'),
    operatorWay('feeds', 'feeds', 'feeds'),
    operatorWay('messages', 'feedMessages', 'log'),
    operatorWay('lines', 'refusedLines', 'line'),
    operatorWay('outbox', 'outbox', 'outbox'),
    operatorWay('reconciliation', 'reconciliation', 'scales'),
    operatorWay('accounts', 'accounts', 'truck'),
    operatorWay('labels', 'desk', 'order-reports'),
    operatorWay('audit', 'audit', 'audit'),
    operatorWay('activities', 'activities', 'building'),
    operatorWay('users', 'users', 'group'),
    operatorWay('clients', 'clients', 'code'),
    operatorWay('keys', 'keys', 'key'),
    operatorWay('requests', 'requestLog', 'program'),
    { ...operatorWay('demonstration', 'demonstration', 'clock'), ofDemonstration: true },
  ],
  needs: 'operator',
  door: { name: 'forOperators', icon: 'key', parts: ['operator'] },
  Pages: lazy(async () => ({ default: (await import('./areas/operator.tsx')).OperatorPages })),
};

const developerArea: Area = {
  path: 'developers',
  title: 'developers',
  ways: taskNames.map((task): Way => ({ name: taskTitles[task], icon: 'code', parts: ['developers', task] })),
  needs: null,
  door: null,
  Pages: lazy(async () => ({ default: (await import('./areas/developers.tsx')).DeveloperPages })),
};

export const areas: readonly Area[] = [clientArea, operatorArea, developerArea];

function operatorWay(page: OperatorPageName, name: TextName, icon: IconName): Way {
  return { name, icon, parts: ['operator', page], role: pageRoles[page] };
}

/** The area that an address belongs to, and the parts of the address within it. */
export function areaOf(parts: readonly string[]): { readonly area: Area; readonly rest: readonly string[] } {
  const named = areas.find(({ path }) => path !== '' && path === parts[0]);
  return named === undefined ? { area: clientArea, rest: parts } : { area: named, rest: parts.slice(1) };
}

/** The menu entry for an address or for the list above it; null: the menu has none. */
export function wayOf(parts: readonly string[]): Way | null {
  const fits = (way: Way): boolean =>
    way.parts.length === 0 ? parts.length === 0 : way.parts.every((part, index) => part === parts[index]);
  const doors = areas.flatMap(({ door }) => door ?? []).filter(({ parts: own }) => own.length === parts.length);
  return [...areas.flatMap(({ ways }) => ways), ...doors].find(fits) ?? null;
}
