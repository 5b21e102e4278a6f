// The request behind the displayed data, as a command to paste.

/** The token is a variable, so that sharing a command does not share access. */
export function curlFor(address: string): string {
  return `curl -sS -H "Authorization: Bearer $TOKEN" '${address.replaceAll("'", '%27')}'`;
}
