// Checks whether carrier accounts have the settings that labels and tracking need.
import { lackText } from '../../carriers/account-needs.ts';
import type { Config } from '../../config.ts';
import { createCarrierAccounts } from '../../store/carrier-accounts.ts';
import type { Engine } from '../../store/engine.ts';
import { missingSettingsReader } from '../carrier-account/missing-settings.ts';
import type { Finding } from './finding.ts';

const remedy = 'Put its settings right with: ./logistics-connect carrier-account add';

/** An account for labels only, or for tracking only, may be intended. */
export async function checkCarriers(engine: Engine, config: Config): Promise<readonly Finding[]> {
  const lackOfStored = missingSettingsReader(config);
  const findings: Finding[] = [];
  for (const account of await createCarrierAccounts(engine).list()) {
    const found = await lackOfStored(account);
    const name = `The account of context ${account.context} at ${account.carrier}`;
    if (found.lack === null) {
      const { message, remedy: advice } = found.error;
      findings.push(finding('wrong', `${name} cannot be used. ${message}`, advice));
    } else if (found.isUseless)
      findings.push(finding('warning', `${name} can do nothing. ${lackText(found.lack)}`, remedy));
    else if (lackText(found.lack) !== '')
      findings.push(finding('ok', `${name} is not set up for everything. ${lackText(found.lack)}`, ''));
  }
  return findings;
}

function finding(verdict: Finding['verdict'], message: string, advice: string): Finding {
  return { subject: 'carriers', verdict, message, remedy: advice };
}
