// A panel above a list for adding to it: only one is open at a time, and it stays open after a reload.
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from '../icons.tsx';
import { useDraft } from '../kept-draft.ts';

/**
 * @param name of the list
 * @param labels panel → label of its button
 */
export function usePanel<Name extends string>(
  name: string,
  labels: Readonly<Record<Name, string>>,
): { readonly shown: string; readonly buttons: readonly ReactElement[] } {
  const [shown, show] = useDraft(`panel-${name}`, '');
  const buttons = Object.entries<string>(labels).map(([each, label]) => (
    <Button
      key={each}
      variant={each === 'add' ? 'filled' : 'default'}
      leftSection={each === 'add' ? <Icon name="add" /> : undefined}
      onClick={() => show(shown === each ? '' : each)}
      aria-expanded={shown === each}
    >
      {label}
    </Button>
  ));
  return { shown, buttons };
}
