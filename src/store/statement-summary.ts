// What a statement is called in traces and logs: what it does, and to which table, such as `SELECT movement`.

/** @param text of a statement of ours, without its values */
export function summaryOf(text: string): string {
  const verb = /\b(select|insert|update|delete|analyze|pragma|create|alter|drop|explain)\b/i.exec(text)?.[1] ?? 'query';
  const table = /\b(?:from|into|update)\s+"?([a-z_]\w*)/i.exec(text)?.[1];
  return table === undefined ? verb.toUpperCase() : `${verb.toUpperCase()} ${table}`;
}
