// What the fields of an article mean, in French: those whose name does not say it already.
import type { ArticleFieldFacts } from '../generated/article-fields.ts';

/** The French meaning of a field; undefined when its name says all of it. */
export function frenchMeaning({ name, kind }: Pick<ArticleFieldFacts, 'name' | 'kind'>): string | undefined {
  if (name.startsWith('customField')) return `${kinds[kind] ?? 'Texte'} d’usage libre.`;
  return frenchMeanings[name] ?? frenchMeanings[name.replace(/\d$/, '')];
}

const kinds: Readonly<Record<string, string>> = { 'date-time': 'Date', integer: 'Nombre', decimal: 'Nombre' };

/** A number at the end of a name can be left out, where it changes nothing. */
export const frenchMeanings: Readonly<Record<string, string>> = {
  activityCode: 'L’activité à laquelle l’article appartient.',
  articleReference: 'Unique au sein de l’activité.',
  doReferenceCode: 'Référence de l’article chez le client.',
  nomenclatureManaged: 'L’article est composé d’autres articles.',
  articleType: 'Nature de l’article.',
  articleRotationClass: 'Vitesse à laquelle l’article se vend.',
  receptionMethod: 'Taille de l’emplacement où l’entrepôt le reçoit.',
  storageMethod: 'Famille de péremption dans le système d’entrepôt.',
  preferredStorageZone: 'Zone où il se range le mieux.',
  preferredStorageAisle: 'Famille de stockage dans le système d’entrepôt.',
  preparationMethod: 'Famille de préparation dans le système d’entrepôt.',
  articlePackaging: 'Comment l’article est emballé.',
  supplierArticleReference: 'Référence de l’article chez son fournisseur.',
  supplierArticleDescription: 'Libellé de l’article chez son fournisseur.',
  articleAnalysisCode: 'Ce que l’article est pour la comptabilité.',
  articlePrice: 'Prix d’usage libre.',
  modelReference: 'Le modèle que tailles et couleurs ont en commun.',
  saleExpirationDate: 'L’article a une date limite de vente.',
  receptionDeadlineInDays: 'Durée de vie restante exigée à la réception.',
  shippingDeadlineInDays: 'Durée de vie restante exigée à l’expédition.',
  serializedArticle: 'Les numéros de série sont suivis.',
  lotTrackedArticle: 'Les numéros de lot sont suivis.',
  quantityDeclarationManaged: 'Les quantités sont déclarées.',
  fragileArticle: 'L’article est préparé avec soin.',
  customsCode: 'Code du système harmonisé, ou de la nomenclature combinée qui le prolonge.',
  countryOfOriginCode: 'Code ISO 3166-1 à deux lettres.',
  topHazardousMaterial: 'L’article est dangereux.',
  topAlcoholArticle: 'L’article contient de l’alcool.',
  topConsignedArticle: 'Une consigne est rendue pour l’article.',
  disableProduit: 'L’article n’est plus pris en compte.',
};
