// Form fields of administration: the activities that somebody may act in, and roles of operators and keys.
import { Checkbox, MultiSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useOperator } from '../contexts.ts';
import { useOperatorWords } from '../words/words.ts';
import { allActivities } from './all-of.ts';
import { allRoles, type Role } from './roles.ts';

interface CodesProps {
  readonly value: readonly string[];
  readonly onChange: (codes: string[]) => void;
  readonly disabled?: boolean;
}

/** Read once for all forms of a page, because activities are few. */
function useAllActivities() {
  const { platform } = useOperator();
  return useQuery({
    queryKey: ['platform', 'activities', 'all'],
    queryFn: ({ signal }) => allActivities(platform, signal),
  });
}

export function ActivitiesField({ value, onChange, disabled = false }: CodesProps): ReactElement {
  const say = useOperatorWords();
  const known = useAllActivities().data ?? [];
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

/** One activity, which has to be chosen. */
export function ActivityField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (code: string) => void;
  readonly error: ReactNode;
}): ReactElement {
  const known = useAllActivities().data ?? [];
  return (
    <Select
      label={props.label}
      data={known.map(({ code, name }) => ({ value: code, label: `${code} · ${name}` }))}
      value={props.value === '' ? null : props.value}
      onChange={(code) => props.onChange(code ?? '')}
      error={props.error}
      searchable
      required
    />
  );
}

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

/** What a user may do, in the form. */
export interface UserRights {
  readonly activityCodes: string[];
  readonly operator: boolean;
  readonly roles: Role[];
  readonly secondFactorRequired: boolean;
}

export function RightsFields(props: {
  readonly rights: UserRights;
  readonly onChange: (change: Partial<UserRights>) => void;
}): ReactElement {
  const { rights, onChange } = props;
  const say = useOperatorWords();
  return (
    <>
      <ActivitiesField value={rights.activityCodes} onChange={(activityCodes) => onChange({ activityCodes })} />
      <Checkbox
        label={say('isOperator')}
        checked={rights.operator}
        onChange={(event) => onChange({ operator: event.currentTarget.checked })}
      />
      {rights.operator && <RolesField value={rights.roles} onChange={(roles) => onChange({ roles })} />}
      <Checkbox
        label={say('demandFactor')}
        checked={rights.secondFactorRequired}
        onChange={(event) => onChange({ secondFactorRequired: event.currentTarget.checked })}
      />
    </>
  );
}
