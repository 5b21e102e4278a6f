// The shipping desk: the choice of its account, and the part of it in the address.
import { Button, Group, Text } from '@mantine/core';
import type { ComponentType, ReactElement } from 'react';
import type { CarrierAccountList } from '../../../../client/src/index.ts';
import { placeAddress, usePlace } from '../../route.ts';
import { Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { AccountChoice, type DeskAccount, useCarrierAccounts, useChosenAccount } from '../desk/account-choice.tsx';
import { EndOfDay } from '../desk/end-of-day.tsx';
import { LabelSearch } from '../desk/label-search.tsx';
import { PointSearch } from '../desk/point-search.tsx';
import { LabelTrialForm } from '../desk/label-trial-form.tsx';
import { Answered, PageFrame } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

/** Parts of the desk by the end of their address. */
const deskParts = {
  label: LabelSearch,
  day: EndOfDay,
  points: PointSearch,
  trial: LabelTrialForm,
} as const satisfies Readonly<Record<string, ComponentType<{ readonly account: DeskAccount }>>>;

type DeskPart = keyof typeof deskParts;

const partNames: readonly DeskPart[] = ['label', 'day', 'points', 'trial'];

/** @param props.part of the address after the name of the page; absent: labels */
export function DeskPage({ part = 'label' }: { readonly part?: string | undefined }): ReactElement {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  const query = useCarrierAccounts();
  const shown = partNames.find((name) => name === part);
  if (shown === undefined) return <Notice icon="empty" title={sayCommon('notFound')} isPage />;
  return (
    <PageFrame title={say('desk')} intro={say('deskIntro')}>
      <PartLinks shown={shown} />
      <Answered query={query}>{(list) => <WithAccount list={list} part={shown} />}</Answered>
    </PageFrame>
  );
}

function PartLinks({ shown }: { readonly shown: DeskPart }): ReactElement {
  const say = useOperatorWords();
  const { parameters } = usePlace();
  const account = { context: parameters.get('context'), carrier: parameters.get('carrier') };
  return (
    <nav aria-label={say('desk')}>
      <Group gap="xs">
        {partNames.map((name) => (
          <Button
            key={name}
            component="a"
            href={placeAddress(['operator', 'labels', ...(name === 'label' ? [] : [name])], account)}
            variant={name === shown ? 'filled' : 'default'}
            aria-current={name === shown ? 'page' : undefined}
          >
            {say(`desk-${name}`)}
          </Button>
        ))}
      </Group>
    </nav>
  );
}

function WithAccount({ list, part }: { readonly list: CarrierAccountList; readonly part: DeskPart }): ReactElement {
  const say = useOperatorWords();
  const account = useChosenAccount(list);
  const Shown = deskParts[part];
  if (account === null && list.accounts.length === 0) return <Notice icon="empty" title={say('noAccountsForDesk')} />;
  return (
    <>
      <AccountChoice {...list} />
      {account === null ? (
        <Text c="dimmed">{say('chooseAccount')}</Text>
      ) : (
        <Shown key={`${account.context}/${account.carrier}`} account={account} />
      )}
    </>
  );
}
