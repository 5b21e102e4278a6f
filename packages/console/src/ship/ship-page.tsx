// Makes a label: for an order, with its address, or for anything else.
import { Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ShippingAccount } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { type AnyRecord, listSource } from '../list/list-source.ts';
import { consoleList, recordRequest } from '../resources.ts';
import { goTo, placeAddress, usePlace } from '../route.ts';
import { Failed, Loading, Notice } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { keepDraft, keptDraft, newDraft } from './draft.ts';
import { draftOfOrder } from './label-fields.ts';
import { LabelForm } from './label-form.tsx';
import { MadeLabel } from './made-label.tsx';
import { useAccounts } from './use-accounts.ts';
import { shipWords } from './words.ts';

const lastAccountName = 'console-ship-account';

/** `#/ship?activity=…&order=…&account=context/carrier&label=…`: with `label`, the number of one that was made there. */
export function ShipPage(): ReactElement {
  const say = useWords(shipWords);
  const { parameters } = usePlace();
  const [order, activity] = [parameters.get('order') ?? '', parameters.get('activity') ?? ''];
  return (
    <Stack gap="lg" maw={900}>
      <Stack gap={4}>
        {order !== '' && (
          <a href={placeAddress(['orders', activity === '' ? '-' : activity, order])} className="more">
            <Icon name="back" size={16} /> {say('forOrder', { order })}
          </a>
        )}
        <Title order={1} size="h2">
          {say('ship')}
        </Title>
      </Stack>
      <ChosenAccount key={JSON.stringify([activity, order])} order={order} activity={activity} />
    </Stack>
  );
}

function ChosenAccount({ order, activity }: { readonly order: string; readonly activity: string }): ReactElement {
  const say = useWords(shipWords);
  const accounts = useAccounts();
  const { client } = useSession();
  const found = useQuery({
    queryKey: ['record', 'orders', activity, order],
    queryFn: async ({ signal }) =>
      (await listSource(client, 'orders').page(recordRequest(consoleList('orders'), activity, order), signal))
        .records[0] ?? null,
    enabled: order !== '',
  });
  const { say: sayCommon } = useTexts();
  if (accounts.isPending || (order !== '' && found.isPending)) return <Loading />;
  if (accounts.isError) return <Failed error={accounts.error} again={() => void accounts.refetch()} />;
  if (found.isError) return <Failed error={found.error} again={() => void found.refetch()} />;
  if (order !== '' && found.data === null) return <Notice icon="empty" title={sayCommon('recordGone')} />;
  const own = accounts.data.filter(
    (account) => account.makesLabels && (activity === '' || account.activityCode === activity),
  );
  const [first] = own;
  if (first === undefined) return <Notice icon="empty" title={say('noAccounts')} />;
  return <Shipment order={order} activity={activity} record={found.data ?? null} accounts={[first, ...own.slice(1)]} />;
}

interface ShipmentProps {
  readonly order: string;
  readonly activity: string;
  /** Null: a label without an order. */
  readonly record: AnyRecord | null;
  readonly accounts: readonly [ShippingAccount, ...ShippingAccount[]];
}

/** The account that was chosen, and the form for its label, or the label that was made. */
function Shipment({ order, activity, record, accounts }: ShipmentProps): ReactElement {
  const say = useWords(shipWords);
  const { pair } = useTexts();
  const { parameters } = usePlace();
  const place = order === '' ? '' : JSON.stringify([activity, order]);
  const begin = () => newDraft(record === null ? { nbPackage: '1' } : draftOfOrder(record));
  const [draft, setDraft] = useState(() => keptDraft(place) ?? begin());
  const number = parameters.get('label');
  // While it is not known what became of a request, it may only be sent again to the same account.
  const sentTo = number === null ? draft.sent?.account : undefined;
  const wanted =
    sentTo === undefined ? (parameters.get('account') ?? localStorage.getItem(lastAccountName)) : nameOf(sentTo);
  const chosen = accounts.find((account) => nameOf(account) === wanted) ?? accounts[0];
  const choose = (account: string | null): void => {
    if (account === null) return;
    localStorage.setItem(lastAccountName, account);
    goTo(placeAddress(['ship'], { activity, order, account }), true);
  };
  const address = { activity, order, account: nameOf(chosen) };
  return (
    <>
      {accounts.length > 1 ? (
        <Select
          label={say('account')}
          data={accounts.map((account) => ({ value: nameOf(account), label: titleOf(account) }))}
          value={nameOf(chosen)}
          onChange={choose}
          allowDeselect={false}
          disabled={sentTo !== undefined}
          maw={420}
        />
      ) : (
        <Text>{pair(say('account'), titleOf(chosen))}</Text>
      )}
      {number === null ? (
        <LabelForm
          key={nameOf(chosen)}
          account={chosen}
          orderId={String(record?.id ?? '')}
          draft={draft}
          keep={(next) => {
            setDraft(next ?? begin());
            keepDraft(place, next);
          }}
          onMade={({ account }, label) =>
            goTo(placeAddress(['ship'], { ...address, account: nameOf(account), label }), true)
          }
        />
      ) : (
        <MadeLabel account={chosen} number={number} again={() => goTo(placeAddress(['ship'], address), true)} />
      )}
    </>
  );
}

function nameOf({ context, carrier }: Pick<ShippingAccount, 'context' | 'carrier'>): string {
  return `${context}/${carrier}`;
}

function titleOf({ activityCode, context, carrierName }: ShippingAccount): string {
  return `${carrierName} · ${context} (${activityCode})`;
}
