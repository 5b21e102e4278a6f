// The settings of a carrier account on a command line: missing ones are asked for or read.
import type { Carrier, CarrierSetting } from '../../carriers/carrier.ts';
import { carrierNames, loadCarrier } from '../../carriers/index.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { refuseFields, settingFault, settingsFaults, type Texts } from '../../shipping/account-settings.ts';
import { prompt } from '../prompts.ts';
import type { Environment } from '../environment.ts';

/** The faults of settings given on the command line, where secrets do not belong. */
export function toldFaults({ title, settings }: Carrier, told: Texts): readonly string[] {
  return Object.keys(told).flatMap((name) => {
    const setting = settings.find((each) => each.name === name);
    if (setting === undefined)
      return [`${title} has no setting ${name}; it has ${settings.map((each) => each.name).join(', ') || 'none'}.`];
    return setting.secret === true
      ? [`${name} is a secret: it does not belong on a command line, where others can read it. It is asked for.`]
      : [];
  });
}

/**
 * Asks on a terminal for missing settings; otherwise reads one JSON object of strings from standard input, if a secret
 * or a required setting is missing. An empty string means the default.
 * @param told from the command line, without faults
 * @returns all settings with the secrets
 * @throws OperatorError that lists all faults and never quotes a value
 * @throws Interrupted on Ctrl-C
 */
export async function completeSettings(environment: Environment, carrier: Carrier, told: Texts): Promise<Texts> {
  const missing = carrier.settings.filter(({ name }) => told[name] === undefined);
  const found = environment.stdin.isTTY === true ? await asked(environment, missing) : await read(environment, missing);
  const given = { ...found, ...told };
  refuseFields(settingsFaults(carrier, given));
  return given;
}

/** Settings with a default, or that few accounts have, are not asked for: --set changes them. */
async function asked(environment: Environment, missing: readonly CarrierSetting[]): Promise<Texts> {
  const wanted = missing.filter(
    ({ secret, rare, otherwise = '' }) => secret === true || (otherwise === '' && rare !== true),
  );
  const given: Record<string, string> = {};
  await prompt(
    environment,
    wanted.map((setting) => ({ text: questionOf(setting), secret: setting.secret === true })),
    (answer, index) => {
      const setting = wanted[index];
      if (setting === undefined) return;
      const fault = settingFault(setting, answer);
      if (fault !== null) throw new OperatorError(fault, 'Nothing was changed.');
      given[setting.name] = answer;
    },
  );
  return given;
}

function questionOf({ name, meaning, choices, otherwise }: CarrierSetting): string {
  const hints = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(otherwise === undefined || meaning.includes('Empty: ')
      ? []
      : [otherwise === '' ? 'empty for none' : `empty for ${otherwise}`]),
  ];
  return `${name} (${[meaning.replace(/\.$/, ''), ...hints].join('; ')})`;
}

async function read({ stdin }: Environment, missing: readonly CarrierSetting[]): Promise<Texts> {
  if (!missing.some(({ secret, otherwise }) => secret === true || otherwise === undefined)) return {};
  const parts: Buffer[] = [];
  for await (const chunk of stdin) parts.push(Buffer.from(chunk));
  const texts = textsIn(Buffer.concat(parts).toString().trim());
  if (texts !== null) return texts;
  throw new OperatorError(
    'Standard input holds no JSON object of texts with the settings that are missing.',
    'Pipe in something like {"password":"…"}, or run the command in a terminal to be asked.',
  );
}

/** Null when it is not a JSON object of strings; it is secret, so nothing of it is quoted. */
function textsIn(json: string): Texts | null {
  if (json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return texts.length === entries.length ? Object.fromEntries(texts) : null;
  } catch {
    return null;
  }
}

/** @throws OperatorError when there is no such carrier */
export async function carrierNamed(name: string): Promise<Carrier> {
  const carrier = await loadCarrier(name);
  if (carrier === null)
    throw new OperatorError(`There is no carrier ${name}.`, `Known are ${carrierNames.join(', ')}.`);
  return carrier;
}
