// Asks for what a label has to declare to customs, and loads that part of the program where a carrier declares goods.
import type { CustomsDeclaration } from '../model/customs.ts';
import type { Store } from '../store/store.ts';
import type { GoodsToDeclare } from './declare-goods.ts';

/**
 * What has to be declared; null where nothing has, or the carrier takes no declarations.
 * @throws as `declareGoods`
 */
export async function customsOfLabel(
  store: Pick<Store, 'lists' | 'labels'>,
  goods: GoodsToDeclare,
): Promise<CustomsDeclaration | null> {
  if (goods.opened.carrier.customs === undefined) return null;
  const { declareGoods } = await import('./declare-goods.ts');
  return declareGoods(store, goods);
}
