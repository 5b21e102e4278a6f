// The name of a statement in traces and logs: its verb and table, such as `SELECT movement`.

/** @param text of one of the program's statements, without its values */
export function summaryOf(text: string): string {
  const verb = /\b(select|insert|update|delete|analyze|pragma|create|alter|drop|explain)\b/i.exec(text)?.[1] ?? 'query';
  const table = /\b(?:from|into|update)\s+"?([a-z_]\w*)/i.exec(text)?.[1];
  return table === undefined ? verb.toUpperCase() : `${verb.toUpperCase()} ${table}`;
}
