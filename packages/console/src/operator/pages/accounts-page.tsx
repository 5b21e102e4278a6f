// The carrier accounts: which activity ships with which carrier, and whether each account is complete.
import type { ReactElement, ReactNode } from 'react';
import type { CarrierAccountList } from '../../../../client/src/index.ts';
import { NewAccount } from '../accounts/account-panels.tsx';
import { placeAddress } from '../../route.ts';
import { English, Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useCarrierAccounts } from '../desk/account-choice.tsx';
import { AccountTestButton, type AccountTesting, AccountTestOutcome, useAccountTest } from '../desk/account-test.tsx';
import { useOperator } from '../contexts.ts';
import { Answered, type Column, DataTable, Instant, PageFrame } from '../page-frame.tsx';
import { usePanel } from '../panel.tsx';
import { useOperatorWords } from '../words/words.ts';

type Account = CarrierAccountList['accounts'][number];

export function AccountsPage(): ReactElement {
  const say = useOperatorWords();
  const query = useCarrierAccounts();
  const testing = useAccountTest();
  const { roles } = useOperator();
  const panel = usePanel('accounts', { add: say('addAccount') });
  const mayChange = roles.includes('administration');
  return (
    <PageFrame title={say('accounts')} intro={say('accountsIntro')} actions={mayChange && panel.buttons}>
      {mayChange && panel.shown === 'add' && <NewAccount />}
      <AccountTestOutcome testing={testing} />
      <Answered query={query}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <Notice icon="empty" title={say('noAccounts')} />
          ) : (
            <AccountTable accounts={accounts} testing={testing} />
          )
        }
      </Answered>
    </PageFrame>
  );
}

interface TableProps {
  readonly accounts: readonly Account[];
  readonly testing: AccountTesting;
}

function AccountTable({ accounts, testing }: TableProps): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  const { roles } = useOperator();
  const textOf = (account: Account, use: Account['labels']): ReactNode => {
    if (account.fault !== null) return <English>{account.fault}</English>;
    if (use === null) return say('notThere');
    return use.lacks === null ? say('canBeUsed') : say('lacks', { names: use.lacks });
  };
  const columns: readonly Column<Account>[] = [
    { name: 'activity', label: say('activity'), cell: ({ activityCode }) => activityCode },
    { name: 'carrier', label: say('carrier'), cell: ({ title, carrier }) => `${title} (${carrier})` },
    {
      name: 'context',
      label: say('context'),
      cell: ({ context, carrier }) => (
        <a
          href={
            roles.includes('administration')
              ? placeAddress(['operator', 'accounts', context, carrier])
              : placeAddress(['operator', 'labels'], { context, carrier })
          }
        >
          {context}
        </a>
      ),
    },
    {
      name: 'test',
      label: say('testAccount'),
      cell: (account) => <AccountTestButton account={account} testing={testing} />,
    },
    { name: 'labels', label: say('labelsUse'), cell: (account) => textOf(account, account.labels) },
    { name: 'tracking', label: say('trackingUse'), cell: (account) => textOf(account, account.tracking) },
    {
      name: 'limit',
      label: say('dailyLimit'),
      isNumber: true,
      cell: ({ dailyLimit }) => (dailyLimit === null ? '–' : number(dailyLimit)),
    },
    { name: 'settings', label: say('settings'), cell: ({ settings }) => settings.join(', ') || '–' },
    { name: 'created', label: say('created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  return (
    <DataTable
      label={say('accounts')}
      columns={columns}
      rows={accounts}
      keyOf={({ activityCode, context, carrier }) => `${activityCode} ${context} ${carrier}`}
    />
  );
}
