// The activities (the client companies' accounts), which can be added and renamed here.
import { Button, Group, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { AdministeredActivity } from '../../../../client/src/index.ts';
import { useDraft } from '../../kept-draft.ts';
import { placeAddress } from '../../route.ts';
import { activitiesText } from '../administration/activity-csv.ts';
import { allActivities } from '../administration/all-of.ts';
import { CsvExport } from '../administration/csv-export.tsx';
import { ActivityImport } from '../administration/imports.tsx';
import { FaultText, Outcome, useAction } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame, Part } from '../page-frame.tsx';
import { usePanel } from '../panel.tsx';
import { SearchField, useSearched } from '../search-field.tsx';
import { pageLength, useSearchedPages } from '../searched-pages.ts';
import { useOperatorWords } from '../words/words.ts';

export function ActivitiesPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const searched = useSearched();
  const paged = useSearchedPages({
    key: ['activities'],
    read: async (after, signal) => {
      const asked = { limit: pageLength, ...(after !== undefined && { after }) };
      const page = await platform.administration.activities(asked, { signal });
      return { rows: page.activities, after: page.after };
    },
    readAll: (signal) => allActivities(platform, signal),
    textsOf: ({ code, name }) => [code, name],
  });
  const panel = usePanel('activities', { import: say('importCsv') });
  return (
    <PageFrame
      title={say('activities')}
      intro={say('activitiesIntro')}
      actions={
        <>
          {panel.buttons}
          <CsvExport file="activities.csv" text={async () => activitiesText(await allActivities(platform))} />
        </>
      }
    >
      {panel.shown === 'import' ? <ActivityImport /> : <NewActivity />}
      <SearchField />
      <PagedRows paged={paged} nothing={say(searched === '' ? 'noActivities' : 'nothingFound')}>
        {(activities) => <ActivityTable activities={activities} />}
      </PagedRows>
    </PageFrame>
  );
}

function NewActivity(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [draft, setDraft, forget] = useDraft('activity', { code: '', name: '' });
  const { code, name } = draft;
  const adding = useAction(async () => {
    await platform.administration.addActivity({ code: code.trim().toUpperCase(), name: name.trim() });
    forget();
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
            onChange={(event) => setDraft({ code: event.currentTarget.value, name })}
            maxLength={3}
            required
            maw={110}
          />
          <TextInput
            label={say('name')}
            value={name}
            onChange={(event) => setDraft({ code, name: event.currentTarget.value })}
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
  const [name, setName, forget] = useDraft(`activity-${activity.code}`, activity.name);
  const renaming = useAction(async () => {
    await platform.administration.changeActivity(activity.code, { name: name.trim() });
    forget();
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
          miw={180}
          onChange={(event) => setName(event.currentTarget.value)}
          error={renaming.error === null ? undefined : <FaultText error={renaming.error} />}
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
