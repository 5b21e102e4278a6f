// The TypeScript type of a record, read off its definition.
import type { Field, Fields, Resource } from './resource.ts';

/** A record as responses carry it: `RecordOf<typeof article>`. */
export type RecordOf<R extends Resource> = PublishedOf<R['fields']>;

type PublishedOf<F extends Fields> = {
  readonly [Name in keyof F]: ValueOf<F[Name]> | (F[Name] extends { readonly notNull: true } ? never : null);
};

type ValueOf<F extends Field> = F extends { readonly kind: 'text' | 'date-time' }
  ? string
  : F extends { readonly kind: 'integer' | 'decimal' }
    ? number
    : F extends { readonly kind: 'boolean' }
      ? boolean
      : F extends { readonly kind: 'list'; readonly fields: infer C extends Fields }
        ? readonly PublishedOf<C>[]
        : F extends { readonly kind: 'object'; readonly fields: infer C extends Fields }
          ? PublishedOf<C>
          : never;
