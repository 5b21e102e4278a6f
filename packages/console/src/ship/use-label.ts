// A label, as the form left it when it was made, or as the service tells it.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { LabelResult } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';

/** What is known of a label when it is made; later, only what the service tells of it. */
type KnownLabel = LabelResult & { readonly isReplayed?: boolean };

interface LabelMaker {
  readonly context: string;
  readonly carrier: string;
}

/** By which a label is kept, wherever it is shown. */
export function labelKey({ context, carrier }: LabelMaker, number: string): readonly string[] {
  return ['label', context, carrier, number];
}

export function useLabel(maker: LabelMaker, number: string): UseQueryResult<KnownLabel> {
  const { client } = useSession();
  return useQuery<KnownLabel>({
    queryKey: labelKey(maker, number),
    queryFn: ({ signal }) => client.shipping.label(maker.context, maker.carrier, number, { signal }),
    // The files of a label do not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
}
