// The activities: the client companies' accounts; added here, and given another name.
import { Button, Group, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import type { AdministeredActivity } from '../../../../client/src/index.ts';
import { placeAddress } from '../../route.ts';
import { Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame, Part } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { useOperatorWords } from '../words/words.ts';

export function ActivitiesPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const paged = usePaged(['activities'], async (after, signal) => {
    const page = await platform.administration.activities(after === undefined ? {} : { after }, { signal });
    return { rows: page.activities, after: page.after };
  });
  return (
    <PageFrame title={say('activities')} intro={say('activitiesIntro')}>
      <NewActivity />
      <PagedRows paged={paged} nothing={say('noActivities')}>
        {(activities) => <ActivityTable activities={activities} />}
      </PagedRows>
    </PageFrame>
  );
}

function NewActivity(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const adding = useAction(async () => {
    await platform.administration.addActivity({ code: code.trim().toUpperCase(), name: name.trim() });
    setCode('');
    setName('');
    return say('added', { name: code.trim().toUpperCase() });
  });
  return (
    <Part title={say('addActivity')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label={say('code')}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            maxLength={3}
            required
            maw={110}
          />
          <TextInput
            label={say('name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={30}
            required
          />
          <Button type="submit" loading={adding.isPending}>
            {say('add')}
          </Button>
        </Group>
      </form>
      <Outcome error={adding.error} told={adding.data ?? null} />
    </Part>
  );
}

function ActivityTable({ activities }: { readonly activities: readonly AdministeredActivity[] }): ReactElement {
  const say = useOperatorWords();
  const columns: readonly Column<AdministeredActivity>[] = [
    { name: 'code', label: say('code'), cell: ({ code }) => <b>{code}</b> },
    { name: 'name', label: say('name'), cell: (activity) => <Rename key={activity.name} activity={activity} /> },
    {
      name: 'users',
      label: say('users'),
      cell: ({ code }) => <a href={placeAddress(['operator', 'users'], { activity: code })}>{say('showUsers')}</a>,
    },
    { name: 'created', label: say('created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
    { name: 'write', label: say('lastWrite'), cell: ({ lastWriteAt }) => <Instant at={lastWriteAt} /> },
  ];
  return <DataTable label={say('activities')} columns={columns} rows={activities} keyOf={({ code }) => code} />;
}

function Rename({ activity }: { readonly activity: AdministeredActivity }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [name, setName] = useState(activity.name);
  const renaming = useAction(async () => {
    await platform.administration.changeActivity(activity.code, { name: name.trim() });
    return null;
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        renaming.mutate();
      }}
    >
      <Group gap="xs" wrap="nowrap">
        <TextInput
          aria-label={`${say('name')} ${activity.code}`}
          value={name}
          maxLength={30}
          onChange={(event) => setName(event.currentTarget.value)}
          error={renaming.error?.message}
        />
        {name !== activity.name && (
          <Button type="submit" variant="default" loading={renaming.isPending}>
            {say('save')}
          </Button>
        )}
      </Group>
    </form>
  );
}
