// The request behind what is shown, as a command to paste.

/** The token is a variable: a command that is passed on must not pass on an access. */
export function curlFor(address: string): string {
  return `curl -sS -H "Authorization: Bearer $TOKEN" '${address.replaceAll("'", '%27')}'`;
}
