// The command `carrier-account`: with whom an activity ships, and under which name its clients ask for labels.
import { createAccountSeal } from '../auth/account-seal.ts';
import { accountOf } from '../api/shipping/accounts.ts';
import { CarrierError, type Carrier, type CarrierSetting } from '../carriers/carrier.ts';
import { createHost } from '../carriers/host.ts';
import { carrierNames, loadCarrier } from '../carriers/index.ts';
import type { Config } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { labelRequestFields } from '../model/shipping.ts';
import { findCarrierAccount, listCarrierAccounts, putCarrierAccount, removeCarrierAccount, type StoredCarrierAccount } from '../store/carrier-accounts.ts';
import { askAll } from './ask.ts';
import { recordCommand } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { withStore } from './storage.ts';
import { writeTable } from './table.ts';

/** Texts by name, as `name=value` on the command line. */
type Pairs = Readonly<Record<string, string>>;

export interface WantedAccount {
  readonly context: string;
  readonly carrier: string;
  readonly activity: string;
  readonly settings: readonly string[];
  readonly sender: readonly string[];
  readonly dailyLimit: string | null;
  readonly json: boolean;
}

/**
 * Adds an account, or changes the settings of the one that is there. What is missing is asked for on a terminal; elsewhere
 * secrets are read from standard input as one JSON object of texts.
 * @throws OperatorError with everything that is wrong
 */
export async function addAccount(environment: Environment, wanted: WantedAccount): Promise<ExitCode> {
  const carrier = await carrierNamed(wanted.carrier);
  const faults: string[] = [];
  if (!/^[a-z0-9][a-z0-9._-]{0,39}$/.test(wanted.context)) faults.push('A context is named with 1 to 40 lower-case letters, digits, dots, dashes and underscores.');
  const dailyLimit = wanted.dailyLimit === null ? null : Number(wanted.dailyLimit);
  if (dailyLimit !== null && !(Number.isInteger(dailyLimit) && dailyLimit >= 0 && dailyLimit <= 1_000_000)) faults.push('--daily-limit must be a whole number from 0 to 1000000.');
  const sender = pairsOf(wanted.sender, '--sender', faults);
  faults.push(...senderFaults(sender));
  const told = pairsOf(wanted.settings, '--set', faults);
  for (const name of Object.keys(told)) {
    const setting = carrier.settings.find((each) => each.name === name);
    if (setting === undefined) faults.push(`${carrier.title} has no setting ${name}; it has ${carrier.settings.map((each) => each.name).join(', ') || 'none'}.`);
    else if (setting.secret === true) faults.push(`${name} is a secret: it does not belong on a command line, where others can read it. It is asked for.`);
  }
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  const { settings, secrets } = await complete(environment, carrier, told);
  const outcome = await withStore(environment, async (store, config) => {
    const stored = Object.keys(secrets).length === 0 ? null : await createAccountSeal(config).close(JSON.stringify(secrets));
    const done = await putCarrierAccount(store.db, { owner: wanted.activity, context: wanted.context, carrier: carrier.name, settings, secrets: stored, sender, dailyLimit }, environment.now());
    await recordCommand(environment, store, { action: `carrier-account.${done === 'added' ? 'add' : 'change'}`, target: `${wanted.context}/${carrier.name}`, activityCodes: [wanted.activity] });
    return done;
  });
  if (wanted.json) writeJson(environment.stdout, { context: wanted.context, carrier: carrier.name, activity: wanted.activity, outcome });
  else environment.stdout.write(`Context ${wanted.context} of ${wanted.activity} ${outcome === 'added' ? 'ships' : 'now ships'} with ${carrier.title}.\nTo check it: ./logistics-connect carrier-account test --context ${wanted.context} --carrier ${carrier.name}\n`);
  return exitCodes.done;
}

/** Lists the accounts; never their secrets. */
export async function listAccounts(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const accounts = await withStore(environment, (store) => listCarrierAccounts(store.db));
  if (json) writeJson(environment.stdout, accounts.map(described));
  else {
    writeTable(environment.stdout, ['ACTIVITY', 'CONTEXT', 'CARRIER', 'SETTINGS', 'SENDER', 'LABELS A DAY'], accounts.map((account) => [
      account.owner, account.context, account.carrier, pairsText(account.settings), pairsText(account.sender), account.dailyLimit === null ? 'any' : String(account.dailyLimit),
    ]));
  }
  return exitCodes.done;
}

export interface NamedAccount { readonly context: string; readonly carrier: string; readonly json: boolean }

/**
 * Asks the carrier whether the account works; creates nothing.
 * @throws OperatorError when there is no such account, or it does not work
 */
export async function testAccount(environment: Environment, { context, carrier: name, json }: NamedAccount): Promise<ExitCode> {
  const carrier = await carrierNamed(name);
  const sentence = await withStore(environment, async (store, config) => {
    const stored = await storedAccount(store, context, name);
    return probe(carrier, stored, config);
  });
  if (json) writeJson(environment.stdout, { context, carrier: name, works: true, detail: sentence });
  else environment.stdout.write(`${sentence}\n`);
  return exitCodes.done;
}

