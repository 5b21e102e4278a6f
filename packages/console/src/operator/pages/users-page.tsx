// The people who sign in: listed, invited, imported from and exported to a CSV file.
import { Badge, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { AdministeredUser } from '../../../../client/src/index.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { allUsers } from '../administration/all-of.ts';
import { CsvExport } from '../administration/csv-export.tsx';
import { UserImport } from '../administration/imports.tsx';
import { NewUser } from '../administration/new-user.tsx';
import { usersText } from '../administration/user-csv.ts';
import { ActivityChoice } from '../choices.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePanel } from '../panel.tsx';
import { SearchField } from '../search-field.tsx';
import { pageLength, useSearchedPages } from '../searched-pages.ts';
import { useOperatorWords } from '../words/words.ts';

export function UsersPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const activity = usePlace().parameters.get('activity') ?? '';
  const asked = activity === '' ? {} : { activity };
  const paged = useSearchedPages({
    key: ['users', activity],
    read: async (after, signal) => {
      const page = await platform.administration.users(
        { limit: pageLength, ...asked, ...(after !== undefined && { after }) },
        { signal },
      );
      return { rows: page.users, after: page.after };
    },
    readAll: (signal) => allUsers(platform, asked, signal),
    textsOf: ({ login }) => [login],
  });
  const panel = usePanel('users', { add: say('addUser'), import: say('importCsv') });
  return (
    <PageFrame
      title={say('users')}
      intro={say('usersIntro')}
      actions={
        <>
          {panel.buttons}
          <CsvExport file="users.csv" text={async () => usersText(await allUsers(platform, asked))} />
        </>
      }
    >
      {panel.shown === 'add' && <NewUser />}
      {panel.shown === 'import' && <UserImport />}
      <Group gap="xs">
        <SearchField />
        <ActivityChoice />
      </Group>
      <PagedRows paged={paged} nothing={say('noUsers')}>
        {(users) => <UserTable users={users} />}
      </PagedRows>
    </PageFrame>
  );
}

function UserTable({ users }: { readonly users: readonly AdministeredUser[] }): ReactElement {
  const say = useOperatorWords();
  const columns: readonly Column<AdministeredUser>[] = [
    {
      name: 'login',
      label: say('login'),
      cell: ({ id, login }) => <a href={placeAddress(['operator', 'users', id])}>{login}</a>,
    },
    { name: 'activities', label: say('activities'), cell: ({ activityCodes }) => activityCodes.join(', ') || '–' },
    {
      name: 'roles',
      label: say('roles'),
      cell: ({ roles }) => <div className="wrapped">{roles.join(', ') || '–'}</div>,
    },
    { name: 'factor', label: say('secondFactor'), cell: (user) => say(factorOf(user)) },
    { name: 'state', label: say('state'), cell: ({ disabledAt }) => <UserState isDisabled={disabledAt !== null} /> },
    { name: 'created', label: say('created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return <DataTable label={say('users')} columns={columns} rows={users} keyOf={({ id }) => id} />;
}

export function UserState({ isDisabled }: { readonly isDisabled: boolean }): ReactElement {
  const say = useOperatorWords();
  return (
    <Badge color={isDisabled ? 'gray' : 'green'} variant="light" autoContrast className="state">
      {say(isDisabled ? 'disabled' : 'active')}
    </Badge>
  );
}

export function factorOf(user: AdministeredUser): 'factorOn' | 'factorDemanded' | 'factorOff' {
  return user.secondFactor ? 'factorOn' : user.secondFactorRequired ? 'factorDemanded' : 'factorOff';
}
