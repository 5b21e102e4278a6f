// What the demonstration reports to people: each sentence has a code and values, so that a page can say the same in
// another language.

/** Sentences by code; a name in braces stands for a value. Codes never change: pages rely on them. */
export const sentences = {
  // What happened on request, or as a result of what clients did.
  'fault-asked': '{fault} was asked for, of {activityCode}',
  'article-new': '{articleReference} is new in {activityCode}: goods are ordered',
  'document-enclosed': '{slug} of order {orderUniqueID} is going to be enclosed',
  'document-too-late': '{slug} of order {orderUniqueID} came too late',
  'image-late': 'the stock image of {activityCode} is going to be five hours late',
  'image-misdated': 'a stock image of {activityCode} is taken that says it was taken fifty minutes ago',
  'movement-lost': 'a movement of {activityCode} is lost: {movementCode} of {articleReference}',
  'grade-change-lost': 'one half of a change of grade of {activityCode} is lost: {movementCode} of {articleReference}',
  'movement-undirected': 'a movement of {activityCode} has no direction: {movementCode} of {articleReference}',
  'message-held-back': 'message {sequence} of the {resource} of {activityCode} is held back',
  'message-late': 'message {sequence} of the {resource} of {activityCode} is sent late',
  'message-twice': 'message {sequence} of the {resource} of {activityCode} is sent twice',
  'piece-missing': 'a piece of {articleReference} is not found for order {orderUniqueID}',
  'shipment-booked-late':
    'the shipment of {articleReference} for order {orderUniqueID} is booked after the next stock image',
  'reception-damaged': 'a part of {articleReference} of {uniqueProcurementID} is damaged',
  // What comes next.
  'image-taken': 'the stock image of {activityCode} is taken',
  'order-arrives': 'order {orderUniqueID} arrives',
  'wave-launched': 'wave {prepOrderGroupID} is launched',
  'order-packed': 'order {orderUniqueID} is packed',
  'parcels-loaded': 'the parcels of order {orderUniqueID} are loaded',
  'delivery-arrives': '{uniqueProcurementID} of {supplierName} arrives',
  'pieces-returned': '{quantity} {articleReference} come back',
  'empties-returned': '{quantity} empty bottles come back',
  'picking-places-filled': 'picking places are filled up',
  'places-counted': 'some places are counted',
  'goods-held': 'quality control takes goods from sale',
  'expired-blocked': 'goods past their time are blocked',
  'damaged-destroyed': 'damaged goods are destroyed',
  'kits-assembled': 'kits are assembled',
} as const;

type NoteCode = keyof typeof sentences;
type NamesIn<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The activity is added by the holder of the note. */
type FieldsOf<C extends NoteCode> = {
  readonly [Name in Exclude<NamesIn<(typeof sentences)[C]>, 'activityCode'>]: string | number;
};

/** A sentence to report. */
export interface NoteText {
  readonly code: NoteCode;
  /** Values of its sentence, by name. */
  readonly fields: Readonly<Record<string, string | number>>;
}

/** Something that happened or is going to happen. */
export interface DemoNote extends NoteText {
  /** Milliseconds, by the clock of the demonstration. */
  readonly at: number;
  readonly activityCode: string;
}

export function noteText<C extends NoteCode>(code: C, fields: FieldsOf<C>): NoteText {
  return { code, fields };
}

export function isNoteCode(code: string): code is NoteCode {
  return Object.hasOwn(sentences, code);
}

/** The sentence, in English. */
export function sentenceOf({ code, fields, activityCode }: Omit<DemoNote, 'at'>): string {
  const values: DemoNote['fields'] = { ...fields, activityCode };
  return sentences[code].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
