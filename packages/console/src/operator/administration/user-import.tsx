// Takes users from a CSV file: first what it would change, then, on purpose, line after line with what became of each.
import { Alert, Button, Card, Checkbox, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { PlatformClient } from '../../../../client/src/index.ts';
import { csvLine } from '../../list/export.ts';
import { saveFile } from '../../list/save-file.ts';
import { useTexts } from '../../texts/texts.ts';
import { Outcome } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { DataTable } from '../page-frame.tsx';
import { allUsers } from '../pages/users-page.tsx';
import { useOperatorWords } from '../words/words.ts';
import { readUsers } from './csv.ts';
import { allRoles } from './fields.tsx';
import { type PlannedUser, planUsers } from './user-plan.ts';

interface Done {
  readonly line: number;
  /** What went wrong; null: nothing. */
  readonly fault: string | null;
  /** Link of the invitation. */
  readonly address: string | null;
}

export function UserImport(): ReactElement {
  const say = useOperatorWords();
  const { number, say: sayCommon } = useTexts();
  const { platform } = useOperator();
  const queries = useQueryClient();
  const [plan, setPlan] = useState<readonly PlannedUser[] | null>(null);
  const [done, setDone] = useState<readonly Done[]>([]);
  const [fault, setFault] = useState<unknown>(null);
  const [invites, setInvites] = useState(true);
  const [isRunning, setRunning] = useState(false);
  const read = async (file: File | null): Promise<void> => {
    setPlan(null);
    setDone([]);
    setFault(null);
    if (file === null) return;
    const found = readUsers(await file.text());
    if ('fault' in found) throw new Error(say(`csv-${found.fault}`, { at: found.at }));
    setPlan(planUsers(found.users, await allUsers(platform)));
  };
  const run = async (planned: readonly PlannedUser[]): Promise<void> => {
    setRunning(true);
    for (const each of planned.filter(({ action }) => action !== 'none')) {
      const result = await applied(platform, each, invites);
      setDone((before) => [...before, result]);
    }
    setRunning(false);
    await queries.invalidateQueries({ queryKey: ['platform', 'users'] });
  };
  const pending = plan?.filter(({ action }) => action !== 'none') ?? [];
  const isDone = pending.length > 0 && done.length === pending.length;
  return (
    <Card withBorder padding="lg">
      <Stack gap="sm">
        <Text size="sm">
          {say('csvMeaning', { columns: 'login, activities, operator, roles, disabled, second_factor' })}
        </Text>
        <FileInput
          label={say('csvFile')}
          placeholder={say('chooseFile')}
          accept=".csv,text/csv"
          onChange={(file) => void read(file).catch(setFault)}
          clearable
          clearButtonProps={{ 'aria-label': sayCommon('clear') }}
          maw={420}
        />
        <Outcome error={fault} told={null} />
        {plan !== null && (
          <>
            <PlanTable plan={plan} done={done} />
            <Group>
              <Checkbox
                label={say('inviteNew')}
                checked={invites}
                disabled={isRunning || isDone}
                onChange={(event) => setInvites(event.currentTarget.checked)}
              />
              <Button
                disabled={pending.length === 0 || isDone}
                loading={isRunning}
                onClick={() => void run(plan).catch(setFault)}
              >
                {say('applyPlan', { count: number(pending.length) })}
              </Button>
            </Group>
            {isRunning && <Progress value={(done.length * 100) / pending.length} aria-label={say('applying')} />}
            {isDone && <Finished plan={plan} done={done} />}
          </>
        )}
      </Stack>
    </Card>
  );
}

function PlanTable(props: { readonly plan: readonly PlannedUser[]; readonly done: readonly Done[] }): ReactElement {
  const say = useOperatorWords();
  const byLine = new Map(props.done.map((each) => [each.line, each]));
  return (
    <DataTable
      label={say('importCsv')}
      rows={props.plan}
      keyOf={({ listed }) => String(listed.line)}
      columns={[
        { name: 'line', label: say('line'), isNumber: true, cell: ({ listed }) => listed.line },
        { name: 'login', label: say('login'), cell: ({ listed }) => listed.login },
        { name: 'codes', label: say('activities'), cell: ({ listed }) => listed.activityCodes?.join(', ') ?? '–' },
        { name: 'roles', label: say('roles'), cell: ({ listed }) => listed.roles?.join(', ') ?? '–' },
        { name: 'plan', label: say('planned'), cell: ({ action }) => say(`plan-${action}`) },
        {
          name: 'result',
          label: say('outcome'),
          cell: ({ listed }) => {
            const result = byLine.get(listed.line);
            return result === undefined ? '–' : (result.fault ?? say('planDone'));
          },
        },
      ]}
    />
  );
}

function Finished(props: { readonly plan: readonly PlannedUser[]; readonly done: readonly Done[] }): ReactElement {
  const { plan, done } = props;
  const say = useOperatorWords();
  const { number } = useTexts();
  const faults = done.filter(({ fault }) => fault !== null).length;
  const invitations = done.flatMap(({ line, address }) => {
    const login = plan.find(({ listed }) => listed.line === line)?.listed.login;
    return address === null || login === undefined ? [] : [csvLine([login, address])];
  });
  return (
    <Alert color={faults === 0 ? 'green' : 'yellow'} role="status">
      <Stack gap="xs">
        {say('importDone', { done: number(done.length - faults), faults: number(faults) })}
        {invitations.length > 0 && (
          <Group>
            <Button
              variant="default"
              onClick={() =>
                saveFile(
                  new Blob([`\uFEFF${csvLine(['login', 'invitation'])}`, ...invitations], { type: 'text/csv' }),
                  'invitations.csv',
                )
              }
            >
              {say('saveInvitations', { count: number(invitations.length) })}
            </Button>
            <Text size="sm">{say('shownOnce')}</Text>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

async function applied(platform: PlatformClient, planned: PlannedUser, invite: boolean): Promise<Done> {
  const { line, login, roles, disabled, ...rights } = planned.listed;
  const { administration } = platform;
  try {
    const wanted = { ...rights, ...(roles !== undefined && { roles: roles.map(knownRole) }) };
    const isDisabled = planned.known !== null && planned.known.disabledAt !== null;
    const user =
      planned.known === null
        ? await administration.addUser({ login, ...wanted, invite: invite && disabled !== true })
        : { ...(await administration.changeUser(planned.known.id, wanted)), invitation: null };
    if (disabled !== undefined && disabled !== isDisabled)
      await administration.setUser(user.id, disabled ? 'disable' : 'enable');
    return { line, fault: null, address: user.invitation?.address ?? null };
  } catch (error) {
    return { line, fault: error instanceof Error ? error.message : String(error), address: null };
  }
}

/** @throws Error for what is no role */
function knownRole(name: string): (typeof allRoles)[number] {
  const role = allRoles.find((known) => known === name);
  if (role === undefined) throw new Error(`“${name}”: ${allRoles.join(', ')}`);
  return role;
}
