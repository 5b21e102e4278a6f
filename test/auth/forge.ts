// Makes tokens as an attacker would: any header, any payload, any key, signed by node:crypto alone.
import { createHmac, generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import type { KeyRing } from '../../src/auth/keys.ts';

/** The private key that the service signs with, for node:crypto. */
export async function stolenKey(keys: KeyRing): Promise<{ readonly kid: string; readonly key: KeyObject }> {
  const { kid, key } = await keys.signingKey('ES256');
  return { kid, key: KeyObject.from(key) };
}

export function foreignKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** @param payload an object, or the raw text of the payload */
export function forgeEs256(
  header: Readonly<Record<string, unknown>>,
  payload: unknown,
  key: KeyObject,
  dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363',
): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding }).toString('base64url')}`;
}

export function forgeHs256(header: Readonly<Record<string, unknown>>, payload: unknown, secret: string): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export function unsigned(header: Readonly<Record<string, unknown>>, payload: unknown): string {
  return `${part(header)}.${part(payload)}.`;
}

function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}
