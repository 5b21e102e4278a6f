// Plans what a list of clients would change, and applies one line of it.
import type { AdministeredClient, PlatformClient } from '../../../../client/src/index.ts';
import type { ListedClient } from './client-csv.ts';
import { activityFault, isSameList, type LineFault, type Planned, planned } from './planned.ts';

type PlannedClient = Planned<ListedClient, AdministeredClient>;

/** @param codes of all activities */
export function planClients(
  listed: readonly ListedClient[],
  known: readonly AdministeredClient[],
  codes: ReadonlySet<string>,
): readonly PlannedClient[] {
  const byId = new Map(known.map((client) => [client.id, client]));
  const byName = Map.groupBy(known, ({ name }) => name);
  const lines = listed.map((each) => {
    const named = byName.get(each.name) ?? [];
    const client = (each.id === undefined ? (named.length === 1 ? named[0] : undefined) : byId.get(each.id)) ?? null;
    return { each, client, isUnclear: each.id === undefined && named.length > 1 };
  });
  const timesOf = Map.groupBy(lines, ({ client }) => client?.id ?? null);
  return lines.map(({ each, client, isUnclear }) => {
    const isTwice = client !== null && (timesOf.get(client.id)?.length ?? 0) > 1;
    const fault = isTwice || isUnclear ? nameFault(each) : faultOf(each, client, codes);
    return planned(each, client, fault, (before) => isSame(each, before));
  });
}

function nameFault({ name }: ListedClient): LineFault {
  return { word: 'row-which-client', values: { at: name } };
}

function faultOf(listed: ListedClient, known: AdministeredClient | null, codes: ReadonlySet<string>): LineFault | null {
  if (listed.id !== undefined && known === null) return { word: 'row-no-client', values: { at: listed.id } };
  if (known !== null && listed.confidential !== undefined && listed.confidential !== known.confidential)
    return { word: 'row-confidential' };
  return activityFault(listed.activityCodes, codes, known?.activityCodes);
}

const flags = ['readOnly', 'service', 'pkceRequired', 'platform'] as const;

function isSame(listed: ListedClient, client: AdministeredClient): boolean {
  return (
    listed.name === client.name &&
    isSameList(listed.redirectUris, client.redirectUris) &&
    isSameList(listed.activityCodes, client.activityCodes) &&
    (listed.disabled === undefined || listed.disabled === (client.disabledAt !== null)) &&
    flags.every((flag) => listed[flag] === undefined || listed[flag] === client[flag])
  );
}

/**
 * Registers or changes the client of a line.
 * @param told receives id, name and secret of a new client as soon as it exists
 */
export async function applyClient(
  { administration }: PlatformClient,
  { listed, known }: PlannedClient,
  told: (cells: readonly string[]) => void,
): Promise<void> {
  const { line: _line, id: _id, disabled, confidential, ...wanted } = listed;
  const isDisabled = known !== null && known.disabledAt !== null;
  let client = known;
  if (known === null) {
    const made = await administration.registerClient({
      ...wanted,
      ...(confidential !== undefined && { confidential }),
    });
    if (made.secret !== null) told([made.id, made.name, made.secret]);
    client = made;
  } else if (!isSame({ ...listed, ...(disabled !== undefined && { disabled: isDisabled }) }, known))
    await administration.changeClient(known.id, wanted);
  if (client !== null && disabled !== undefined && disabled !== isDisabled)
    await administration.setClient(client.id, disabled ? 'disable' : 'enable');
}
