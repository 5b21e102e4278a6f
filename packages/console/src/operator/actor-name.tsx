// Who did something, by name. Requests and the audit trail hold ids alone; the names are those of the lists of users
// and clients, for operators whose role opens these.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from './contexts.ts';

interface ActorProps {
  /** Of a client, a key, or a user. */
  readonly id: string;
  /** Id of the user on whose behalf a client acted, or the name of a key; null: neither. */
  readonly subject: string | null;
  /** False: it has a name that is in no list, such as that of a command. */
  readonly isListed?: boolean;
}

/** A name, with the id as its title; the id itself where the name is not known. */
export function ActorName({ id, subject, isListed = true }: ActorProps): ReactElement {
  if (!isListed) return <>{id}</>;
  if (isUser(id)) return <Named kind="user" id={id} />;
  if (subject === null) return <Named kind="client" id={id} />;
  if (!isUser(subject)) return <span title={id}>{subject}</span>;
  return (
    <span>
      <Named kind="client" id={id} /> (<Named kind="user" id={subject} />)
    </span>
  );
}

function Named({ kind, id }: { readonly kind: 'user' | 'client'; readonly id: string }): ReactElement {
  const { platform, roles } = useOperator();
  const { user, client } = platform.administration;
  // What was removed has no name any more: it is asked for once.
  const { data: name } = useQuery({
    queryKey: ['platform', 'name', kind, id],
    queryFn: async ({ signal }) =>
      kind === 'user' ? (await user(id, { signal })).login : (await client(id, { signal })).name,
    enabled: roles.includes('administration'),
    staleTime: 300_000,
    retryOnMount: false,
    refetchOnWindowFocus: false,
  });
  return name === undefined ? <>{id}</> : <span title={id}>{name}</span>;
}

/** Users alone have ids of this form; those of clients and keys are shorter. */
function isUser(id: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);
}
