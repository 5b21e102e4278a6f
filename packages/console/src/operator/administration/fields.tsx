// Fields of the forms of administration: activities that somebody may act in, roles of operators and keys.
import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../contexts.ts';
import { useOperatorWords } from '../words/words.ts';

interface CodesProps {
  readonly value: readonly string[];
  readonly onChange: (codes: string[]) => void;
  readonly disabled?: boolean;
}

/** Read once for all forms of a page; activities are few. */
export function useAllActivities() {
  const { platform } = useOperator();
  return useQuery({
    queryKey: ['platform', 'activities', 'all'],
    queryFn: ({ signal }) => platform.administration.activities({}, { signal }),
  });
}

export function ActivitiesField({ value, onChange, disabled = false }: CodesProps): ReactElement {
  const say = useOperatorWords();
  const known = useAllActivities().data?.activities ?? [];
  return (
    <MultiSelect
      label={say('activities')}
      data={known.map(({ code, name }) => ({ value: code, label: `${code} · ${name}` }))}
      value={[...value]}
      onChange={onChange}
      disabled={disabled}
      searchable
      hidePickedOptions
    />
  );
}

export const allRoles = ['outbox', 'feed', 'stock', 'shipping', 'audit', 'operations', 'administration'] as const;
export type Role = (typeof allRoles)[number];

export function RolesField(props: {
  readonly value: readonly Role[];
  readonly onChange: (roles: Role[]) => void;
}): ReactElement {
  const say = useOperatorWords();
  return (
    <MultiSelect
      label={say('roles')}
      description={say('rolesMeaning')}
      data={allRoles.map((value) => ({ value, label: `${value} · ${say(`role-${value}`)}` }))}
      value={[...props.value]}
      onChange={(roles) => props.onChange(allRoles.filter((role) => roles.includes(role)))}
      hidePickedOptions
    />
  );
}
