// Controls that narrow a list, kept in the address: activity, kind of record, state.
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { goTo, placeAddress, usePlace } from '../route.ts';
import { useTexts } from '../texts/texts.ts';
import { activitiesOfFeeds } from './administration/all-of.ts';
import { useOperator } from './contexts.ts';
import { useOperatorWords } from './words/words.ts';

/** Shows the same page with another value of an address parameter. */
export function useChosen(): (change: Readonly<Record<string, string>>) => void {
  const { parts, parameters } = usePlace();
  return (change) => goTo(placeAddress(parts, { ...Object.fromEntries(parameters), ...change }));
}

/** Activities that the operator may act in, as far as is known. */
export function useActivityCodes(): readonly string[] {
  const { platform, activityCodes, roles } = useOperator();
  const health = useQuery({
    queryKey: ['platform', 'health'],
    queryFn: ({ signal }) => platform.health({ signal }),
    enabled: activityCodes === null && roles.includes('operations'),
  });
  const feeds = useQuery({
    queryKey: ['platform', 'activities-of-feeds'],
    queryFn: ({ signal }) => activitiesOfFeeds(platform, signal),
    enabled: activityCodes === null && !roles.includes('operations') && roles.includes('feed'),
    staleTime: 600_000,
  });
  return (
    activityCodes ?? health.data?.activities.map(({ activityCode }) => activityCode).toSorted() ?? feeds.data ?? []
  );
}

export function ActivityChoice(): ReactElement | null {
  const say = useOperatorWords();
  const codes = useActivityCodes();
  const chosen = usePlace().parameters.get('activity') ?? '';
  const choose = useChosen();
  if (codes.length < 2 && chosen === '') return null;
  return (
    <Select
      aria-label={say('activity')}
      data={[{ value: '', label: say('allActivities') }, ...new Set([...codes, ...(chosen === '' ? [] : [chosen])])]}
      value={chosen}
      onChange={(activity) => choose({ activity: activity ?? '' })}
      maw={220}
      allowDeselect={false}
    />
  );
}

/** Names of resources in feeds. */
const feedResources = [
  'articles',
  'stock',
  'movements',
  'orders',
  'order-reports',
  'procurements',
  'procurement-reports',
] as const;

export function ResourceChoice(): ReactElement {
  const say = useOperatorWords();
  const sayResource = useResourceName();
  const chosen = usePlace().parameters.get('resource') ?? '';
  const choose = useChosen();
  return (
    <Select
      aria-label={say('resource')}
      data={[
        { value: '', label: say('allResources') },
        ...feedResources.map((name) => ({ value: name, label: sayResource(name) })),
      ]}
      value={chosen}
      onChange={(resource) => choose({ resource: resource ?? '' })}
      maw={240}
      allowDeselect={false}
    />
  );
}

/** @param states value → displayed name */
export function StateChoice(props: {
  readonly label: string;
  readonly states: readonly { readonly value: string; readonly label: string }[];
  readonly otherwise: string;
}): ReactElement {
  const chosen = usePlace().parameters.get('state') ?? props.otherwise;
  const choose = useChosen();
  return (
    <Select
      aria-label={props.label}
      data={props.states}
      value={chosen}
      onChange={(state) => choose({ state: state === props.otherwise ? '' : (state ?? '') })}
      maw={200}
      allowDeselect={false}
    />
  );
}

/** The displayed name of a resource. */
export function useResourceName(): (resource: string) => string {
  const { say } = useTexts();
  return (resource) =>
    resource === 'procurement-reports' ? say('receptionsOf') : isNamed(resource) ? say(resource) : resource;
}

function isNamed(resource: string): resource is Exclude<(typeof feedResources)[number], 'procurement-reports'> {
  return (feedResources as readonly string[]).includes(resource) && resource !== 'procurement-reports';
}
