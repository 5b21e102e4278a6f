// The choice of the carrier account for the shipping desk, kept in the address.
import { Select } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { CarrierAccountList } from '../../../../client/src/index.ts';
import { goTo, placeAddress, usePlace } from '../../route.ts';
import { useOperator } from '../contexts.ts';
import { useOperatorWords } from '../words/words.ts';

/** Names an account in paths. */
export interface DeskAccount {
  readonly context: string;
  readonly carrier: string;
}

export function useCarrierAccounts(): UseQueryResult<CarrierAccountList> {
  const { platform } = useOperator();
  return useQuery({
    queryKey: ['platform', 'accounts'],
    queryFn: ({ signal }) => platform.carrierAccounts({ signal }),
  });
}

/** The account in the address, else the only existing one; null: one has to be chosen. */
export function useChosenAccount({ accounts }: CarrierAccountList): DeskAccount | null {
  const { parameters } = usePlace();
  const [context, carrier] = [parameters.get('context') ?? '', parameters.get('carrier') ?? ''];
  if (context !== '' && carrier !== '') return { context, carrier };
  const [only, ...others] = accounts;
  return only === undefined || others.length > 0 ? null : { context: only.context, carrier: only.carrier };
}

export function AccountChoice({ accounts }: CarrierAccountList): ReactElement {
  const say = useOperatorWords();
  const { parts } = usePlace();
  const chosen = useChosenAccount({ accounts, more: false });
  const choices = accounts.map(({ activityCode, context, carrier, title }) => ({
    value: choiceValue({ context, carrier }),
    label: `${activityCode}: ${context}, ${title}`,
  }));
  const isListed = chosen === null || choices.some(({ value }) => value === choiceValue(chosen));
  return (
    <Select
      label={say('account')}
      data={isListed ? choices : [...choices, { value: choiceValue(chosen), label: choiceValue(chosen) }]}
      value={chosen === null ? null : choiceValue(chosen)}
      onChange={(value) => {
        const [context = '', carrier = ''] = value?.split('/') ?? [];
        goTo(placeAddress(parts, { context, carrier }));
      }}
      allowDeselect={false}
      searchable
      maw={420}
    />
  );
}

/** Neither name contains a slash. */
function choiceValue({ context, carrier }: DeskAccount): string {
  return `${context}/${carrier}`;
}
