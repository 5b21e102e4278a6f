// Determines what a label has to declare to customs, and loads that part of the program only for carriers that declare
// goods.
import type { CustomsDeclaration } from '../model/customs.ts';
import type { Store } from '../store/store.ts';
import type { GoodsToDeclare } from './declare-goods.ts';

/**
 * The declaration; null when none is needed, or the carrier accepts none.
 * @throws like `declareGoods`
 */
export async function customsOfLabel(
  store: Pick<Store, 'lists' | 'labels'>,
  goods: GoodsToDeclare,
): Promise<CustomsDeclaration | null> {
  if (goods.opened.carrier.customs === undefined) return null;
  const { declareGoods } = await import('./declare-goods.ts');
  return declareGoods(store, goods);
}