/** @throws OperatorError when there is no such account */
export async function removeAccount(environment: Environment, { context, carrier, json }: NamedAccount): Promise<ExitCode> {
  await withStore(environment, async (store) => {
    const account = await storedAccount(store, context, carrier);
    await removeCarrierAccount(store.db, context, carrier);
    await recordCommand(environment, store, { action: 'carrier-account.remove', target: `${context}/${carrier}`, activityCodes: [account.owner] });
  });
  if (json) writeJson(environment.stdout, { context, carrier, removed: true });
  else environment.stdout.write(`The account of context ${context} at ${carrier} is removed. Labels that were made with it are kept, but no longer found under it.\n`);
  return exitCodes.done;
}

async function probe(carrier: Carrier, stored: StoredCarrierAccount, config: Config): Promise<string> {
  if (carrier.probe === null) return `${carrier.title} has nothing that could be asked without creating a parcel; the settings are complete.`;
  const account = await accountOf(stored, carrier, createAccountSeal(config));
  try {
    return await createHost({ onCall: () => undefined })(carrier.probe(account), carrier.origins(account));
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    throw new OperatorError(`The account does not work: ${error.message}${error.carrierMessage === null ? '' : ` ${carrier.title} says: ${error.carrierMessage} (${error.carrierCode ?? 'no code'}).`}`, 'Correct its settings with: ./logistics-connect carrier-account add');
  }
}

async function storedAccount(store: Parameters<Parameters<typeof withStore>[1]>[0], context: string, carrier: string): Promise<StoredCarrierAccount> {
  const owners = (await store.activities()).map(({ code }) => code);
  const account = await findCarrierAccount(store.db, owners, context, carrier);
  if (account === null) throw new OperatorError(`There is no account of context ${context} at ${carrier}.`, 'See: ./logistics-connect carrier-account list');
  return account;
}

async function carrierNamed(name: string): Promise<Carrier> {
  const carrier = await loadCarrier(name);
  if (carrier === null) throw new OperatorError(`There is no carrier ${name}.`, `Known are ${carrierNames.join(', ')}.`);
  return carrier;
}

/** Asks for what is missing and checks everything. */
async function complete(environment: Environment, carrier: Carrier, told: Pairs): Promise<{ readonly settings: Pairs; readonly secrets: Pairs }> {
  const missing = carrier.settings.filter((setting) => told[setting.name] === undefined && (setting.secret === true || setting.otherwise === undefined));
  const given: Record<string, string> = { ...told };
  if (environment.stdin.isTTY === true) {
    const questions = missing.map((setting) => ({ text: `${setting.name} (${setting.meaning.replace(/\.$/, '')}${setting.otherwise === undefined ? '' : '; empty for none'})`, secret: setting.secret === true }));
    await askAll(environment, questions, (answer, index) => {
      const name = missing[index]?.name;
      if (name !== undefined && answer !== '') given[name] = answer;
    });
  } else if (missing.some((setting) => setting.otherwise === undefined)) Object.assign(given, await fromInput(environment));
  const faults = carrier.settings.flatMap((setting) => settingFaults(setting, given[setting.name]));
  faults.push(...Object.keys(given).filter((name) => !carrier.settings.some((setting) => setting.name === name)).map((name) => `${carrier.title} has no setting ${name}.`));
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  const isSecret = (name: string): boolean => carrier.settings.some((setting) => setting.name === name && setting.secret === true);
  const entries = Object.entries(given);
  return { settings: Object.fromEntries(entries.filter(([name]) => !isSecret(name))), secrets: Object.fromEntries(entries.filter(([name]) => isSecret(name))) };
}

function settingFaults({ name, otherwise, pattern, choices }: CarrierSetting, value: string | undefined): readonly string[] {
  if (value === undefined) return otherwise === undefined ? [`${name} is missing.`] : [];
  if (choices !== undefined && !choices.includes(value)) return [`${name} must be one of ${choices.join(', ')}.`];
  return pattern !== undefined && !new RegExp(`^(?:${pattern})$`, 'u').test(value) ? [`${name} is not of the right form.`] : [];
}

async function fromInput({ stdin }: Environment): Promise<Pairs> {
  const parts: Buffer[] = [];
  for await (const chunk of stdin) parts.push(Buffer.from(chunk));
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString());
    if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
  } catch {
    // Said below, without what was read: it is secret.
  }
  throw new OperatorError('Standard input holds no JSON object with the settings that are missing.', 'Pipe in something like {"password":"…"}, or run the command in a terminal to be asked.');
}

function senderFaults(sender: Pairs): readonly string[] {
  const known = Object.entries(labelRequestFields).filter(([name]) => name.startsWith('exp'));
  return Object.entries(sender).flatMap(([name, value]) => {
    const field = known.find(([each]) => each === name)?.[1];
    if (field === undefined) return [`--sender takes ${known.map(([each]) => each).join(', ')}, not ${name}.`];
    return value.length > field.max ? [`--sender ${name} may have ${field.max} characters.`] : [];
  });
}

function pairsOf(texts: readonly string[], option: string, faults: string[]): Pairs {
  return Object.fromEntries(texts.flatMap((text) => {
    const equals = text.indexOf('=');
    if (equals > 0) return [[text.slice(0, equals), text.slice(equals + 1)] as const];
    faults.push(`${option} takes NAME=VALUE, not "${text}".`);
    return [];
  }));
}

function pairsText(pairs: Pairs): string {
  return Object.entries(pairs).map(([name, value]) => `${name}=${value}`).join(' ');
}

function described({ owner, secrets, createdAt, id: _id, ...account }: StoredCarrierAccount): Readonly<Record<string, unknown>> {
  return { activity: owner, ...account, hasSecrets: secrets !== null, createdAt: instantText(createdAt) };
}
