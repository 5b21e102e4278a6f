// One carrier account, for administration: what it is, its form, its test, and its end.
import { Card, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { AdministeredAccount } from '../../../../client/src/index.ts';
import { goTo, placeAddress } from '../../route.ts';
import { English } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { AccountForm } from '../accounts/account-form.tsx';
import { SavedAccount } from '../accounts/account-panels.tsx';
import { ActionButton } from '../confirmed.tsx';
import { useOperator } from '../contexts.ts';
import { AccountTestButton, AccountTestOutcome, useAccountTest } from '../desk/account-test.tsx';
import { Answered, Facts, Instant, PageFrame } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

export function AccountPage(props: { readonly context: string; readonly carrier: string }): ReactElement {
  const { context, carrier } = props;
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'account', context, carrier],
    queryFn: ({ signal }) => platform.administration.carrierAccount(context, carrier, { signal }),
  });
  const [timesSaved, setTimesSaved] = useState(0);
  const title = query.data === undefined ? context : `${context}, ${query.data.title}`;
  return (
    <PageFrame title={title} back={{ address: placeAddress(['operator', 'accounts']), label: say('accounts') }}>
      <Answered query={query}>
        {(account) => (
          <>
            <About account={account} />
            {timesSaved === 0 && <Test account={account} />}
            <AccountForm key={editedIn(account)} account={account} onSaved={() => setTimesSaved(timesSaved + 1)} />
            {timesSaved > 0 && <SavedAccount key={timesSaved} account={account} />}
            <Removal account={account} />
          </>
        )}
      </Answered>
    </PageFrame>
  );
}

/** What is entered begins anew where somebody else changed it meanwhile, and not because a label was made. */
function editedIn({ settings, secrets, sender, dailyLimit }: AdministeredAccount): string {
  return JSON.stringify([settings, secrets, sender, dailyLimit]);
}

function About({ account }: { readonly account: AdministeredAccount }): ReactElement {
  const say = useOperatorWords();
  const { activityCode, context, carrier, createdAt, lastLabelAt, labels, tracking, fault } = account;
  const textOf = (use: AdministeredAccount['labels']): string => {
    if (use === null) return say('notThere');
    return use.lacks === null ? say('canBeUsed') : say('lacks', { names: use.lacks });
  };
  return (
    <Card withBorder padding="lg">
      <Facts
        facts={[
          [say('activity'), activityCode],
          [say('carrier'), carrier],
          [
            say('context'),
            <a key="desk" href={placeAddress(['operator', 'labels'], { context, carrier })}>
              {context}
            </a>,
          ],
          [say('labelsUse'), fault === null ? textOf(labels) : <English key="fault">{fault}</English>],
          [say('trackingUse'), fault === null ? textOf(tracking) : '–'],
          [say('lastLabel'), lastLabelAt === null ? say('neverUsed') : <Instant key="last" at={lastLabelAt} />],
          [say('created'), <Instant key="created" at={createdAt} />],
        ]}
      />
    </Card>
  );
}

function Test({ account }: { readonly account: AdministeredAccount }): ReactElement {
  const testing = useAccountTest();
  return (
    <Stack gap="sm">
      <Group>
        <AccountTestButton account={account} testing={testing} />
      </Group>
      <AccountTestOutcome testing={testing} />
    </Stack>
  );
}

/** Asks plainly where the account is in use; where that changed meanwhile, the service refuses and says so. */
function Removal({ account }: { readonly account: AdministeredAccount }): ReactElement {
  const { context, carrier, lastLabelAt, inUse } = account;
  const say = useOperatorWords();
  const { platform } = useOperator();
  const { instant } = useTexts();
  const name = `${context}, ${carrier}`;
  return (
    <Group>
      <ActionButton
        label={say('removeAccount')}
        question={
          inUse && lastLabelAt !== null
            ? say('removeUsedQuestion', { name, instant: instant(lastLabelAt) })
            : say('removeAccountQuestion', { name })
        }
        color="red"
        act={async () => {
          await platform.administration.removeCarrierAccount(context, carrier, inUse ? { evenInUse: true } : {});
          goTo(placeAddress(['operator', 'accounts']));
          return null;
        }}
      />
    </Group>
  );
}
