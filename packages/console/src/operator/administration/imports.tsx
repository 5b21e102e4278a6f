// The imports of administration: users, activities, clients and keys, and what is shown of each line.
import { Checkbox } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { useOperatorWords } from '../words/words.ts';
import { applyActivity, planActivities, readActivities, readActivityColumns } from './activity-csv.ts';
import { allActivities, allClients, allCodesOf, allKeys, allUsers } from './all-of.ts';
import { readClientColumns, readClients } from './client-csv.ts';
import { applyClient, planClients } from './client-plan.ts';
import { CsvImport } from './csv-import.tsx';
import { applyKey, planKeys, readKeyColumns, readKeys } from './key-csv.ts';
import { useKeepSecret } from './unsaved-secrets.tsx';
import { readUserColumns, readUsers } from './user-csv.ts';
import { applyUser, planUsers } from './user-plan.ts';

export function UserImport(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const keepSecret = useKeepSecret('invitations.csv');
  const [invites, setInvites] = useState(true);
  return (
    <CsvImport
      meaning={say('csvMeaning', { columns: readUserColumns.join(', ') })}
      read={readUsers}
      plan={async (listed) => planUsers(listed, await allUsers(platform), await allCodesOf(platform))}
      apply={(planned) => applyUser(platform, planned, invites, keepSecret)}
      columns={[
        { name: 'login', label: say('login'), cell: ({ login }) => login },
        { name: 'codes', label: say('activities'), cell: ({ activityCodes }) => activityCodes?.join(', ') || '–' },
        { name: 'roles', label: say('roles'), cell: ({ roles }) => roles?.join(', ') || '–' },
      ]}
      choice={
        <Checkbox
          label={say('inviteNew')}
          checked={invites}
          onChange={(event) => setInvites(event.currentTarget.checked)}
        />
      }
    />
  );
}

export function ActivityImport(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  return (
    <CsvImport
      meaning={say('csvActivities', { columns: readActivityColumns.join(', ') })}
      read={readActivities}
      plan={async (listed) => planActivities(listed, await allActivities(platform))}
      apply={(planned) => applyActivity(platform, planned)}
      columns={[
        { name: 'code', label: say('code'), cell: ({ code }) => code },
        { name: 'name', label: say('name'), cell: ({ name }) => name ?? '–' },
      ]}
    />
  );
}

export function ClientImport(): ReactElement {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  const { platform } = useOperator();
  const keepSecret = useKeepSecret('secrets.csv');
  return (
    <CsvImport
      meaning={say('csvClients', { columns: readClientColumns.join(', ') })}
      read={readClients}
      plan={async (listed) => planClients(listed, await allClients(platform), await allCodesOf(platform))}
      apply={(planned) => applyClient(platform, planned, keepSecret)}
      columns={[
        { name: 'name', label: say('client'), cell: ({ name }) => name },
        { name: 'id', label: say('id'), cell: ({ id }) => (id === undefined ? '–' : <code>{id}</code>) },
        { name: 'codes', label: say('activities'), cell: ({ activityCodes }) => activityCodes?.join(', ') || '–' },
        {
          name: 'secret',
          label: say('confidential'),
          cell: ({ confidential }) => (confidential === undefined ? '–' : sayCommon(confidential ? 'yes' : 'no')),
        },
      ]}
    />
  );
}

export function KeyImport(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const keepSecret = useKeepSecret('secrets.csv');
  return (
    <CsvImport
      meaning={say('csvKeys', { columns: readKeyColumns.join(', ') })}
      read={readKeys}
      plan={async (listed) => planKeys(listed, await allKeys(platform), await allCodesOf(platform))}
      apply={(planned) => applyKey(platform, planned, keepSecret)}
      columns={[
        { name: 'name', label: say('name'), cell: ({ name }) => name },
        { name: 'id', label: say('id'), cell: ({ id }) => (id === undefined ? '–' : <code>{id}</code>) },
        {
          name: 'codes',
          label: say('activities'),
          cell: ({ activityCodes }) =>
            activityCodes === null ? say('everyActivity') : activityCodes?.join(', ') || '–',
        },
        { name: 'roles', label: say('roles'), cell: ({ roles }) => roles?.join(', ') || '–' },
        { name: 'state', label: say('state'), cell: ({ revoked }) => (revoked === true ? say('revoked') : '–') },
      ]}
    />
  );
}
