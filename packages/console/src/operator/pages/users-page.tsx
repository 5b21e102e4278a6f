// The people who sign in: listed, invited, taken from and given as a CSV file.
import { Badge, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactElement, useState } from 'react';
import type { AdministeredUser, PlatformClient } from '../../../../client/src/index.ts';
import { Icon } from '../../icons.tsx';
import { saveFile } from '../../list/save-file.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { usersText } from '../administration/csv.ts';
import { NewUser } from '../administration/new-user.tsx';
import { UserImport } from '../administration/user-import.tsx';
import { ActivityChoice } from '../choices.tsx';
import { Outcome } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { type Column, DataTable, Instant, PagedRows, PageFrame } from '../page-frame.tsx';
import { usePaged } from '../paged.ts';
import { useOperatorWords } from '../words/words.ts';

export function UsersPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const activity = usePlace().parameters.get('activity') ?? '';
  const [isAdding, adding] = useDisclosure();
  const [isImporting, importing] = useDisclosure();
  const paged = usePaged(['users', activity], async (after, signal) => {
    const page = await platform.administration.users(
      { limit: 100, ...(activity !== '' && { activity }), ...(after !== undefined && { after }) },
      { signal },
    );
    return { rows: page.users, after: page.after };
  });
  return (
    <PageFrame
      title={say('users')}
      intro={say('usersIntro')}
      actions={
        <>
          <ActivityChoice />
          <Button leftSection={<Icon name="add" />} onClick={adding.toggle} aria-expanded={isAdding}>
            {say('addUser')}
          </Button>
          <Button variant="default" onClick={importing.toggle} aria-expanded={isImporting}>
            {say('importCsv')}
          </Button>
          <ExportUsers activity={activity} />
        </>
      }
    >
      {isAdding && <NewUser />}
      {isImporting && <UserImport />}
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
    { name: 'roles', label: say('roles'), cell: ({ roles }) => roles.join(', ') || '–' },
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

/** All users, page by page: what is shown may be a part of them. */
export async function allUsers(
  platform: PlatformClient,
  query: { readonly activity?: string } = {},
): Promise<readonly AdministeredUser[]> {
  const users: AdministeredUser[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await platform.administration.users({ ...query, ...(after !== undefined && { after }) });
    users.push(...page.users);
    after = page.after;
  }
  return users;
}

function ExportUsers({ activity }: { readonly activity: string }): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const [fault, setFault] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const save = async (): Promise<void> => {
    const users = await allUsers(platform, activity === '' ? {} : { activity });
    saveFile(new Blob([usersText(users)], { type: 'text/csv;charset=utf-8' }), 'users.csv');
  };
  return (
    <Group>
      <Button
        variant="default"
        leftSection={<Icon name="export" />}
        loading={isRunning}
        onClick={() => {
          setRunning(true);
          setFault(null);
          save()
            .catch(setFault)
            .finally(() => setRunning(false));
        }}
      >
        {say('exportCsv')}
      </Button>
      <Outcome error={fault} told={null} />
    </Group>
  );
}
