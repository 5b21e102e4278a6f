// Imports an operator's list of clients: the faults of the list, and what it would change.
import { OperatorError } from '../model/operator-error.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { ClientEdit, StoredClient } from '../store/clients.ts';
import type { Store } from '../store/store.ts';
import { clientFaults } from './client-faults.ts';
import { canonicalName } from './registered-name.ts';
import { madeClient } from './clients.ts';
import { refuseFaults } from './user-import.ts';

/** One client of a list; null: not given, so the value stays as it is, or gets its default in a new client. */
export interface ListedClient {
  /** Line number, for errors. */
  readonly line: number;
  /** Null: the client with that name, or a new one. */
  readonly id: string | null;
  readonly name: string;
  readonly redirectUris: readonly string[] | null;
  readonly activityCodes: readonly string[] | null;
  readonly confidential: boolean | null;
  readonly readOnly: boolean | null;
  readonly service: boolean | null;
  readonly pkceRequired: boolean | null;
  readonly platform: boolean | null;
  readonly disabled: boolean | null;
}

export interface ClientPlan {
  readonly added: readonly { readonly client: StoredClient; readonly secret: string | null }[];
  readonly changed: readonly (ClientEdit & { readonly kind: 'change' })[];
  readonly unchanged: number;
}

/**
 * Determines what a list changes. Clients that are not on it stay as they are.
 * @param now milliseconds since 1970
 * @throws OperatorError that reports the faults by line
 */
export async function planClients(
  store: Pick<Store, 'activities' | 'clients'>,
  listed: readonly ListedClient[],
  now: number,
): Promise<ClientPlan> {
  const known = await store.clients.list();
  const activities = new Set((await store.activities.list()).map(({ code }) => code));
  const lineOf = new Map<string, number>();
  const faults: string[] = [];
  const added: ClientPlan['added'][number][] = [];
  const changed: ClientPlan['changed'][number][] = [];
  for (const wanted of listed) {
    const { before, fault } = meant(wanted, known);
    const client = importedClient(wanted, before);
    const key = before?.id ?? `name ${client.name}`;
    const first = lineOf.get(key);
    const missing = client.activityCodes.filter(
      (code) => !activities.has(code) && !before?.activityCodes.includes(code),
    );
    const found = [
      ...(fault === null ? [] : [fault]),
      ...(first === undefined ? [] : [`The client "${client.name}" is on line ${first} already.`]),
      ...(before !== null && client.confidential !== before.confidential ? [confidentialFault] : []),
      ...clientFaults(client),
      ...missing.map((code) => `There is no activity "${code}".`),
    ];
    lineOf.set(key, first ?? wanted.line);
    if (found.length > 0) faults.push(`Line ${wanted.line}: ${found.join(' ')}`);
    else if (before === null) added.push(addedClient(client, wanted.disabled === true, now));
    else {
      const edit = changeOf(before, client, wanted.disabled, now);
      if (edit !== null) changed.push(edit);
    }
  }
  refuseFaults(faults);
  return { added, changed, unchanged: listed.length - added.length - changed.length };
}

/**
 * Carries out a plan, all or nothing.
 * @param entries of the audit trail
 * @throws OperatorError when a client was changed meanwhile
 */
export async function carryOutClientPlan(
  { clients }: Pick<Store, 'clients'>,
  { added, changed }: ClientPlan,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  const edits: ClientEdit[] = [...added.map(({ client }) => ({ kind: 'add', client }) as const), ...changed];
  if (edits.length > 0 && !(await clients.edit(edits, entries)))
    throw new OperatorError(
      'A client of the list was changed by somebody else meanwhile.',
      'Nothing was changed. Run the command again.',
    );
}

const confidentialFault =
  'Whether a client keeps a secret cannot be changed: its program would have to be another. Register a new one.';

/** The client that a line refers to; null: a new one, unless there is a fault. */
function meant(
  { id, name }: ListedClient,
  known: readonly StoredClient[],
): { readonly before: StoredClient | null; readonly fault: string | null } {
  if (id !== null) {
    const before = known.find((client) => client.id === id) ?? null;
    return { before, fault: before === null ? `There is no client "${id}".` : null };
  }
  const [before = null, ...others] = known.filter((client) => client.name === canonicalName(name));
  if (others.length === 0) return { before, fault: null };
  return { before: null, fault: `There are ${others.length + 1} clients "${name}": say the id.` };
}

function importedClient(wanted: ListedClient, before: StoredClient | null) {
  return {
    name: canonicalName(wanted.name),
    redirectUris: [...new Set(wanted.redirectUris ?? before?.redirectUris)],
    activityCodes: [...new Set(wanted.activityCodes ?? before?.activityCodes)].sort(),
    confidential: wanted.confidential ?? before?.confidential ?? false,
    readOnly: wanted.readOnly ?? before?.readOnly ?? false,
    service: wanted.service ?? before?.service ?? false,
    pkceRequired: wanted.pkceRequired ?? before?.pkceRequired ?? true,
    platform: wanted.platform ?? before?.platform ?? false,
  };
}

type ImportedClient = ReturnType<typeof importedClient>;

function addedClient(wanted: ImportedClient, isDisabled: boolean, now: number): ClientPlan['added'][number] {
  const { stored, secret } = madeClient(wanted, now);
  return { client: { ...stored, disabledAt: isDisabled ? now : null }, secret };
}

function changeOf(
  before: StoredClient,
  wanted: ImportedClient,
  disabled: boolean | null,
  now: number,
): ClientPlan['changed'][number] | null {
  const { name, redirectUris, activityCodes, readOnly, service, pkceRequired, platform } = wanted;
  const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
    a.toSorted().join() === b.toSorted().join();
  const changes = {
    ...(name !== before.name && { name }),
    ...(!isSameSet(redirectUris, before.redirectUris) && { redirectUris }),
    ...(activityCodes.join() !== before.activityCodes.join() && { activityCodes }),
    ...(readOnly !== before.readOnly && { readOnly }),
    ...(service !== before.service && { service }),
    ...(pkceRequired !== before.pkceRequired && { pkceRequired }),
    ...(platform !== before.platform && { platform }),
    ...(disabled === true && before.disabledAt === null && { disabledAt: now }),
    ...(disabled === false && before.disabledAt !== null && { disabledAt: null }),
  };
  return Object.keys(changes).length === 0 ? null : { kind: 'change', before, changes };
}
