// What counts as a short write, which long ones and feeds give way to.

/** A write with a body of at most so many bytes is a short request. */
export const maxShortBodyBytes = 16_384;
/** Writing so many records is short work. */
const maxShortRecords = 20;

/** Whether it is short work to write so many records for a client. */
export function isShortWrite(records: number): boolean {
  return records <= maxShortRecords;
}
