// The carrier accounts of the signed-in user.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ShippingAccount } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';

export function useAccounts(): UseQueryResult<readonly ShippingAccount[]> {
  const { client } = useSession();
  return useQuery({
    queryKey: ['shipping-accounts'],
    queryFn: ({ signal }) => client.shipping.accounts({ signal }),
    staleTime: 300_000,
  });
}
